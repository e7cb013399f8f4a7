// The plan: who goes, who stays, why that is safe, and the button that approves exactly what is shown.
import {Refused, api} from '../api';
import type {Plan, PlanAnswer, PlanDifference} from '../api';
import {announce, h, styled} from '../dom';
import type {Context, View} from '../page';
import {Place, ask, failure, notice} from '../page';
import {bytes, cores, count, hourly, moment, monthly, share, spaced, until} from '../words';

export function planView(context: Context): View {
  const place = new Place();
  const said = h('div', {'aria-live': 'polite'});
  const view: View = {
    title: 'Plan',
    element: h('div', {}, said, place.element),
    topics: ['plan', 'runs'],
    refresh: () => place.load(api.plan, (answer) => show(answer, context, said, view)),
  };
  return view;
}

function show(answer: PlanAnswer, context: Context, said: HTMLElement, view: View): Node[] {
  const plan = answer.plan;
  if (!plan) return without(answer);
  return [
    h(
      'div',
      {class: 'headline'},
      h('p', {class: 'saving'}, `${hourly(plan.hourlySavings)} less, ${monthly(plan.hourlySavings)}`),
      h(
        'p',
        {},
        'Removes ',
        h('b', {}, plan.victims.join(', ')),
        plan.replacement && ` and launches one ${plan.replacement.instanceTypes[0]} in ${plan.replacement.nodePool} at ${hourly(plan.replacement.hourlyPrice)}`,
        `, moves ${count(plan.moves.length, 'pod')} to ${count(plan.survivors.length, 'survivor')}. `,
        verdict(plan),
      ),
      h('p', {class: 'quiet'}, `Made ${moment(plan.createdAt)}, expires ${until(plan.expiresAt)}. Hash `, h('code', {}, plan.hash)),
      plan.planner === 'Requests' &&
        notice('warning', 'Decided on requests alone', 'Nothing was measured: the pressure guards are off in a run of this plan.'),
      plan.dismissed && notice('info', 'Dismissed', `${plan.dismissed.by}, ${moment(plan.dismissed.at)}: ${plan.dismissed.reason}`),
      actions(plan, context, said, view),
    ),
    h('h2', {}, 'Survivors, now and after the move'),
    survivors(plan),
    h('h2', {}, `${count(plan.moves.length, 'pod')}, in the order in which they go`),
    h('div', {class: 'panel'}, moves(plan)),
    h('h2', {}, `${count(plan.checks.length, 'check')}`),
    h('div', {class: 'panel'}, checks(plan)),
    ...refusals(answer),
  ];
}

function verdict(plan: Plan): string {
  const failed = plan.checks.filter((check) => !check.passed).length;
  return failed === 0 ? `All ${plan.checks.length} checks pass.` : `${failed} of ${plan.checks.length} checks fail.`;
}

function without(answer: PlanAnswer): Node[] {
  const why = answer.withheld
    ? notice('info', spaced(answer.withheld.reason), answer.withheld.message)
    : notice('good', 'No plan', 'There is nothing that could be consolidated now.');
  return [why, ...refusals(answer)];
}

function refusals(answer: PlanAnswer): Node[] {
  if (answer.refusals.length === 0) return [];
  const list = h('ul');
  for (const refusal of answer.refusals)
    list.append(h('li', {}, h('b', {}, refusal.victims.join(', ')), ` ${refusal.checks.filter((c) => !c.passed).map((c) => c.message).join('; ')}`));
  return [h('h2', {}, 'Moves that were refused'), h('div', {class: 'panel'}, list)];
}

