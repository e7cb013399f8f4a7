// Why not this node? Every gate in order, with its numbers and where each setting came from.
import {api} from '../api';
import type {Explanation} from '../api';
import {h} from '../dom';
import type {Context, View} from '../page';
import {Place, notice} from '../page';
import {bytes, count, hourly, spaced} from '../words';

export function nodeView(name: string, _context: Context): View {
  const place = new Place();
  return {
    title: name,
    element: place.element,
    topics: ['nodes', 'plan'],
    refresh: () => place.load(() => api.node(name), show),
  };
}

function show(node: Explanation): Node[] {
  const verdict =
    node.verdict === 'blocked'
      ? notice('info', `Stays: ${spaced(node.reason)}`, node.message)
      : notice('good', node.verdict === 'command' ? 'In the plan' : 'Could go', node.message);
  const listed = (shown: Explanation['gates']) =>
    h(
      'ol',
      {class: 'checks'},
      ...shown.map((gate) =>
        h(
          'li',
          {class: gate.passed ? 'passed' : 'failed'},
          h('b', {}, `${gate.passed ? '✓' : '✗'} ${spaced(gate.gate)}`),
          h('span', {}, gate.message),
          gate.source !== '' && h('small', {}, `set by ${spaced(gate.source).toLowerCase()}`),
        ),
      ),
    );
  const failed = node.gates.filter((gate) => !gate.passed);
  return [
    verdict,
    h(
      'p',
      {class: 'quiet'},
      [node.instanceType, node.capacityType, node.zone, node.nodePool, node.hourlyPrice === null ? 'price unknown' : hourly(node.hourlyPrice), `disruption cost ${node.disruptionCost.toFixed(2)}`]
        .filter((part) => part !== '')
        .join(' · '),
    ),
    ...advice(node),
    h('h2', {}, 'Gates'),
    h(
      'div',
      {class: 'panel'},
      failed.length > 0 && listed(failed),
      h('details', {open: failed.length === 0}, h('summary', {}, `All ${node.gates.length} gates in order, ${node.gates.length - failed.length} passed`), listed(node.gates)),
    ),
    ...obstacles(node),
    ...pods(node),
  ];
}

function advice(node: Explanation): Node[] {
  if (node.advice.length === 0) return [];
  return [h('h2', {}, 'What would have to change'), h('ul', {}, ...node.advice.map((text) => h('li', {}, text)))];
}

function obstacles(node: Explanation): Node[] {
  const nodes: Node[] = [];
  if (node.obstacles.length > 0) {
    const list = h('ul');
    for (const pod of node.obstacles)
      list.append(
        h('li', {}, `${pod.namespace}/${pod.name}: ${pod.nodes.map((n) => `${n.count} ${n.reason}`).join(', ')}${pod.newNode === '' ? '' : `; new node: ${pod.newNode}`}`),
      );
    nodes.push(h('h2', {}, 'Pods without another place'), list);
  }
  if (node.cheapestRejected)
    nodes.push(
      h('p', {}, `The cheapest replacement, ${node.cheapestRejected.instanceType} at ${hourly(node.cheapestRejected.hourlyPrice)}, would have to cost ${hourly(node.cheapestRejected.gap)} less.`),
    );
  return nodes;
}

function pods(node: Explanation): Node[] {
  if (node.pods.length === 0) return [];
  return [
    h('h2', {}, count(node.pods.length, 'pod')),
    h(
      'table',
      {class: 'plain panel'},
      h('tr', {}, h('th', {}, 'pod'), h('th', {}, 'tier'), h('th', {}, 'cpu'), h('th', {}, 'memory')),
      ...node.pods.map((pod) =>
        h('tr', {}, h('td', {}, `${pod.namespace}/${pod.name}`), h('td', {}, pod.tier), h('td', {}, `${pod.cpuMillis} m`), h('td', {}, bytes(pod.memoryBytes))),
      ),
    ),
  ];
}
