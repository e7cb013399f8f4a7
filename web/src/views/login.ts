// Who are you? A token of the cluster, which goes to the server once and is kept nowhere in the page.
import {api} from '../api';
import type {Session} from '../api';
import {h} from '../dom';
import {failure, notice} from '../page';

export function loginPage(entered: (session: Session) => void, why: string): HTMLElement {
  const said = h('div', {'aria-live': 'polite'}, why !== '' && notice('info', 'Log in again', why));
  const token = h('input', {type: 'password', id: 'token', autocomplete: 'off', required: true, maxlength: 16384});
  return h(
    'main',
    {class: 'login', id: 'main'},
    h('h1', {}, 'Tamp'),
    h(
      'form',
      {
        submit: (event) => {
          event.preventDefault();
          const value = token.value;
          token.value = '';
          api.login(value).then(entered, (problem: unknown) => said.replaceChildren(failure(problem)));
        },
      },
      h('label', {for: 'token'}, 'Token'),
      token,
      h('button', {class: 'primary'}, 'Log in'),
    ),
    said,
    h('p', {class: 'quiet'}, 'For example of a service account: ', h('code', {}, 'kubectl create token NAME'), '. What you may do here is what you may do in the cluster.'),
  );
}
