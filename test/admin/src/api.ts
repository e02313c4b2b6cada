import simpleRestProvider from 'ra-data-simple-rest';
import { fetchUtils, type AuthProvider } from 'react-admin';

const BASE = '/api/v1';

const csrfToken = () => /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? '';

/** Like react-admin's own client, and sends the CSRF token. */
export const callApi: typeof fetchUtils.fetchJson = (url, options = {}) => {
  const headers = new Headers(options.headers ?? { Accept: 'application/json' });
  headers.set('X-CSRFToken', csrfToken());
  return fetchUtils.fetchJson(url, { ...options, headers });
};

export const dataProvider = simpleRestProvider(BASE, callApi);

export const post = (path: string, body: object = {}) =>
  callApi(`${BASE}${path}`, { method: 'POST', body: JSON.stringify(body) });

export const authProvider: AuthProvider = {
  async login({ username, password }) {
    await callApi(`${BASE}/auth/csrf`);
    await post('/auth/login', { email: username, password });
  },
  async logout() {
    await post('/auth/logout').catch(() => {});
  },
  async checkAuth() {
    await callApi(`${BASE}/users/me`);
  },
  /** A refused action (403) is not a reason to sign the user out. */
  async checkError({ status }) {
    if (status === 401) throw new Error('The session has ended.');
  },
  async getIdentity() {
    const { json } = await callApi(`${BASE}/users/me`);
    return { id: json.id, fullName: `${json.first_name} ${json.last_name}` };
  },
};
