// Runs that were, who approved them, and the audit chain of each.
import {api} from '../api';
import type {RunSummary} from '../api';
import {h} from '../dom';
import type {Context, View} from '../page';
import {Place, notice} from '../page';
import {Table} from '../table';
import {hourly, moment, spaced} from '../words';

export function historyView(context: Context): View {
  const place = new Place();
  const table = new Table<RunSummary>(
    'Runs',
    [
      {title: 'Approved', width: '11rem', text: (run) => moment(run.approvedAt), order: (run) => -Date.parse(run.approvedAt)},
      {title: 'Run', width: 'minmax(8rem, 1fr)', text: (run) => run.name},
      {title: 'By', width: 'minmax(8rem, 1fr)', text: (run) => run.approvedBy},
      {title: 'End', width: 'minmax(10rem, 1fr)', text: (run) => `${spaced(run.phase)}${run.reason === '' ? '' : `: ${spaced(run.reason)}`}`},
      {title: 'Nodes', width: 'minmax(8rem, 1fr)', text: (run) => run.victims.join(', ')},
      {title: 'Evictions', width: '6rem', right: true, text: (run) => String(run.evictions), order: (run) => run.evictions},
      {title: 'Savings', width: '7rem', right: true, text: (run) => hourly(run.hourlySavings), order: (run) => run.hourlySavings},
    ],
    (run) => context.go(`run/${run.name}`),
  );
  return {
    title: 'History',
    element: place.element,
    topics: ['runs'],
    refresh: () =>
      place.load(api.runs, ({runs}) => {
        queueMicrotask(() => table.show(runs));
        return [runs.length === 0 ? notice('info', 'No runs yet', 'An approved plan becomes a run; it will be listed here with who approved it.') : table.element];
      }),
  };
}

export function auditView(name: string, _context: Context): View {
  const place = new Place();
  return {
    title: `Audit of ${name}`,
    element: place.element,
    topics: ['runs'],
    refresh: () =>
      place.load(
        () => api.audit(name),
        (audit) => [
          audit.valid
            ? notice('good', 'The chain holds', 'Every record carries the hash of the one before it; none was changed, removed or put in.')
            : notice('error', 'The chain is broken', audit.problem),
          h(
            'table',
            {class: 'plain'},
            h('tr', {}, h('th', {}, 'when'), h('th', {}, 'who'), h('th', {}, 'what'), h('th', {}, 'hash')),
            ...audit.records.map((record) =>
              h('tr', {}, h('td', {}, moment(record.at)), h('td', {}, record.actor), h('td', {}, record.what), h('td', {}, h('code', {}, record.hash.slice(0, 12)))),
            ),
          ),
        ],
      ),
  };
}
