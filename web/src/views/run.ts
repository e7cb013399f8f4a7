// A run: its phases, its evictions one by one, what the guards see, and the way to stop it.
import {api, tiers} from '../api';
import type {PressureSample, Run} from '../api';
import {h} from '../dom';
import type {Context, View} from '../page';
import {Place, ask, failure, notice} from '../page';
import {plot} from '../plot';
import type {Line} from '../plot';
import {clock, count, hourly, moment, monthly, present, share, spaced, span} from '../words';

const order = ['Approved', 'Validating', 'Launching', 'Protecting', 'Cordoning', 'Draining', 'Settling', 'AwaitingReap', 'Escalated', 'Succeeded'];
const ended = new Set(['Succeeded', 'RolledBack']);

export function runView(name: string, context: Context): View {
  const place = new Place();
  const said = h('div', {'aria-live': 'polite'});
  const view: View = {
    title: `Run ${name}`,
    element: h('div', {}, said, place.element),
    topics: ['runs'],
    refresh: () => place.load(() => api.run(name), (run) => show(run, context, said, view)),
  };
  return view;
}

function show(run: Run, context: Context, said: HTMLElement, view: View): Node[] {
  return [
    h(
      'div',
      {class: 'headline'},
      h('p', {class: `phase phase-${run.phase.toLowerCase()}`}, spaced(run.phase), run.reason !== '' && ` · ${spaced(run.reason)}`),
      h('p', {}, run.message),
      h('p', {class: 'quiet'}, `Approved by ${run.approvedBy} (${run.source || 'kubectl'}) ${moment(run.approvedAt)}. Plan `, h('code', {}, run.planHash.slice(0, 12))),
      actions(run, context, said, view),
    ),
    timeline(run),
    ...guards(run),
    ...outcome(run),
    h('h2', {}, `Evictions${run.moves.length === 0 ? '' : `: ${run.moves.filter((move) => move.left).length} of ${run.moves.length} pods have left`}`),
    h('div', {class: 'panel'}, evictions(run)),
    h('h2', {}, 'Log'),
    h('div', {class: 'panel'}, log(run)),
  ];
}

function actions(run: Run, context: Context, said: HTMLElement, view: View): HTMLElement {
  const over = ended.has(run.phase);
  const abort = h(
    'button',
    {class: 'danger', disabled: over || run.phase === 'Aborting' || !context.session.rights.abort, click: () => void confirmed()},
    'Abort …',
  );
  async function confirmed(): Promise<void> {
    const sure = await ask({
      title: `Abort run ${run.name}?`,
      yes: 'Abort and roll back',
      danger: true,
      body: [h('p', {}, 'No pod is evicted any more. Nodes are made schedulable again, and everything that this run put on them is removed. Pods that have moved stay where they are.')],
    });
    if (sure === null) return;
    try {
      await api.abort(run.name);
    } catch (problem) {
      said.replaceChildren(failure(problem));
    }
    await view.refresh();
  }
  return h(
    'div',
    {class: 'actions'},
    !over && abort,
    h('button', {click: () => context.go(`audit/${run.name}`)}, 'Audit'),
    h('a', {class: 'button', href: `/api/v1/runs/${encodeURIComponent(run.name)}/export`, download: `${run.name}.json`}, 'Export'),
  );
}

function timeline(run: Run): HTMLElement {
  const reached = new Map(run.phases.map((entry) => [entry.phase, entry]));
  const shown = order.filter((phase) => reached.has(phase) || (!ended.has(run.phase) && run.phase !== 'Aborting' && !['Launching', 'Escalated'].includes(phase)));
  for (const phase of ['Aborting', 'RolledBack']) if (reached.has(phase)) shown.push(phase);
  const list = h('ol', {class: 'timeline'});
  for (const phase of shown) {
    const entry = reached.get(phase);
    const next = entry && run.phases[run.phases.indexOf(entry) + 1];
    const took = entry ? span((next ? Date.parse(next.at) : ended.has(phase) ? Date.parse(entry.at) : present()) - Date.parse(entry.at)) : '';
    list.append(
      h(
        'li',
        {class: !entry ? 'ahead' : phase === 'RolledBack' || phase === 'Aborting' ? 'ended-badly' : phase === run.phase && phase !== 'Succeeded' ? 'now' : 'done', 'aria-current': phase === run.phase ? 'step' : null},
        h('b', {}, spaced(phase)),
        h('span', {}, entry ? `${clock(entry.at)}${ended.has(phase) ? '' : `, ${took}`}` : ''),
        entry?.reason ? h('small', {}, spaced(entry.reason)) : null,
      ),
    );
  }
  return list;
}

