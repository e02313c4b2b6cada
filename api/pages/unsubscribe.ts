import { pageView, type Page } from './page.ts';

/**
 * Unsubscribe links in emails open this page. Opening it changes nothing, because scanners follow links.
 * Mail programs post to it without cookies and accept no redirect (RFC 8058).
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
