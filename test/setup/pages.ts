import type { Client } from './client.ts';

type Fields = Record<string, string>;

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Pages as a browser without JavaScript gets them. Forms are sent as they appear on the page. */
export const pageClient = (client: Client, section = '/portal') => ({
  get: (path: string, language = 'en') =>
    client.get(`/${section}${path}`, { headers: { 'Accept-Language': language } }),
  /** Sends a form with its token. Without a page before it, the request looks like a forged one. */
  send: (path: string, fields: Fields = {}) => {
    const values = { csrf_token: client.cookies.get('csrftoken') ?? '', ...fields };
    const raw = new URLSearchParams(values).toString();
    return client.post(`/${section}${path}`, undefined, {
      raw,
      headers: { ...FORM, 'X-CSRFToken': '' },
    });
  },
});

export const hiddenValue = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.slice(page.indexOf('<main')))?.[1] ?? '';
