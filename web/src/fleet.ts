// The fleet as a picture: each node a tile, as large as its cpu, filled from below by what is requested and by what is measured, its
// pods by tier as a strip on top, coloured by state. Drawn on a canvas, so that ten thousand are as quick as ten; the table of
// nodes says the same in words.
import type {NodeColumns, NodeState} from './api';
import {tiers} from './api';
import {h} from './dom';
import {bytes, cores, hourly, spaced} from './words';

interface Tile {
  node: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

const gap = 3;
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
  private nodes: NodeColumns | null = null;
  private tiles: Tile[] = [];
  private chosen = -1;

  constructor(private readonly open: (node: string) => void) {
    const legend = h('ul', {class: 'legend'});
    for (const [state, text] of Object.entries(words)) legend.append(h('li', {class: `state-${state}`}, text));
    this.element = h('div', {class: 'fleet-frame'}, this.canvas, this.hint, legend);
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
  }

  show(nodes: NodeColumns): void {
    this.nodes = nodes;
    this.canvas.setAttribute('aria-label', `${nodes.names.length} nodes as tiles; the table of nodes lists them`);
    this.draw();
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
    this.hint.textContent =
      `${nodes.names[n]} (${nodes.types[nodes.type[n]!] ?? ''}, ${nodes.pools[nodes.pool[n]!] ?? 'no pool'}${price === null || price === undefined ? '' : `, ${hourly(price)}`}): ` +
      `${words[nodes.state[n]!]}; requests ${cores(nodes.cpuRequested[n]!)} of ${cores(nodes.cpu[n]!)}, uses ${cores(nodes.cpuUsed[n]!)}; ` +
      `memory ${bytes(nodes.memoryRequested[n]!)} of ${bytes(nodes.memory[n]!)}` +
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
    const byTier = tiers.map((tier) => colour(`--tier-${tier.toLowerCase()}`));
    const byState = new Map(Object.keys(words).map((state) => [state, colour(`--state-${state}`)]));
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
        pen.fillRect(tile.x + tile.width * 0.6, tile.y + tile.height * (1 - part), tile.width * 0.4, tile.height * part);
      }
      if (tile.width >= 24) this.drawPods(pen, tile, nodes.pods[n] ?? [], byTier);
      pen.strokeStyle = byState.get(nodes.state[n]!) ?? ground;
      pen.lineWidth = i === this.chosen ? 4 : 2;
      pen.strokeRect(tile.x + 1, tile.y + 1, tile.width - 2, tile.height - 2);
    });
  }

  private drawPods(pen: CanvasRenderingContext2D, tile: Tile, pods: number[], colours: string[]): void {
    const all = pods.reduce((sum, n) => sum + n, 0);
    if (all === 0) return;
    const length = Math.min(tile.width - 8, all * 6);
    let x = tile.x + 4;
    pods.forEach((n, tier) => {
      const part = (n / all) * length;
      pen.fillStyle = colours[tier] ?? '';
      pen.fillRect(x, tile.y + 4, Math.max(0, part - 1), 4);
      x += part;
    });
  }

  // Tiles in rows, pool by pool as they come; a node of twice the cores is twice as wide. Returns the height.
  private arrange(nodes: NodeColumns, width: number): number {
    const typical = Math.max(1, [...nodes.cpu].sort((a, b) => a - b)[nodes.cpu.length >> 1] ?? 1);
    const room = nodes.names.length <= 60 ? 56 : nodes.names.length <= 600 ? 24 : 9;
    this.tiles = [];
    let x = 0;
    let y = 0;
    for (let n = 0; n < nodes.names.length; ++n) {
      const wide = Math.round(Math.min(4, Math.max(0.5, nodes.cpu[n]! / typical)) * room);
      if (x > 0 && x + wide > width) {
        x = 0;
        y += room + gap;
      }
      this.tiles.push({node: n, x, y, width: wide, height: room});
      x += wide + gap;
    }
    return y + room;
  }
}
