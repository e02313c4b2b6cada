import { ownFactorPages } from './factors.ts';
import { secondFactorPages } from './second-factor-steps.ts';
import { OPS } from './ops.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { reconciliationPages } from './reconciliations.ts';
import { STAFF } from './sections.ts';
import {
  choosePasswordPage,
  forgotPasswordPage,
  languagePage,
  signInPage,
  signOutPage,
} from './signing-in.ts';

/** The path where a provider sign-in ends and where its cookie is sent. */
const AUTH = '/api/v1/auth';

type Provider = { id: string; name: string };

/** The page requested by a link in an email, or the staff home page. */
const requestedPage = ({ query, form }: Visit) => {
  const wanted = form.values['back'] ?? query['back'] ?? '';
  return /^\/(staff|ops)(\/[a-z0-9-]{1,50}){0,3}$/.test(wanted) ? wanted : STAFF;
};

const isStaff = ({ user }: Visit) => Boolean(user?.tenant_role);

/**
 * Superadmins are redirected to operations. Other staff see links to the API documentation and to their
 * dashboard.
 */
const homePage: Page = {
  path: '',
  show: async ({ user, dashboards }) => {
    if (user?.borrower_id) return redirectTo('/portal');
    if (user?.tenant_role === 'superadmin') return redirectTo(OPS);
    const may_reconcile = user?.tenant_role === 'admin';
    return pageView('staff-home', { email: user?.email, dashboards, may_reconcile });
  },
};

const signIn = signInPage(STAFF, requestedPage, isStaff);

const signInHere: Page = {
  ...signIn,
  show: async (visit) => {
    const outcome = await signIn.show(visit);
    if (!('page' in outcome)) return outcome;
    const { providers } = await visit.ask<{ providers: Provider[] }>('GET /auth/providers');
    return { ...outcome, data: { ...outcome.data, providers } };
  },
};

/**
 * A second click leads to the provider. Our Content-Security-Policy blocks redirects of forms to other
 * sites, but allows links.
 */
const providerPage: Page = {
  path: '/provider/{id}',
  isOpen: true,
  cookiePath: AUTH,
  show: async () => redirectTo(`${STAFF}/sign-in`),
  submit: async ({ ask, params, form }) => {
    const { authorization_url } = await ask<{ authorization_url: string }>(
      'POST /identity-providers/{id}/begin-sign-in',
      { params },
    );
    return pageView('staff-provider', { authorization_url, name: form.values['name'] });
  },
};

/** The pages on which staff sign in, choose a password and manage their second factor. */
export const staffPages: readonly Page[] = [
  homePage,
  signInHere,
  providerPage,
  signOutPage(STAFF),
  languagePage(STAFF),
  forgotPasswordPage(STAFF),
  choosePasswordPage(STAFF),
  ...secondFactorPages(STAFF, requestedPage),
  ...ownFactorPages(STAFF),
  ...reconciliationPages,
];
