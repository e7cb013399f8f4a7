// What every view is: a title, an element, what it listens to, and its four states other than "here it is".
import type {Session} from './api';
import {Refused, Unreachable} from './api';
import {h, replace} from './dom';
import type {Live, Topic} from './live';

export interface Context {
  session: Session;
  live: Live;
  go: (to: string) => void;
}

export interface View {
  title: string;
  element: HTMLElement;
  topics: Topic[];
  refresh: () => Promise<void>;
}

// A place whose content is fetched: shows that it loads, what came, or why nothing did.
export class Place {
  readonly element = h('section', {'aria-busy': 'true'}, h('p', {class: 'quiet loading'}, 'Loading …'));
  private filled = false;
  private timer = 0;

  async load<T>(fetch: () => Promise<T>, show: (value: T) => Node[]): Promise<void> {
    try {
      const value = await fetch();
      replace(this.element, ...show(value));
      this.filled = true;
    } catch (problem) {
      // What is shown stays, with a word that it may be old; the connection's own notice says the rest.
      if (this.filled && problem instanceof Unreachable) return;
      replace(this.element, failure(problem));
      this.filled = false;
      if (passing(problem)) {
        window.clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.element.isConnected && void this.load(fetch, show), 3000);
      }
    }
    this.element.setAttribute('aria-busy', 'false');
  }
}

// Is it likely to be otherwise in a moment?
function passing(problem: unknown): boolean {
  return problem instanceof Unreachable || (problem instanceof Refused && (problem.status === 503 || problem.status === 429));
}

export function failure(problem: unknown): HTMLElement {
  if (problem instanceof Refused && problem.status === 403)
    return notice('warning', 'You may not see this', problem.message, 'Ask for the role tamp-viewer.');
  if (problem instanceof Refused && problem.status === 404) return notice('info', 'Not there', problem.message);
  if (problem instanceof Refused && problem.reason === 'NotLeader') return elsewhere(problem);
  if (problem instanceof Refused && problem.reason === 'NotReady')
    return notice('info', 'Not yet', 'The controller has not looked at the whole cluster yet. This page tries again by itself.');
  if (problem instanceof Unreachable)
    return notice('warning', 'No answer', 'The controller does not answer. This page tries again by itself.');
  return notice('error', 'That did not work', problem instanceof Error ? problem.message : String(problem));
}

// This replica follows: it has nothing to show, and says who has.
function elsewhere(problem: Refused): HTMLElement {
  const {leader} = (problem.detail ?? {leader: ''}) as {leader: string};
  return h(
    'div',
    {class: 'notice info', role: 'note'},
    h('strong', {}, 'Another replica leads'),
    h('p', {}, h('b', {}, leader), ' decides, and has what there is to show. This page looks again every few seconds: behind a Service that leads to the leader it is there in a moment.'),
    h('p', {}, 'With a port-forward, choose that pod:'),
    h('pre', {tabindex: 0}, `kubectl -n tamp-system port-forward pod/${leader} 8088`),
  );
}

export function notice(kind: 'info' | 'good' | 'warning' | 'error', title: string, ...texts: string[]): HTMLElement {
  return h(
    'div',
    {class: `notice ${kind}`, role: kind === 'error' ? 'alert' : 'note'},
    h('strong', {}, title),
    ...texts.filter((text) => text !== '').map((text) => h('p', {}, text)),
  );
}

// Asks before something happens. Resolves to what was written, or null if the answer was no.
export function ask(options: {title: string; body: Node[]; yes: string; danger?: boolean; input?: string}): Promise<string | null> {
  return new Promise((resolve) => {
    const input = options.input === undefined ? null : h('textarea', {rows: 2, maxlength: 1024, id: 'why'});
    const dialog = h(
      'dialog',
      {'aria-labelledby': 'asked'},
      h(
        'form',
        {method: 'dialog'},
        h('h2', {id: 'asked'}, options.title),
        ...options.body,
        input && h('label', {for: 'why'}, options.input!),
        input,
        h(
          'div',
          {class: 'actions'},
          h('button', {value: 'no'}, 'Cancel'),
          h('button', {value: 'yes', class: options.danger ? 'danger' : 'primary'}, options.yes),
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes' ? (input?.value ?? '') : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
