// What the cluster costs, what could be saved, what has been, and the fleet.
import {api} from '../api';
import type {Overview} from '../api';
import {h, replace, styled} from '../dom';
import {Fleet} from '../fleet';
import type {Context, View} from '../page';
import {Place, notice} from '../page';
import {plot} from '../plot';
import {ago, count, hourly, moment, monthly, spaced, until} from '../words';

export function overviewView(context: Context): View {
  const figures = new Place();
  const fleet = new Fleet((node) => context.go(`node/${node}`));
  const picture = new Place();
  const below = h('div'); // of the same answer as the figures
  return {
    title: 'Overview',
    element: h('div', {}, figures.element, h('section', {class: 'panel fleet-panel'}, h('h2', {}, 'Fleet'), picture.element), below),
    topics: ['overview', 'nodes', 'plan', 'runs'],
    refresh: async () => {
      await Promise.all([
        figures.load(api.overview, (overview) => {
          replace(below, h('div', {class: 'pair'}, history(overview), blocked(overview, context)));
          return show(overview, context);
        }),
        picture.load(api.nodes, (nodes) => {
          fleet.show(nodes);
          return [nodes.names.length === 0 ? notice('info', 'No nodes', 'The cluster has no nodes yet.') : fleet.element];
        }),
      ]);
    },
  };
}

function show(overview: Overview, context: Context): Node[] {
  return [
    h(
      'div',
      {class: 'figures'},
      figure('Cost', hourly(overview.hourlyCost), monthly(overview.hourlyCost), 'as the cluster is'),
      figure('Identified savings', hourly(overview.identifiedHourly), monthly(overview.identifiedHourly), 'planned, not yet done', 'planned'),
      figure('Realized savings', hourly(overview.realizedHourly), monthly(overview.realizedHourly), 'of nodes that runs have removed', 'done'),
      figure(
        'Cluster',
        count(overview.cluster.nodes, 'node'),
        `${count(overview.cluster.pods, 'pod')}${overview.cluster.pending === 0 ? '' : `, ${overview.cluster.pending} pending`}`,
        overview.planner === 'SLO' ? `${overview.agents.answering} of ${overview.agents.nodes} measured` : 'decided on requests alone',
      ),
    ),
    ...states(overview),
    next(overview, context),
  ];
}

// Cost and what was identified are remembered by the leader alone; what was realized is known from the runs.
function history(overview: Overview): HTMLElement {
  const points = overview.history.map((point) => ({...point, at: Date.parse(point.at)}));
  const now = Date.parse(overview.decidedAt);
  const realized: {at: number; value: number | null}[] = [];
  let total = 0;
  for (const step of overview.realized) {
    const at = Date.parse(step.at);
    realized.push({at, value: total}, {at, value: step.hourly});
    total = step.hourly;
  }
  const from = points[0]?.at ?? now;
  if (realized.length === 0 || realized[0]!.at > from) realized.unshift({at: from, value: 0});
  realized.push({at: now, value: total});
  // What one pass saw holds until the next.
  const last = points[points.length - 1];
  if (last && last.at < now) points.push({...last, at: now});
  return h(
    'section',
    {class: 'panel'},
    h('h2', {}, 'Cost and savings'),
    plot(
      [
        {label: 'cost', tone: 'one', steps: true, points: points.map((p) => ({at: p.at, value: p.cost}))},
        {label: 'identified', tone: 'two', steps: true, points: points.map((p) => ({at: p.at, value: p.identified}))},
        {label: 'realized', tone: 'three', steps: true, points: realized},
      ],
      {title: 'Dollars per hour', format: (value) => `$${value.toFixed(2)}`},
    ),
    overview.history.length > 0 &&
      h(
        'p',
        {},
        h(
          'small',
          {},
          `Cost and identified savings since ${moment(overview.history[0]!.at)}: they are in the leader's memory, and a new leader begins anew. ` +
            (overview.realized.length === 0 ? 'No run has realized savings yet.' : `Realized savings are those of ${count(overview.realized.length, 'run')} in the cluster.`),
        ),
      ),
  );
}

function figure(label: string, value: string, second: string, note = '', kind = ''): HTMLElement {
  return h('div', {class: `figure ${kind}`}, h('span', {class: 'label'}, label), h('b', {}, value), h('span', {}, second), note !== '' && h('small', {}, note));
}

function states(overview: Overview): HTMLElement[] {
  const notices: HTMLElement[] = [];
  if (overview.mode === 'Observe')
    notices.push(notice('info', 'Observing', 'Tamp shows what it would do. To let it act, set mode: Act in the TemperPolicy.'));
  if (overview.planner === 'SLO' && overview.agents.answering === 0)
    notices.push(
      notice('warning', 'No measurements', 'No node agent answers, so no plan can be proven. Install the agent, or choose planner: Requests to decide on requests alone.'),
    );
  else if (overview.planner === 'SLO' && overview.agents.answering < overview.agents.nodes)
    notices.push(
      notice('info', 'Some nodes are not measured', `${overview.agents.answering} of ${overview.agents.nodes} agents answer. Nodes without measurements take no part in plans.`),
    );
  return notices;
}

function next(overview: Overview, context: Context): HTMLElement {
  if (overview.run)
    return h(
      'p',
      {class: 'next'},
      h('span', {}, 'Run ', h('b', {}, overview.run.name), ` is at work: ${spaced(overview.run.phase).toLowerCase()}, begun ${ago(overview.run.since)}.`),
      h('button', {class: 'primary', click: () => context.go(`run/${overview.run!.name}`)}, 'Watch it'),
    );
  if (overview.plan)
    return h(
      'p',
      {class: 'next'},
      h(
        'span',
        {},
        'A plan saves ',
        h('b', {}, monthly(overview.plan.hourlySavings)),
        ` by removing ${count(overview.plan.victims, 'node')} and moving ${count(overview.plan.moves, 'pod')}. It expires ${until(overview.plan.expiresAt)}.`,
      ),
      h('button', {class: 'primary', click: () => context.go('plan')}, 'Look at the plan'),
    );
  if (overview.withheld) return notice('info', spaced(overview.withheld.reason), overview.withheld.message);
  return notice('good', 'Nothing to do', 'No node could go now. Below is what keeps the others.');
}

function blocked(overview: Overview, context: Context): HTMLElement {
  if (overview.blocked.length === 0) return h('section', {class: 'panel'}, h('h2', {}, 'What blocks further savings'), h('p', {class: 'quiet'}, 'Nothing: every node could go.'));
  const dearest = Math.max(1e-9, ...overview.blocked.map((entry) => entry.hourlyCost ?? 0));
  const list = h('ul', {class: 'blocked'});
  for (const entry of overview.blocked)
    list.append(
      h(
        'li',
        {},
        h('button', {class: 'link', click: () => context.go(`nodes?reason=${entry.reason}`)}, spaced(entry.reason)),
        h('span', {}, `${entry.hourlyCost === null ? '' : `${monthly(entry.hourlyCost)} · `}${count(entry.nodes, 'node')}`),
        h('span', {class: 'track', role: 'presentation'}, styled(h('span', {class: 'pins'}), {width: `${((entry.hourlyCost ?? 0) / dearest) * 100}%`})),
        h('small', {}, `for example ${entry.message}`),
      ),
    );
  return h('section', {class: 'panel'}, h('h2', {}, 'What blocks further savings'), list);
}
