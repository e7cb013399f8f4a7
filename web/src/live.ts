// News from the server, as server-sent events. They say what changed, not how: who shows it asks for it again, at most once a second.
// The connection is resumed where it ended; while it is down the page says that what it shows may be old.

export type Topic = 'overview' | 'plan' | 'nodes' | 'runs';
export type Link = 'connecting' | 'live' | 'stale';

type Hear = (topic: Topic) => void;

const longestWait = 30_000;

export class Live {
  private source: EventSource | null = null;
  private listeners = new Set<Hear>();
  private due = new Map<Topic, number>();
  private failures = 0;
  private timer = 0;
  link: Link = 'connecting';

  constructor(private readonly changed: (link: Link) => void) {}

  start(): void {
    this.stop();
    const source = new EventSource('/api/v1/events');
    this.source = source;
    source.addEventListener('open', () => {
      const again = this.failures > 0;
      this.failures = 0;
      this.turn('live');
      // What happened meanwhile may have been too much to be sent again.
      if (again) for (const topic of ['overview', 'plan', 'nodes', 'runs'] as Topic[]) this.tell(topic);
    });
    for (const topic of ['overview', 'plan', 'nodes', 'runs'] as Topic[])
      source.addEventListener(topic, () => this.tell(topic));
    source.addEventListener('error', () => {
      ++this.failures;
      this.turn('stale');
      // A browser gives up after some answers; we do not.
      if (source.readyState === EventSource.CLOSED) {
        const wait = Math.min(longestWait, 1000 * 2 ** Math.min(this.failures, 5));
        this.timer = window.setTimeout(() => this.start(), wait);
      }
    });
  }

  stop(): void {
    window.clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  hear(listener: Hear): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(topic: Topic): void {
    if (this.due.has(topic)) return;
    this.due.set(
      topic,
      window.setTimeout(() => {
        this.due.delete(topic);
        for (const listener of [...this.listeners]) listener(topic);
      }, 300),
    );
  }

  private turn(link: Link): void {
    if (link === this.link) return;
    this.link = link;
    this.changed(link);
  }
}