function actions(plan: Plan, context: Context, said: HTMLElement, view: View): HTMLElement {
  const may = context.session.rights;
  const approve = h('button', {class: 'primary', disabled: !may.approve || !plan.approvable, click: () => void confirmed()}, 'Approve …');
  const dismiss = h('button', {disabled: !may.pause, click: () => void dismissed()}, 'Dismiss …');

  async function confirmed(): Promise<void> {
    const why = await ask({
      title: 'Approve this plan?',
      yes: 'Approve',
      input: 'Why (is recorded)',
      body: [
        h(
          'ol',
          {},
          h('li', {}, 'The plan is held against the cluster once more. If anything has drifted, nothing is changed.'),
          plan.replacement && h('li', {}, 'The replacement is launched and waited for.'),
          h('li', {}, `${count(plan.survivors.length, 'survivor')} are kept from the autoscaler; ${plan.victims.join(', ')} takes no more pods.`),
          h('li', {}, `${count(plan.moves.length, 'pod')} are evicted, the least important first, within their disruption budgets, while guards watch.`),
          h('li', {}, 'The autoscaler removes the empty node. Any doubt before that rolls everything back.'),
        ),
        h('p', {class: 'quiet'}, 'Hash ', h('code', {}, plan.hash)),
      ],
    });
    if (why === null) return;
    try {
      const run = await api.approve(plan.hash, why);
      announce('Approved.');
      context.go(`run/${run.name}`);
    } catch (problem) {
      said.replaceChildren(problem instanceof Refused && problem.reason === 'StalePlan' ? stale(plan, problem) : failure(problem));
      await view.refresh();
    }
  }

  async function dismissed(): Promise<void> {
    const why = await ask({title: 'Dismiss this plan?', yes: 'Dismiss', input: 'Why (is recorded)', body: []});
    if (why === null) return;
    try {
      await api.dismiss(plan.hash, why);
    } catch (problem) {
      said.replaceChildren(failure(problem));
    }
    await view.refresh();
  }

  return h('div', {class: 'actions'}, dismiss, approve, !may.approve && h('small', {}, 'You may look, but not approve.'), may.approve && !plan.approvable && h('small', {}, 'A check fails: no run would begin.'));
}

// What was approved is not what is published any more: nothing happened; here is what differs.
function stale(was: Plan, refusal: Refused): HTMLElement {
  const now = (refusal.detail as PlanDifference | null)?.published;
  const lines: string[] = [];
  if (!now) lines.push('No plan is published any more.');
  else {
    const differ = (what: string, a: string, b: string) => a !== b && lines.push(`${what}: ${a}, now ${b}`);
    differ('Victims', was.victims.join(', '), now.victims.join(', '));
    differ('Savings', hourly(was.hourlySavings), hourly(now.hourlySavings));
    differ('Survivors', was.survivors.join(', '), now.survivors.join(', '));
    differ('Pods', String(was.moves.length), String(now.moves));
    differ('Hash', was.hash.slice(0, 12), now.hash.slice(0, 12));
  }
  return notice('warning', 'The plan has changed; nothing was approved', ...lines);
}

function checks(plan: Plan): HTMLElement {
  const list = h('ul', {class: 'checks'});
  for (const check of plan.checks)
    list.append(
      h(
        'li',
        {class: check.passed ? 'passed' : 'failed'},
        h('b', {}, `${check.passed ? '✓' : '✗'} ${check.name}`),
        h('span', {}, check.message),
      ),
    );
  return list;
}

function bar(label: string, before: number | null, after: number, whole: number, text: (value: number | null) => string): HTMLElement {
  const part = (value: number) => `${Math.min(100, (value / Math.max(whole, 1e-9)) * 100).toFixed(1)}%`;
  return h(
    'div',
    {class: 'bar', role: 'img', 'aria-label': `${label}: ${text(before)} now, ${text(after)} after, of ${text(whole)}`},
    h('span', {class: 'label'}, label),
    h(
      'span',
      {class: 'track'},
      styled(h('span', {class: 'after'}), {width: part(after)}),
      before !== null && styled(h('span', {class: 'before'}), {width: part(before)}),
    ),
    h('span', {class: 'value'}, `${before === null ? '' : `${text(before)} → `}${text(after)} of ${text(whole)} (${share(after / Math.max(whole, 1e-9))})`),
  );
}

function survivors(plan: Plan): HTMLElement {
  const list = h('div', {class: 'survivors'});
  for (const node of plan.predicted)
    list.append(
      h(
        'div',
        {class: 'survivor'},
        h('h3', {}, node.node),
        bar('cpu', node.cpuNow, node.cpu, node.cores, cores),
        bar('memory', node.memoryNow, node.memory, node.memoryBytes, bytes),
        h('p', {class: 'quiet'}, count(node.pods, 'pod')),
      ),
    );
  return list;
}

function moves(plan: Plan): HTMLElement {
  const list = h('ol', {class: 'moves'});
  for (const move of plan.moves)
    list.append(
      h(
        'li',
        {},
        h('span', {class: `tier tier-${move.tier.toLowerCase()}`}, move.tier),
        h('span', {}, `${move.namespace}/${move.name}`),
        h('span', {class: 'quiet'}, `${move.from} → ${move.to}`),
      ),
    );
  return list;
}
