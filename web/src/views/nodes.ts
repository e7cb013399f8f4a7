// Every node with its verdict and reason; sortable, filterable, and with what each reason pins in dollars.
import {api} from '../api';
import type {NodeColumns} from '../api';
import {announce, h, replace} from '../dom';
import type {Context, View} from '../page';
import {Place} from '../page';
import {Table} from '../table';
import {count, hourly, natural, share, spaced} from '../words';

interface Row {
  name: string;
  pool: string;
  type: string;
  price: number | null;
  state: string;
  verdict: string;
  reason: string;
  requested: number;
  used: number | null;
  pods: number;
}

function rowsOf(nodes: NodeColumns): Row[] {
  return nodes.names.map((name, n) => ({
    name,
    pool: nodes.pools[nodes.pool[n]!] ?? '',
    type: `${nodes.types[nodes.type[n]!] ?? ''}${nodes.spot[n] ? ' (spot)' : ''}`,
    price: nodes.price[n] ?? null,
    state: nodes.state[n]!,
    verdict: nodes.verdict[n]!,
    reason: nodes.reasons[nodes.reason[n]!] ?? '',
    requested: nodes.cpuRequested[n]! / Math.max(0.001, nodes.cpu[n]!),
    used: nodes.cpuUsed[n] === null || nodes.cpuUsed[n] === undefined ? null : nodes.cpuUsed[n]! / Math.max(0.001, nodes.cpu[n]!),
    pods: (nodes.pods[n] ?? []).reduce((sum, k) => sum + k, 0),
  }));
}

export function nodesView(query: URLSearchParams, context: Context): View {
  const place = new Place();
  const table = new Table<Row>(
    'Nodes',
    [
      {title: 'Node', width: 'minmax(12rem, 2fr)', text: (row) => row.name, order: (row) => natural(row.name)},
      {title: 'Pool', width: 'minmax(6rem, 1fr)', text: (row) => row.pool},
      {title: 'Type', width: 'minmax(8rem, 1fr)', text: (row) => row.type},
      {title: 'Price', width: '7rem', right: true, text: (row) => (row.price === null ? 'unknown' : hourly(row.price)), order: (row) => row.price ?? -1},
      {title: 'Requested', width: '7rem', right: true, text: (row) => share(row.requested), order: (row) => row.requested},
      {title: 'Used', width: '6rem', right: true, text: (row) => (row.used === null ? '–' : share(row.used)), order: (row) => row.used ?? -1},
      {title: 'Pods', width: '5rem', right: true, text: (row) => String(row.pods), order: (row) => row.pods},
      {
        title: 'Verdict',
        width: 'minmax(10rem, 2fr)',
        text: (row) => (row.verdict === 'command' ? 'in the plan' : row.verdict === 'eligible' ? 'could go' : spaced(row.reason)),
      },
    ],
    (row) => context.go(`node/${row.name}`),
  );
  const filter = h('input', {type: 'search', placeholder: 'Name, pool, type or reason', 'aria-label': 'Filter', value: query.get('q') ?? ''});
  const pinned = h('ul', {class: 'pinned'});
  let reason = query.get('reason') ?? '';
  let rows: Row[] = [];

  function apply(): void {
    const text = filter.value.toLowerCase();
    const shown = rows.filter(
      (row) => (reason === '' || row.reason === reason) && (text === '' || `${row.name} ${row.pool} ${row.type} ${row.reason}`.toLowerCase().includes(text)),
    );
    table.show(shown);
    announce(count(shown.length, 'node'));
  }

  function reasons(): void {
    const groups = new Map<string, {nodes: number; dollars: number}>();
    for (const row of rows) {
      if (row.verdict !== 'blocked') continue;
      const group = groups.get(row.reason) ?? {nodes: 0, dollars: 0};
      ++group.nodes;
      group.dollars += row.price ?? 0;
      groups.set(row.reason, group);
    }
    replace(
      pinned,
      ...[...groups]
        .sort((a, b) => b[1].dollars - a[1].dollars || (a[0] < b[0] ? -1 : 1))
        .map(([word, group]) =>
          h(
            'li',
            {},
            h(
              'button',
              {
                'aria-pressed': String(reason === word),
                click: () => {
                  reason = reason === word ? '' : word;
                  reasons();
                  apply();
                },
              },
              `${spaced(word)}: ${count(group.nodes, 'node')}, ${hourly(group.dollars)}`,
            ),
          ),
        ),
    );
  }

  filter.addEventListener('input', apply);
  return {
    title: 'Nodes',
    element: h('div', {}, h('div', {class: 'filters'}, filter, pinned), place.element),
    topics: ['nodes'],
    refresh: () =>
      place.load(api.nodes, (nodes) => {
        rows = rowsOf(nodes);
        reasons();
        queueMicrotask(apply);
        return [table.element];
      }),
  };
}
