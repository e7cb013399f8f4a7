// What every view is: a title, an element, what it listens to, and its four states other than "here it is".
import type {Session} from './api';
import {Refused, Unreachable} from './api';
import {h, replace} from './dom';
import type {Live, Topic} from './live';

export interface Context {
  session: Session;
  live: Live;
  go: (to: string) => void;
}

export interface View {
  title: string;
  element: HTMLElement;
  topics: Topic[];
  refresh: () => Promise<void>;
}

// A place whose content is fetched: shows that it loads, what came, or why nothing did.
export class Place {
  readonly element = h('section', {'aria-busy': 'true'}, h('p', {class: 'quiet loading'}, 'Loading …'));
  private filled = false;

  async load<T>(fetch: () => Promise<T>, show: (value: T) => Node[]): Promise<void> {
    try {
      const value = await fetch();
      replace(this.element, ...show(value));
      this.filled = true;
    } catch (problem) {
      // What is shown stays, with a word that it may be old; the connection's own notice says the rest.
      if (this.filled && problem instanceof Unreachable) return;
      replace(this.element, failure(problem));
      this.filled = false;
    }
    this.element.setAttribute('aria-busy', 'false');
  }
}

export function failure(problem: unknown): HTMLElement {
  if (problem instanceof Refused && problem.status === 403)
    return notice('warning', 'You may not see this', problem.message, 'Ask for the role tamp-viewer.');
  if (problem instanceof Refused && problem.status === 404) return notice('info', 'Not there', problem.message);
  if (problem instanceof Unreachable)
    return notice('warning', 'No answer', 'The controller does not answer. This page tries again by itself.');
  return notice('error', 'That did not work', problem instanceof Error ? problem.message : String(problem));
}

export function notice(kind: 'info' | 'good' | 'warning' | 'error', title: string, ...texts: string[]): HTMLElement {
  return h(
    'div',
    {class: `notice ${kind}`, role: kind === 'error' ? 'alert' : 'note'},
    h('strong', {}, title),
    ...texts.filter((text) => text !== '').map((text) => h('p', {}, text)),
  );
}

// Asks before something happens. Resolves to what was written, or null if the answer was no.
export function ask(options: {title: string; body: Node[]; yes: string; danger?: boolean; input?: string}): Promise<string | null> {
  return new Promise((resolve) => {
    const input = options.input === undefined ? null : h('textarea', {rows: 2, maxlength: 1024, id: 'why'});
    const dialog = h(
      'dialog',
      {'aria-labelledby': 'asked'},
      h(
        'form',
        {method: 'dialog'},
        h('h2', {id: 'asked'}, options.title),
        ...options.body,
        input && h('label', {for: 'why'}, options.input!),
        input,
        h(
          'div',
          {class: 'actions'},
          h('button', {value: 'no'}, 'Cancel'),
          h('button', {value: 'yes', class: options.danger ? 'danger' : 'primary'}, options.yes),
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes' ? (input?.value ?? '') : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
