import type { Client } from './client.ts';

type Fields = Record<string, string>;

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Pages of a room as a browser without script gets them: forms are sent as they are on the page. */
export const pageClient = (client: Client, room = '/portal') => ({
  get: (path: string, language = 'en') =>
    client.get(`/${room}${path}`, { headers: { 'Accept-Language': language } }),
  /** Sends a form with its token; without a page before, as somebody else would write it. */
  send: (path: string, fields: Fields = {}) => {
    const values = { csrf_token: client.cookies.get('csrftoken') ?? '', ...fields };
    const raw = new URLSearchParams(values).toString();
    return client.post(`/${room}${path}`, undefined, {
      raw,
      headers: { ...FORM, 'X-CSRFToken': '' },
    });
  },
});

/** The value of a hidden field of the page's own form. */
export const hiddenValue = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.slice(page.indexOf('<main')))?.[1] ?? '';
