// The fleet as a picture: each node a tile, as wide as its cpu, filled from below by what is requested and by what is measured, its
// pods by tier as dots on top, coloured by state. Drawn on a canvas, so that ten thousand are as quick as ten; the table of
// nodes says the same in words.
import type {NodeColumns, NodeState} from './api';
import {tiers} from './api';
import {h, replace} from './dom';
import {bytes, cores, hourly, natural, share, spaced} from './words';

interface Tile {
  node: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

const gap = 3;
const captionHeight = 20; // of a pool
const words: Record<NodeState, string> = {
  steady: 'steady',
  victim: 'to be emptied',
  survivor: 'takes pods, protected',
  replacement: 'replacement',
  cordoned: 'cordoned',
  unready: 'not ready',
  leaving: 'leaving',
};

export class Fleet {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', {class: 'fleet', tabindex: 0, role: 'img'});
  private readonly hint = h('p', {class: 'hint quiet', role: 'status'}, 'Point at a node, or use the arrow keys; Enter opens it.');
  private readonly legend = h('ul', {class: 'legend'});
  private nodes: NodeColumns | null = null;
  private order: number[] = []; // of the nodes: by pool, then by name
  private tiles: Tile[] = [];
  private captions: {text: string; y: number}[] = [];
  private chosen = -1;

