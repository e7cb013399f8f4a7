// The policy as it is, and a what-if: other thresholds, computed by the server on a copy. Nothing is changed from here.
import {api} from '../api';
import type {Policy, WhatIf} from '../api';
import {h, replace} from '../dom';
import type {Context, View} from '../page';
import {Place, failure, notice} from '../page';
import {count, hourly, monthly, spaced} from '../words';

export function settingsView(_context: Context): View {
  const place = new Place();
  const tried = whatIf();
  return {
    title: 'Settings',
    element: h('div', {}, tried, place.element),
    topics: ['overview'],
    refresh: () => place.load(api.policy, show),
  };
}

function show(policy: Policy): Node[] {
  return [
    h('h2', {}, 'In force'),
    h(
      'table',
      {class: 'plain'},
      h('tr', {}, h('th', {}, 'setting'), h('th', {}, 'value'), h('th', {}, 'set by')),
      ...policy.effective.map((entry) => h('tr', {}, h('td', {}, entry.setting), h('td', {}, entry.value), h('td', {}, spaced(entry.source)))),
    ),
    h('h2', {}, `TemperPolicy ${policy.name}`),
    h('pre', {tabindex: 0}, policy.yaml),
  ];
}

function number(name: keyof WhatIf, label: string, most: number, step: number, start: number): HTMLElement {
  const out = h('output', {}, String(start));
  const input = h('input', {type: 'range', name, min: 0, max: most, step, value: start, id: `if-${name}`});
  input.addEventListener('input', () => (out.textContent = input.value));
  return h('div', {class: 'slide'}, h('label', {for: `if-${name}`}, label), input, out);
}

function whatIf(): HTMLElement {
  const answer = h('div', {'aria-live': 'polite'});
  let latest = 0;
  const form = h(
    'form',
    {
      class: 'what-if',
      submit: (event) => event.preventDefault(),
    },
    h('h2', {}, 'What if?'),
    number('consolidationSavingsThreshold', 'Savings threshold ($/h per unit of disruption cost)', 0.1, 0.001, 0.01),
    number('utilizationThreshold', 'Utilization threshold', 1, 0.05, 0.75),
    answer,
  );
  async function compute(): Promise<void> {
    const mine = ++latest;
    const data = new FormData(form);
    const change: WhatIf = {
      consolidationSavingsThreshold: Number(data.get('consolidationSavingsThreshold')),
      utilizationThreshold: Number(data.get('utilizationThreshold')),
    };
    try {
      const result = await api.whatIf(change);
      if (mine !== latest) return;
      replace(
        answer,
        notice(
          'info',
          `The plan would save ${hourly(result.after.hourlySavings)} (${monthly(result.after.hourlySavings)})`,
          `${count(result.after.victims, 'node')} would go, ${count(result.after.moves, 'pod')} would move; as it is, ${hourly(result.before.hourlySavings)}, ${count(result.before.victims, 'node')} and ${count(result.before.moves, 'pod')}.`,
          result.after.nodes.join(', '),
        ),
        h('p', {}, 'To have it so:'),
        h('pre', {tabindex: 0}, result.yaml),
      );
    } catch (problem) {
      if (mine === latest) replace(answer, failure(problem));
    }
  }
  let timer = 0;
  form.addEventListener('input', () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void compute(), 250);
  });
  return form;
}
