// Numbers, money and time as people read them.

export const hoursPerMonth = 730;

export function hourly(dollars: number): string {
  // A tenth of a cent is a dollar a month.
  return `$${Math.abs(dollars) < 10 && dollars !== 0 ? dollars.toFixed(3) : dollars.toLocaleString('en-US', {minimumFractionDigits: 2, maximumFractionDigits: 2})}/h`;
}

export function monthly(dollarsPerHour: number): string {
  const dollars = dollarsPerHour * hoursPerMonth;
  return `$${Math.round(dollars).toLocaleString('en-US')}/month`;
}

export function share(value: number | null): string {
  return value === null ? 'unknown' : `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`;
}

export function cores(value: number | null): string {
  return value === null ? 'unknown' : `${value < 10 ? value.toFixed(2) : value.toFixed(1)} cores`;
}

export function bytes(value: number | null): string {
  if (value === null) return 'unknown';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

// A simulated cluster has a time of its own; ours is told by when it last decided something. A real one's is the browser's.
let skew = 0;
const anotherTime = 15 * 60_000;

export function clusterTime(decidedAt: string): void {
  const difference = Date.parse(decidedAt) - Date.now();
  skew = Math.abs(difference) > anotherTime ? difference : 0;
}

export function present(): number {
  return Date.now() + skew;
}

export function ago(at: string, now = present()): string {
  return `${span(now - Date.parse(at))} ago`;
}

export function until(at: string, now = present()): string {
  const left = Date.parse(at) - now;
  return left > 0 ? `in ${span(left)}` : 'expired';
}

export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${seconds % 60 >= 1 && minutes < 10 ? ` ${seconds % 60} s` : ''}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

export function clock(at: string): string {
  return new Date(at).toLocaleTimeString('en-GB');
}

export function moment(at: string): string {
  const date = new Date(at);
  return `${date.toISOString().slice(0, 10)} ${date.toLocaleTimeString('en-GB')}`;
}

// For sorting: "node-2" comes before "node-10".
export function natural(name: string): string {
  return name.replace(/\d+/g, (digits) => digits.padStart(12, '0'));
}

// "SavingsBelowThreshold" as "Savings below threshold".
export function spaced(word: string): string {
  const parted = word.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return parted === '' ? '' : parted[0]!.toUpperCase() + parted.slice(1);
}
