// What the cluster costs, what could be saved, what has been, and the fleet.
import {api} from '../api';
import type {Overview} from '../api';
import {h, replace} from '../dom';
import {Fleet} from '../fleet';
import type {Context, View} from '../page';
import {Place, notice} from '../page';
import {plot} from '../plot';
import {count, hourly, monthly, spaced, until} from '../words';

export function overviewView(context: Context): View {
  const figures = new Place();
  const fleet = new Fleet((node) => context.go(`node/${node}`));
  const picture = new Place();
  const below = h('div'); // of the same answer as the figures
  return {
    title: 'Overview',
    element: h('div', {}, figures.element, h('h2', {}, 'Fleet'), picture.element, below),
    topics: ['overview', 'nodes', 'plan', 'runs'],
    refresh: async () => {
      await Promise.all([
        figures.load(api.overview, (overview) => {
          replace(below, ...history(overview), blocked(overview, context));
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
      figure('Cost', hourly(overview.hourlyCost), monthly(overview.hourlyCost)),
      figure('Identified savings', hourly(overview.identifiedHourly), monthly(overview.identifiedHourly), 'planned, not yet done'),
      figure('Realized savings', hourly(overview.realizedHourly), monthly(overview.realizedHourly), 'of nodes that are gone'),
      figure('Cluster', count(overview.cluster.nodes, 'node'), count(overview.cluster.pods, 'pod')),
    ),
    ...states(overview),
    next(overview, context),
  ];
}

function history(overview: Overview): Node[] {
  const points = overview.history.map((point) => ({...point, at: Date.parse(point.at)}));
  return [
    h('h2', {}, 'Cost and savings'),
    plot(
      [
        {label: 'cost', tone: 'one', points: points.map((p) => ({at: p.at, value: p.cost}))},
        {label: 'identified', tone: 'two', points: points.map((p) => ({at: p.at, value: p.identified}))},
        {label: 'realized', tone: 'three', points: points.map((p) => ({at: p.at, value: p.realized}))},
      ],
      {title: 'Dollars per hour', format: (value) => `$${value.toFixed(2)}`},
    ),
  ];
}

function figure(label: string, value: string, second: string, note = ''): HTMLElement {
  return h('div', {class: 'figure'}, h('span', {class: 'label'}, label), h('b', {}, value), h('span', {}, second), note !== '' && h('small', {}, note));
}

function states(overview: Overview): HTMLElement[] {
  const notices: HTMLElement[] = [];
  if (overview.paused) notices.push(notice('warning', 'Paused', 'No run starts, and a run that is under way evicts nothing until it is resumed.'));
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
      `Run ${overview.run.name} is at work: ${spaced(overview.run.phase)}. `,
      h('button', {class: 'primary', click: () => context.go(`run/${overview.run!.name}`)}, 'Watch it'),
    );
  if (overview.plan)
    return h(
      'p',
      {class: 'next'},
      `A plan saves ${hourly(overview.plan.hourlySavings)} (${monthly(overview.plan.hourlySavings)}) by removing ${count(overview.plan.victims, 'node')} and moving ${count(overview.plan.moves, 'pod')}; it expires ${until(overview.plan.expiresAt)}. `,
      h('button', {class: 'primary', click: () => context.go('plan')}, 'Look at the plan'),
    );
  if (overview.withheld) return notice('info', spaced(overview.withheld.reason), overview.withheld.message);
  return notice('good', 'Nothing to do', 'No node could go now. Below is what keeps the others.');
}

function blocked(overview: Overview, context: Context): HTMLElement {
  if (overview.blocked.length === 0) return h('div');
  const list = h('ul', {class: 'blocked'});
  for (const entry of overview.blocked)
    list.append(
      h(
        'li',
        {},
        h('button', {class: 'link', click: () => context.go(`nodes?reason=${entry.reason}`)}, spaced(entry.reason)),
        h('span', {}, ` ${count(entry.nodes, 'node')}${entry.hourlyCost === null ? '' : `, ${hourly(entry.hourlyCost)}`}`),
        h('small', {}, entry.message),
      ),
    );
  return h('section', {}, h('h2', {}, 'What blocks further savings'), list);
}
