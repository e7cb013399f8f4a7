// Small plots as SVG: lines over time, with a threshold drawn in. Everything that they show is in a table for people who listen.
import {h, s} from './dom';

export interface Line {
  label: string;
  tone: 'one' | 'two' | 'three' | 'four';
  points: {at: number; value: number | null}[]; // in order of time; null is a gap
  steps?: boolean; // a value holds until the next
}

export interface PlotOptions {
  title: string;
  height?: number;
  format: (value: number) => string;
  threshold?: {value: number; label: string};
}

const width = 640;
const left = 64;
const right = 12;
const top = 12;
const bottom = 24;

function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 2.5, 5, 10]) if (value <= step * power) return step * power;
  return 10 * power;
}

function axisTime(at: number, span: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString('en-GB').slice(0, span < 3_600_000 ? 8 : 5);
  return span > 20 * 3_600_000 ? `${date.toISOString().slice(5, 10)} ${time}` : time;
}

export function plot(lines: Line[], options: PlotOptions): HTMLElement {
  const height = options.height ?? 180;
  const times = lines.flatMap((line) => line.points.map((point) => point.at));
  const values = lines.flatMap((line) => line.points.map((point) => point.value ?? 0));
  if (new Set(times).size < 2) return h('p', {class: 'quiet'}, `${options.title}: nothing to draw yet.`);
  const first = Math.min(...times);
  const last = Math.max(...times);
  const most = niceTop(Math.max(...values, (options.threshold?.value ?? 0) * 1.1));
  const x = (at: number) => left + ((at - first) / Math.max(1, last - first)) * (width - left - right);
  const y = (value: number) => height - bottom - (value / most) * (height - top - bottom);

  const picture = s('svg', {viewBox: `0 0 ${width} ${height}`, class: 'plot', role: 'img', 'aria-label': options.title});
  for (const part of [0, 0.5, 1]) {
    const at = y(most * part);
    picture.append(
      s('line', {x1: left, x2: width - right, y1: at, y2: at, class: 'grid'}),
      s('text', {x: left - 6, y: at + 4, class: 'axis', 'text-anchor': 'end'}, options.format(most * part)),
    );
  }
  for (const [at, anchor] of [
    [first, 'start'],
    [last, 'end'],
  ] as const)
    picture.append(
      s('text', {x: x(at), y: height - 6, class: 'axis', 'text-anchor': anchor}, axisTime(at, last - first)),
    );
  for (const line of lines) picture.append(s('path', {d: path(line, x, y), class: `line tone-${line.tone}`}));
  if (options.threshold) {
    const at = y(options.threshold.value);
    picture.append(
      s('line', {x1: left, x2: width - right, y1: at, y2: at, class: 'threshold'}),
      s('text', {x: width - right, y: at - 4, class: 'axis', 'text-anchor': 'end'}, options.threshold.label),
    );
  }
  const key = h('ul', {class: 'key'});
  for (const line of lines) {
    const known = line.points.filter((point) => point.value !== null);
    const newest = known.length > 0 ? options.format(known[known.length - 1]!.value!) : 'unknown';
    key.append(h('li', {class: `tone-${line.tone}`}, `${line.label}: ${newest}`));
  }
  return h('figure', {class: 'plotted'}, h('figcaption', {}, options.title), picture, key);
}

function path(line: Line, x: (at: number) => number, y: (value: number) => number): string {
  let drawn = '';
  let pen = 'M';
  for (const point of line.points) {
    if (point.value === null) {
      pen = 'M';
      continue;
    }
    if (line.steps && pen === 'L') drawn += `H${x(point.at).toFixed(1)}`;
    drawn += `${pen}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`;
    pen = 'L';
  }
  return drawn;
}
