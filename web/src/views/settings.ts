// The policy as it is, and a what-if: other thresholds, computed by the server on a copy. Nothing is changed from here.
import {api} from '../api';
import type {Decided, Policy, WhatIf, WhatIfAnswer} from '../api';
import {h, replace} from '../dom';
import type {Context, View} from '../page';
import {Place, failure} from '../page';
import {count, hourly, monthly, share, spaced} from '../words';

export function settingsView(_context: Context): View {
  const place = new Place();
  const tried = h('div');
  let begun = false;
  return {
    title: 'Settings',
    element: h('div', {}, tried, place.element),
    topics: ['overview'],
    refresh: () =>
      place.load(api.policy, (policy) => {
        // Where the sliders stand is the person's own from then on.
        if (!begun) replace(tried, whatIf(policy.whatIf));
        begun = true;
        return show(policy);
      }),
  };
}

function show(policy: Policy): Node[] {
  return [
    h('h2', {}, 'In force'),
    h(
      'table',
      {class: 'plain panel'},
      h('tr', {}, h('th', {}, 'Setting'), h('th', {}, 'Value'), h('th', {}, 'Set by')),
      ...policy.effective.map((entry) => h('tr', {}, h('td', {}, h('code', {}, entry.setting)), h('td', {}, entry.value), h('td', {}, spaced(entry.source)))),
    ),
    policy.yaml === ''
      ? h('p', {class: 'quiet'}, 'There is no TemperPolicy: everything is as built in, and Tamp only observes.')
      : h('details', {}, h('summary', {}, `TemperPolicy ${policy.name} as the cluster has it`), h('pre', {tabindex: 0}, policy.yaml)),
  ];
}

// ---- what if?

type Name = keyof WhatIf;

interface Control {
  name: Name;
  element: HTMLElement;
  value: () => WhatIf[Name];
  reset: () => void;
}

const afters = ['0s', '30s', '1m', '5m', '15m', '30m', '1h', '6h', '24h', 'Never'];
const lifetimes = ['0s', '1m', '5m', '10m', '30m', '1h', '6h', '24h'];

function row(name: Name, label: string, input: HTMLElement, out: HTMLElement): HTMLElement {
  return h('div', {class: 'slide'}, h('label', {for: `if-${name}`}, label), input, out);
}

function slider(name: Name, label: string, start: number, most: number, step: number, words: (value: number) => string): Control {
  const out = h('output', {for: `if-${name}`}, words(start));
  const input = h('input', {type: 'range', name, min: 0, max: Math.max(most, start), step, id: `if-${name}`});
  input.value = String(start);
  const tell = () => {
    out.textContent = words(Number(input.value));
    input.setAttribute('aria-valuetext', words(Number(input.value)));
  };
  tell();
  input.addEventListener('input', tell);
  const untouched = input.value; // as the slider rounds it
  return {
    name,
    element: row(name, label, input, out),
    value: () => (input.value === untouched ? start : Number(input.value)),
    reset: () => {
      input.value = untouched;
      tell();
    },
  };
}

function choice(name: Name, label: string, start: string, values: string[], words: (value: string) => string = (value) => value): Control {
  const select = h('select', {id: `if-${name}`, name});
  for (const value of values.includes(start) ? values : [start, ...values]) select.append(h('option', {value, selected: value === start}, words(value)));
  return {name, element: row(name, label, select, h('span')), value: () => select.value, reset: () => (select.value = start)};
}

function tick(name: Name, label: string, start: boolean): Control {
  const input = h('input', {type: 'checkbox', id: `if-${name}`, name, checked: start});
  return {name, element: row(name, label, input, h('span')), value: () => input.checked, reset: () => (input.checked = start)};
}