  constructor(private readonly open: (node: string) => void) {
    this.element = h('div', {class: 'fleet-frame'}, this.canvas, this.hint, this.legend);
    this.canvas.addEventListener('pointermove', (event) => this.choose(this.at(event)));
    this.canvas.addEventListener('click', (event) => {
      this.choose(this.at(event));
      this.enter();
    });
    this.canvas.addEventListener('keydown', (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.perRow(), ArrowUp: -this.perRow()}[event.key];
      if (step !== undefined) {
        this.choose(Math.min(this.tiles.length - 1, Math.max(0, this.chosen + step)));
        event.preventDefault();
      } else if (event.key === 'Enter') this.enter();
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  show(nodes: NodeColumns): void {
    this.nodes = nodes;
    const names = nodes.names.map(natural);
    this.order = nodes.names.map((_, n) => n).sort((a, b) => nodes.pool[a]! - nodes.pool[b]! || (names[a]! < names[b]! ? -1 : 1));
    this.canvas.setAttribute('aria-label', `${nodes.names.length} nodes as tiles; the table of nodes lists them`);
    this.explain(nodes);
    this.draw();
  }

  // Only what can be seen is explained.
  private explain(nodes: NodeColumns): void {
    const states = new Set(nodes.state);
    const present = tiers.filter((_, tier) => nodes.pods.some((pods) => (pods[tier] ?? 0) > 0));
    replace(
      this.legend,
      ...Object.entries(words)
        .filter(([state]) => states.has(state as NodeState))
        .map(([state, text]) => h('li', {class: `state-${state}`}, text)),
      h('li', {class: 'filled requested'}, 'cpu requested'),
      nodes.cpuUsed.some((used) => used !== null) && h('li', {class: 'filled used'}, 'cpu measured'),
      ...(this.roomy(nodes) ? present.map((tier) => h('li', {class: `filled tier-${tier.toLowerCase()}`}, `${tier} pods`)) : []),
    );
  }

  private roomy(nodes: NodeColumns): boolean {
    return nodes.names.length <= 600;
  }

  private perRow(): number {
    const first = this.tiles[0];
    return first ? Math.max(1, this.tiles.filter((tile) => tile.y === first.y).length) : 1;
  }

  private at(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    return this.tiles.findIndex((t) => x >= t.x && x < t.x + t.width && y >= t.y && y < t.y + t.height);
  }

  private enter(): void {
    const tile = this.tiles[this.chosen];
    if (tile && this.nodes) this.open(this.nodes.names[tile.node]!);
  }

  private choose(tile: number): void {
    if (tile === this.chosen) return;
    this.chosen = tile;
    this.draw();
    const nodes = this.nodes;
    const chosen = this.tiles[tile];
    if (!nodes || !chosen) return;
    const n = chosen.node;
    const price = nodes.price[n];
    const used = nodes.cpuUsed[n];
    this.hint.textContent =
      `${nodes.names[n]} (${[nodes.types[nodes.type[n]!], nodes.pools[nodes.pool[n]!], price === null || price === undefined ? '' : hourly(price)].filter(Boolean).join(', ')}): ` +
      `${words[nodes.state[n]!]}; ${cores(nodes.cpuRequested[n]!)} of ${cores(nodes.cpu[n]!)} requested (${share(nodes.cpuRequested[n]! / Math.max(0.001, nodes.cpu[n]!))})` +
      `${used === null || used === undefined ? ', not measured' : `, ${cores(used)} used`}; ` +
      `memory ${bytes(nodes.memoryRequested[n]!)} of ${bytes(nodes.memory[n]!)} requested` +
      (nodes.verdict[n] === 'blocked' ? `. Stays: ${spaced(nodes.reasons[nodes.reason[n]!] ?? '')}` : '');
  }

  private draw(): void {
    const nodes = this.nodes;
    const width = this.canvas.clientWidth;
    if (!nodes || width === 0) return;
    const height = this.arrange(nodes, width);
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.setProperty('height', `${height}px`);
    const pen = this.canvas.getContext('2d');
    if (!pen) return;
    pen.scale(ratio, ratio);
    const look = getComputedStyle(document.documentElement);
    const colour = (name: string) => look.getPropertyValue(name).trim();
    const ground = colour('--tile');
    const requested = colour('--requested');
    const used = colour('--used');
    const text = colour('--text');
    const byTier = tiers.map((tier) => colour(`--tier-${tier.toLowerCase()}`));
    const byState = new Map(Object.keys(words).map((state) => [state, colour(`--state-${state}`)]));
    pen.font = '12px system-ui, sans-serif';
    pen.fillStyle = colour('--quiet');
    for (const caption of this.captions) pen.fillText(caption.text, 0, caption.y + 13);
    this.tiles.forEach((tile, i) => {
      const n = tile.node;
      pen.fillStyle = ground;
      pen.fillRect(tile.x, tile.y, tile.width, tile.height);
      const full = Math.min(1, nodes.cpuRequested[n]! / Math.max(0.001, nodes.cpu[n]!));
      pen.fillStyle = requested;
      pen.fillRect(tile.x, tile.y + tile.height * (1 - full), tile.width, tile.height * full);
      const measured = nodes.cpuUsed[n];
      if (measured !== null && measured !== undefined) {
        const part = Math.min(1, measured / Math.max(0.001, nodes.cpu[n]!));
        pen.fillStyle = used;
        pen.fillRect(tile.x + tile.width * 0.82, tile.y + tile.height * (1 - part), tile.width * 0.18, tile.height * part);
      }
      if (tile.width >= 20) this.drawPods(pen, tile, nodes.pods[n] ?? [], byTier);
      if (tile.width >= 90) {
        pen.fillStyle = text;
        pen.fillText(this.fitting(pen, nodes.names[n]!, tile.width * 0.8 - 12), tile.x + 7, tile.y + tile.height - 8);
      }
      pen.strokeStyle = byState.get(nodes.state[n]!) ?? ground;
      pen.lineWidth = i === this.chosen ? 4 : tile.width >= 60 ? 3 : 2;
      pen.strokeRect(tile.x + 1, tile.y + 1, tile.width - 2, tile.height - 2);
    });
  }

  private fitting(pen: CanvasRenderingContext2D, name: string, width: number): string {
    if (pen.measureText(name).width <= width) return name;
    let end = name.length;
    while (end > 1 && pen.measureText(`…${name.slice(-end)}`).width > width) --end; // names differ at their ends
    return `…${name.slice(-end)}`;
  }

  // A dot for each pod, as far as there is room: the most important first.
  private drawPods(pen: CanvasRenderingContext2D, tile: Tile, pods: number[], colours: string[]): void {
    const dot = tile.width >= 90 ? 8 : tile.width >= 40 ? 5 : 3;
    const step = dot + (dot > 3 ? 3 : 1);
    const edge = dot > 3 ? 7 : 3;
    const across = Math.max(1, Math.floor((tile.width * 0.82 - edge) / step));
    const down = Math.max(1, Math.floor((tile.height - edge - (tile.width >= 90 ? 24 : 3)) / step));
    let drawn = 0;
    pods.forEach((n, tier) => {
      pen.fillStyle = colours[tier] ?? '';
      for (let i = 0; i < n && drawn < across * down; ++i, ++drawn)
        pen.fillRect(tile.x + edge + (drawn % across) * step, tile.y + edge + Math.floor(drawn / across) * step, dot, dot);
    });
  }

  // Tiles in rows, pool by pool; a node of twice the cores is twice as wide. Returns the height.
  private arrange(nodes: NodeColumns, width: number): number {
    const count = nodes.names.length;
    const typical = Math.max(1, [...nodes.cpu].sort((a, b) => a - b)[count >> 1] ?? 1);
    const room = count <= 12 ? 130 : count <= 40 ? 92 : count <= 120 ? 56 : count <= 600 ? 26 : 9;
    const high = count <= 40 ? 92 : room;
    const captioned = this.roomy(nodes) && nodes.pools.length > 1;
    this.tiles = [];
    this.captions = [];
    let x = 0;
    let y = 0;
    let pool = -1;
    for (const n of this.order) {
      if (captioned && nodes.pool[n] !== pool) {
        if (pool !== -1) y += high + gap + 6;
        pool = nodes.pool[n]!;
        x = 0;
        this.captions.push({text: nodes.pools[pool] || 'no pool', y});
        y += captionHeight;
      }
      const wide = Math.round(Math.min(4, Math.max(0.5, nodes.cpu[n]! / typical)) * room);
      if (x > 0 && x + wide > width) {
        x = 0;
        y += high + gap;
      }
      this.tiles.push({node: n, x, y, width: Math.min(wide, width), height: high});
      x += wide + gap;
    }
    return y + high;
  }
}