function guards(run: Run): Node[] {
  const nodes: Node[] = [h('h2', {}, 'Guards')];
  if (run.guards.tripped !== '') nodes.push(notice('error', 'A guard stopped this run', run.guards.tripped));
  if (run.guards.lateTrip !== '')
    nodes.push(notice('warning', 'A guard tripped after the nodes were gone', run.guards.lateTrip, 'Automatic runs are held back until somebody has looked at it.'));
  const plots = h('div', {class: 'plots'});
  if (!run.guards.pressure) nodes.push(notice('info', 'Decided on requests alone', 'The pressure guards are off; all others hold.'));
  else
    for (const resource of ['cpu', 'memory', 'io'] as const) {
      const limit = run.guards.thresholds[resource];
      plots.append(
        plot(pressureLines(run.guards.samples, resource), {
          title: `Pressure of protected pods: ${resource}`,
          format: share,
          height: 130,
          threshold: {value: limit, label: `stops at ${share(limit)}`},
        }),
      );
    }
  if (run.application) {
    const signal = run.application;
    plots.append(
      h(
        'div',
        {class: 'application'},
        plot([{label: signal.label, tone: 'four', points: signal.samples.map((p) => ({at: Date.parse(p.at), value: p.value}))}], {
          title: "The application's own signal",
          format: (value) => String(Number(value.toPrecision(3))),
          height: 130,
          threshold: {value: signal.limit, label: `stops at ${signal.limit}`},
        }),
      ),
    );
  }
  if (plots.childElementCount > 0) nodes.push(h('div', {class: 'panel'}, plots));
  if (run.pending.length > 0)
    nodes.push(notice('warning', count(run.pending.length, 'replacement pod is', 'replacement pods are') + ' without a node', ...run.pending.map((p) => `${p.pod} since ${clock(p.since)}`)));
  return nodes;
}

function pressureLines(samples: PressureSample[], resource: 'cpu' | 'memory' | 'io'): Line[] {
  const tones = ['one', 'two', 'three', 'four'] as const;
  const bySurvivor = new Map<string, Line>();
  for (const sample of samples) {
    let line = bySurvivor.get(sample.survivor);
    if (!line) {
      line = {label: sample.survivor, tone: tones[bySurvivor.size % tones.length]!, points: []};
      bySurvivor.set(sample.survivor, line);
    }
    line.points.push({at: Date.parse(sample.at), value: sample[resource]});
  }
  // Of many survivors those with the highest pressure are drawn.
  const peak = (line: Line) => Math.max(0, ...line.points.map((point) => point.value ?? 0));
  return [...bySurvivor.values()].sort((a, b) => peak(b) - peak(a)).slice(0, 4);
}

function evictions(run: Run): HTMLElement {
  if (run.moves.length === 0) return h('p', {class: 'quiet'}, 'No pod has to move.');
  const list = h('ol', {class: 'moves'});
  for (const move of [...run.moves].sort((a, b) => tiers.indexOf(b.tier) - tiers.indexOf(a.tier))) {
    const [state, text] = move.replaced
      ? ['done', `replaced ${clock(move.replaced)}`]
      : move.left
        ? ['now', `left ${clock(move.left)}, its replacement is awaited`]
        : move.blocked !== ''
          ? ['stuck', move.blocked]
          : move.asked
            ? ['now', `asked to leave ${clock(move.asked)}`]
            : ['ahead', 'waits'];
    list.append(
      h(
        'li',
        {class: state},
        h('span', {class: `tier tier-${move.tier.toLowerCase()}`}, move.tier),
        h('span', {}, `${move.namespace}/${move.name}`),
        h('span', {class: 'quiet'}, `${move.from} → ${move.to}`),
        h('span', {class: 'state'}, text!),
      ),
    );
  }
  return list;
}

function outcome(run: Run): Node[] {
  if (!run.achieved) return [];
  return [
    h('h2', {}, 'Predicted and achieved'),
    h(
      'table',
      {class: 'plain panel'},
      h('tr', {}, h('th', {}, ''), h('th', {}, 'predicted'), h('th', {}, 'achieved')),
      h('tr', {}, h('td', {}, 'nodes'), h('td', {}, run.predicted.nodes), h('td', {}, run.achieved.nodes)),
      h(
        'tr',
        {},
        h('td', {}, 'savings'),
        h('td', {}, `${hourly(run.predicted.hourlySavings)} (${monthly(run.predicted.hourlySavings)})`),
        h('td', {}, `${hourly(run.achieved.hourlySavings)} (${monthly(run.achieved.hourlySavings)})`),
      ),
    ),
  ];
}

function log(run: Run): HTMLElement {
  const list = h('ol', {class: 'log', tabindex: 0, 'aria-label': 'Log'});
  for (const line of run.log) list.append(h('li', {}, h('time', {datetime: line.at}, clock(line.at)), ` ${line.text}`));
  return list;
}
