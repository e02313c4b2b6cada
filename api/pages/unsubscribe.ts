import { pageView, type Page } from './page.ts';

/**
 * Where the links in mails lead. Looking at it changes nothing, since programs follow links to scan them.
 * Mail programs post to it by themselves, without cookies, and take no redirect for an answer (RFC 8058).
 */
const unsubscribe: Page = {
  path: '/unsubscribe',
  isOpen: true,
  isOneClick: true,
  show: async () => pageView('unsubscribe'),
  submit: async ({ ask, query }) => {
    await ask('POST /communications/unsubscribe', { body: { token: query['token'] ?? '' } });
    return pageView('unsubscribe', { is_done: true });
  },
};

export const unsubscribePages: readonly Page[] = [unsubscribe];
