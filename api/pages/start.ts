import { redirectTo, pageView, type Page } from './page.ts';
import { PORTAL } from './sections.ts';

/** Links to the parts of the platform, or a redirect to the portal if the tenant prefers it. */
const startPage: Page = {
  path: '',
  isOpen: true,
  show: async ({ isPortalHomePage }) => (isPortalHomePage ? redirectTo(PORTAL) : pageView('start')),
};

export const startPages: readonly Page[] = [startPage];