function whatIf(present: Required<WhatIf>): HTMLElement {
  const part = (value: number) => share(value);
  const groups: [string, string, Control[]][] = [
    [
      'Which nodes may go',
      '',
      [
        choice('consolidationPolicy', 'Consolidation policy', present.consolidationPolicy, ['WhenEmptyOrUnderutilized', 'WhenEmpty', 'Balanced'], spaced),
        slider('utilizationThreshold', 'Nodes of which more is requested stay', present.utilizationThreshold, 1, 0.05, part),
        slider('consolidationSavingsThreshold', 'Savings a move must bring, $/h per unit of disruption', present.consolidationSavingsThreshold, 0.1, 0.001, (v) => `$${v.toFixed(3)}`),
        choice('consolidateAfter', 'Wait after the last pod event', present.consolidateAfter, afters),
        choice('consolidationGracePeriod', 'Leave alone after any pod event', present.consolidationGracePeriod, afters),
        choice('minNodeLifetime', 'Youngest node that may go', present.minNodeLifetime, lifetimes),
      ],
    ],
    [
      'Limits',
      '',
      [
        slider('minNodes', 'The cluster never gets smaller than', present.minNodes, 50, 1, (v) => count(v, 'node')),
        tick('protectSingleReplica', 'Keep nodes with the only replica of a controller', present.protectSingleReplica),
        tick('allowUnownedPods', 'Pods without a controller may be evicted', present.allowUnownedPods),
      ],
    ],
    [
      'Proof',
      'What planner SLO measures a plan against; without effect for planner Requests.',
      [
        slider('cpuHeadroom', 'Highest predicted cpu of a survivor', present.cpuHeadroom, 1, 0.05, part),
        slider('memoryHeadroom', 'Highest predicted memory of a survivor', present.memoryHeadroom, 1, 0.05, part),
        slider('cpuPressure', 'Highest cpu pressure of a protected pod', present.cpuPressure, 1, 0.01, part),
        slider('memoryPressure', 'Highest memory pressure', present.memoryPressure, 1, 0.01, part),
        slider('ioPressure', 'Highest I/O pressure', present.ioPressure, 1, 0.01, part),
      ],
    ],
  ];
  const controls = groups.flatMap(([, , list]) => list);
  const answer = h('div', {class: 'answer', 'aria-live': 'polite'}, h('p', {class: 'quiet'}, 'Move something: the server computes on a copy what the plan would be. Nothing is changed.'));
  const reset = h('button', {type: 'button', click: () => (controls.forEach((control) => control.reset()), void compute())}, 'As it is');
  const form = h(
    'form',
    {class: 'what-if', submit: (event) => event.preventDefault()},
    h('h2', {}, 'What if?'),
    h(
      'div',
      {class: 'tried'},
      h(
        'div',
        {},
        ...groups.map(([title, note, list]) =>
          h('fieldset', {}, h('legend', {}, title), note !== '' && h('p', {class: 'quiet'}, note), ...list.map((control) => control.element)),
        ),
      ),
      h('div', {class: 'outcome'}, answer, reset),
    ),
  );

  let latest = 0;
  async function compute(): Promise<void> {
    const mine = ++latest;
    const moved = controls.filter((control) => control.value() !== present[control.name]);
    answer.classList.add('waits');
    try {
      const result = await api.whatIf(Object.fromEntries(moved.map((control) => [control.name, control.value()])));
      if (mine === latest) replace(answer, ...compared(result, moved.length > 0));
    } catch (problem) {
      if (mine === latest) replace(answer, failure(problem));
    }
    if (mine === latest) answer.classList.remove('waits');
  }
  let timer = 0;
  form.addEventListener('input', () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void compute(), 250);
  });
  return form;
}

function compared(result: WhatIfAnswer, moved: boolean): Node[] {
  const line = (what: string, words: (decided: Decided) => Node | string) =>
    h('tr', {}, h('th', {scope: 'row'}, what), h('td', {}, words(result.before)), h('td', {}, words(result.after)));
  return [
    h(
      'table',
      {class: 'plain'},
      h('tr', {}, h('td', {}), h('th', {scope: 'col'}, 'As it is'), h('th', {scope: 'col'}, 'Then')),
      line('The plan removes', ({plan}) => (plan ? plan.victims.join(', ') : 'nothing')),
      line('and moves', ({plan}) => (plan ? count(plan.moves, 'pod') : 'nothing')),
      line('and saves', ({plan}) => (plan ? `${hourly(plan.hourlySavings)} (${monthly(plan.hourlySavings)})` : 'nothing')),
      line('One after the other could go', ({victims}) => count(victims, 'node')),
      line('which would save', (decided) => (decided.victims > 0 ? `${hourly(decided.hourlySavings)} (${monthly(decided.hourlySavings)})` : 'nothing')),
    ),
    ...(result.after.refused === '' ? [] : [h('p', {class: 'quiet'}, `Why no plan: ${result.after.refused}`)]),
    ...(moved ? [h('p', {}, 'To have it so:'), h('pre', {tabindex: 0}, result.yaml)] : []),
  ];
}
