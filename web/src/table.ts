// A table of any length: only the rows in sight exist. Sorted by a click on a heading, or Enter on it.
import {h, replace, styled} from './dom';

export interface Column<R> {
  title: string;
  width: string; // of the grid: "1fr", "8rem"
  text: (row: R) => string;
  // What it is sorted by, where that is not its text.
  order?: (row: R) => number | string;
  right?: boolean;
  cell?: (row: R) => Node;
}

const rowHeight = 36;

export class Table<R> {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly window = h('div', {class: 'rows', role: 'rowgroup', tabindex: 0});
  private readonly space = h('div', {class: 'space'});
  private rows: R[] = [];
  private sorted: R[] = [];
  private down = false;

  constructor(
    label: string,
    private readonly columns: Column<R>[],
    private readonly open?: (row: R) => void,
    // Which column it is sorted by; null: as the rows come.
    private by: number | null = 0,
  ) {
    this.head = h('div', {class: 'heads', role: 'row'});
    this.window.append(this.space);
    this.window.addEventListener('scroll', () => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.window);
    this.element = styled(h('div', {class: 'table', role: 'table', 'aria-label': label}, this.head, this.window), {
      '--columns': columns.map((column) => column.width).join(' '),
    });
    this.heads();
  }

  show(rows: R[]): void {
    this.rows = rows;
    this.sort();
  }

  private heads(): void {
    replace(
      this.head,
      ...this.columns.map((column, i) =>
        h(
          'button',
          {
            class: column.right ? 'right' : '',
            role: 'columnheader',
            'aria-sort': i !== this.by ? 'none' : this.down ? 'descending' : 'ascending',
            click: () => {
              this.down = i === this.by ? !this.down : Boolean(column.right);
              this.by = i;
              this.heads();
              this.sort();
            },
          },
          column.title,
          i === this.by ? (this.down ? ' ▾' : ' ▴') : '',
        ),
      ),
    );
  }

  private sort(): void {
    const column = this.by === null ? null : this.columns[this.by]!;
    if (column) {
      const key = column.order ?? column.text;
      const keyed = this.rows.map((row, i) => ({row, i, key: key(row)}));
      keyed.sort((a, b) => {
        const order = a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
        return (this.down ? -order : order) || a.i - b.i;
      });
      this.sorted = keyed.map((entry) => entry.row);
    } else this.sorted = this.rows;
    this.element.setAttribute('aria-rowcount', String(this.sorted.length));
    this.paint();
  }

  private paint(): void {
    const seen = Math.ceil(Math.max(this.window.clientHeight, 480) / rowHeight) + 2;
    const first = Math.max(0, Math.floor(this.window.scrollTop / rowHeight) - 1);
    styled(this.space, {height: `${Math.max(1, this.sorted.length) * rowHeight}px`});
    if (this.sorted.length === 0) {
      replace(this.space, styled(h('div', {class: 'row quiet', role: 'row'}, h('span', {role: 'cell'}, 'Nothing fits.')), {height: `${rowHeight}px`}));
      return;
    }
    const shown: HTMLElement[] = [];
    for (let i = first; i < Math.min(this.sorted.length, first + seen); ++i) shown.push(this.row(this.sorted[i]!, i));
    replace(this.space, ...shown);
  }

  private row(row: R, i: number): HTMLElement {
    const open = this.open;
    const element = h(
      'div',
      {
        class: open ? 'row opens' : 'row',
        role: 'row',
        'aria-rowindex': i + 1,
        tabindex: open ? 0 : null,
        click: () => open?.(row),
        keydown: (event) => {
          if ((event as KeyboardEvent).key === 'Enter') open?.(row);
        },
      },
      ...this.columns.map((column) =>
        h('span', {role: 'cell', class: column.right ? 'right' : ''}, column.cell ? column.cell(row) : column.text(row)),
      ),
    );
    return styled(element, {top: `${i * rowHeight}px`, height: `${rowHeight}px`});
  }
}
