// The frame around the views: who is logged in, where we are, whether what is shown is live.
import {Refused, api} from './api';
import type {Session} from './api';
import {announce, h, replace} from './dom';
import {Live} from './live';
import type {Link} from './live';
import type {Context, View} from './page';
import {failure} from './page';
import {Standing} from './standing';
import {auditTrailView, auditView, historyView} from './views/history';
import {loginPage} from './views/login';
import {nodeView} from './views/node';
import {nodesView} from './views/nodes';
import {overviewView} from './views/overview';
import {planView} from './views/plan';
import {runView} from './views/run';
import {settingsView} from './views/settings';

const places = [
  ['overview', 'Overview'],
  ['plan', 'Plan'],
  ['nodes', 'Nodes'],
  ['history', 'History'],
  ['settings', 'Settings'],
] as const;

const linkWords: Record<Link, string> = {
  connecting: 'connecting …',
  live: 'live',
  stale: 'connection lost: what you see may be old',
};

function viewAt(address: string, context: Context): View {
  const [path, query] = address.split('?');
  const [place, ...rest] = (path ?? '').split('/').map(decodeURIComponent);
  const name = rest.join('/');
  switch (place) {
    case 'plan':
      return planView(context);
    case 'nodes':
      return nodesView(new URLSearchParams(query ?? ''), context);
    case 'node':
      return nodeView(name, context);
    case 'run':
      return runView(name, context);
    case 'history':
      return historyView(context);
    case 'audit':
      return name === '' ? auditTrailView(context) : auditView(name, context);
    case 'settings':
      return settingsView(context);
    default:
      return overviewView(context);
  }
}

function frame(session: Session): void {
  const link = h('span', {class: 'link-state connecting', role: 'status'}, linkWords.connecting);
  const title = h('h1', {tabindex: -1});
  const main = h('main', {id: 'main'}, title);
  const navigation = h('nav', {'aria-label': 'Places'});
  const live = new Live((state) => {
    link.className = `link-state ${state}`;
    link.textContent = linkWords[state];
    document.body.classList.toggle('is-stale', state === 'stale');
  });
  const context: Context = {session, live, go: (to) => (window.location.hash = `#/${to}`)};
  const standing = new Standing(context);
  let view: View | null = null;

  function arrive(): void {
    const address = window.location.hash.replace(/^#\//, '');
    view = viewAt(address, context);
    document.title = `${view.title} · Tamp`;
    title.textContent = view.title;
    replace(main, standing.banner, title, view.element);
    const first = address.split(/[/?]/)[0] || 'overview';
    const here = {node: 'nodes', run: 'history', audit: 'history'}[first] ?? first;
    replace(
      navigation,
      ...places.map(([place, text]) => h('a', {href: `#/${place}`, 'aria-current': place === here ? 'page' : null}, text)),
    );
    title.focus({preventScroll: true});
    window.scrollTo(0, 0);
    announce(view.title);
    void view.refresh();
  }

  live.hear((topic) => {
    if (topic !== 'nodes') void standing.refresh();
    if (view?.topics.includes(topic)) void view.refresh();
  });
  replace(
    document.body,
    h('a', {class: 'skip', href: '#main', click: (event) => (event.preventDefault(), main.querySelector('h1')?.focus())}, 'To the content'),
    h(
      'header',
      {},
      h('a', {class: 'brand', href: '#/overview'}, 'Tamp'),
      navigation,
      standing.chips,
      link,
      h(
        'span',
        {class: 'who'},
        session.user,
        session.login && h('button', {class: 'link', click: () => void api.logout().then(() => window.location.reload())}, 'Log out'),
      ),
    ),
    main,
  );
  window.addEventListener('hashchange', arrive);
  arrive();
  void standing.refresh();
  live.start();
  api.onEnd(() => {
    window.removeEventListener('hashchange', arrive);
    live.stop();
    api.onEnd(() => undefined);
    logIn('Your session is over: it was idle for long, or another replica leads now. Log in again, and you are where you were.');
  });
}

function logIn(why = ''): void {
  document.title = 'Log in · Tamp';
  replace(document.body, loginPage(frame, why));
}

async function begin(): Promise<void> {
  try {
    frame(await api.session());
  } catch (problem) {
    if (problem instanceof Refused && problem.status === 401) {
      logIn();
      return;
    }
    replace(document.body, h('main', {id: 'main'}, h('h1', {}, 'Tamp'), failure(problem)));
    window.setTimeout(() => void begin(), 5000);
  }
}

void begin();
