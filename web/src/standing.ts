// What every page has on top: whether Tamp acts, whether it is paused, and the switch for that.
import {api} from './api';
import type {Status} from './api';
import {announce, h, replace} from './dom';
import type {Context} from './page';
import {ask, failure} from './page';
import {spaced} from './words';

export class Standing {
  readonly chips = h('span', {class: 'standing'});
  readonly banner = h('div', {class: 'banner', 'aria-live': 'polite'});
  private shown: Status | null = null;
  // What was asked for and is not seen yet: the policy changes at once, what is decided with the next look at the cluster.
  private wanted: boolean | null = null;

  constructor(private readonly context: Context) {}

  async refresh(): Promise<void> {
    try {
      this.shown = await api.status();
      if (this.wanted === this.shown.paused) this.wanted = null;
    } catch {
      return; // the view below says what is wrong; what was true last stays
    }
    this.draw();
  }

  private draw(): void {
    const status = this.shown;
    if (!status) return;
    const may = this.context.session.rights.pause;
    const waits = this.wanted !== null;
    const turn = h(
      'button',
      {
        class: status.paused ? 'primary small' : 'small',
        disabled: !may || waits,
        title: may ? null : 'You may not change the policy.',
        click: () => void this.turn(!status.paused),
      },
      waits ? (this.wanted ? 'Pausing …' : 'Resuming …') : status.paused ? 'Resume' : 'Pause …',
    );
    const standing = status.paused
      ? h('b', {class: 'chip paused'}, 'Paused')
      : status.mode === 'Act'
        ? h('span', {class: 'chip acts'}, `Acts, approval ${status.approval === 'Automatic' ? 'automatic' : 'by people'}`)
        : h('span', {class: 'chip'}, 'Observes');
    replace(
      this.chips,
      standing,
      status.run && h('a', {class: 'chip runs', href: `#/run/${encodeURIComponent(status.run.name)}`}, `Run: ${spaced(status.run.phase).toLowerCase()}`),
      turn,
    );
    replace(
      this.banner,
      status.paused &&
        h('div', {class: 'notice warning'}, h('strong', {}, 'Tamp is paused. '), 'No run starts, and a run that is under way evicts nothing until it is resumed.'),
    );
  }

  private async turn(paused: boolean): Promise<void> {
    const sure = await ask({
      title: paused ? 'Pause Tamp?' : 'Resume?',
      yes: paused ? 'Pause' : 'Resume',
      danger: paused,
      body: [
        h(
          'p',
          {},
          paused
            ? 'No plan is published and no run starts. A run that is under way evicts nothing more, and goes on when you resume; abort it to have it rolled back.'
            : 'Plans are published again, and a run that is under way goes on.',
        ),
        h('p', {class: 'quiet'}, 'It is the annotation ', h('code', {}, 'temper.codes/pause'), ' of the TemperPolicy, written with your own rights.'),
      ],
    });
    if (sure === null) return;
    try {
      await api.pause(paused);
      this.wanted = paused;
      announce(paused ? 'Pausing.' : 'Resuming.');
      this.draw();
    } catch (problem) {
      replace(this.banner, failure(problem));
    }
  }
}
