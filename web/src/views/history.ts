// Runs that were, who approved them, and the audit chains: of one run, and of all.
import {api} from '../api';
import type {AuditRecord, RunSummary} from '../api';
import {announce, h} from '../dom';
import type {Context, View} from '../page';
import {Place, notice} from '../page';
import {Table} from '../table';
import {count, hourly, moment, spaced} from '../words';

function tabs(here: 'runs' | 'audit'): HTMLElement {
  const tab = (place: string, text: string, current: boolean) => h('a', {href: `#/${place}`, 'aria-current': current ? 'page' : null}, text);
  return h('nav', {class: 'tabs', 'aria-label': 'History'}, tab('history', 'Runs', here === 'runs'), tab('audit', 'Audit of all runs', here === 'audit'));
}

const none = () => notice('info', 'No runs yet', 'An approved plan becomes a run; it will be listed here with who approved it.');

export function historyView(context: Context): View {
  const place = new Place();
  const table = new Table<RunSummary>(
    'Runs',
    [
      {title: 'Approved', width: '12.5rem', text: (run) => moment(run.approvedAt), order: (run) => -Date.parse(run.approvedAt)},
      {title: 'Run', width: 'minmax(10rem, 1fr)', text: (run) => run.name},
      {title: 'By', width: 'minmax(8rem, 1fr)', text: (run) => run.approvedBy},
      {title: 'End', width: 'minmax(10rem, 1fr)', text: (run) => `${spaced(run.phase)}${run.reason === '' ? '' : `: ${spaced(run.reason)}`}`},
      {title: 'Nodes', width: 'minmax(8rem, 1fr)', text: (run) => run.victims.join(', ')},
      {title: 'Evictions', width: '7rem', right: true, text: (run) => String(run.evictions), order: (run) => run.evictions},
      {title: 'Savings', width: '7rem', right: true, text: (run) => hourly(run.hourlySavings), order: (run) => run.hourlySavings},
    ],
    (run) => context.go(`run/${run.name}`),
  );
  return {
    title: 'History',
    element: h('div', {}, tabs('runs'), place.element),
    topics: ['runs'],
    refresh: () =>
      place.load(api.runs, ({runs}) => {
        queueMicrotask(() => table.show(runs));
        return [runs.length === 0 ? none() : table.element];
      }),
  };
}

const recordColumns = [
  {title: 'When', width: '12.5rem', text: (record: AuditRecord) => moment(record.at), order: (record: AuditRecord) => record.at},
  {title: 'Who', width: 'minmax(8rem, 1fr)', text: (record: AuditRecord) => record.actor},
  {title: 'What', width: 'minmax(14rem, 3fr)', text: (record: AuditRecord) => record.what},
];
const hashColumn = {title: 'Hash', width: '9rem', text: (record: AuditRecord) => record.hash.slice(0, 12)};

const kept = 'Every record carries the hash of the one before it; none was changed, removed or put in.';

export function auditView(name: string, context: Context): View {
  const place = new Place();
  const table = new Table<AuditRecord>('Records', [...recordColumns, hashColumn], undefined, null);
  return {
    title: `Audit of ${name}`,
    element: place.element,
    topics: ['runs'],
    refresh: () =>
      place.load(
        () => api.audit(name),
        (audit) => {
          queueMicrotask(() => table.show(audit.records));
          return [
            audit.valid ? notice('good', 'The chain holds', kept) : notice('error', 'The chain is broken', audit.problem),
            h('div', {class: 'actions'}, h('button', {click: () => context.go(`run/${name}`)}, 'The run')),
            table.element,
          ];
        },
      ),
  };
}

export function auditTrailView(context: Context): View {
  const place = new Place();
  const table = new Table<AuditRecord & {run: string}>(
    'Records of all runs',
    [...recordColumns, {title: 'Run', width: 'minmax(10rem, 1fr)', text: (record) => record.run}, hashColumn],
    (record) => context.go(`audit/${record.run}`),
    null,
  );
  const filter = h('input', {type: 'search', placeholder: 'Who, what or run', 'aria-label': 'Filter'});
  let records: (AuditRecord & {run: string})[] = [];
  const apply = () => {
    const text = filter.value.toLowerCase();
    const shown = records.filter((record) => `${record.actor} ${record.what} ${record.run}`.toLowerCase().includes(text));
    table.show(shown);
    announce(count(shown.length, 'record'));
  };
  filter.addEventListener('input', apply);
  return {
    title: 'Audit',
    element: h('div', {}, tabs('audit'), place.element),
    topics: ['runs'],
    refresh: () =>
      place.load(api.auditTrail, (trail) => {
        if (trail.chains.length === 0) return [none()];
        records = trail.records;
        queueMicrotask(apply);
        const broken = trail.chains.filter((chain) => !chain.valid);
        return [
          broken.length === 0
            ? notice('good', `${count(trail.chains.length, 'chain')} verified just now: all hold`, kept)
            : notice('error', `${count(broken.length, 'chain is', 'chains are')} broken`, ...broken.map((chain) => `${chain.run}: ${chain.problem}`)),
          ...(trail.complete ? [] : [notice('info', 'The newest runs only', `Older ones: open them under Runs.`)]),
          h('div', {class: 'filters'}, filter, h('a', {class: 'button', href: '/api/v1/audit', download: 'tamp-audit.json'}, 'Download')),
          table.element,
        ];
      }),
  };
}
