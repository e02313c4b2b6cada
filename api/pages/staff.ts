import { ownFactorPages } from './factors.ts';
import { secondFactorPages } from './second-factor-steps.ts';
import { OPS } from './ops.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { STAFF } from './sections.ts';
import {
  choosePasswordPage,
  forgotPasswordPage,
  languagePage,
  signInPage,
  signOutPage,
} from './signing-in.ts';

/** Where a sign-in at a provider is finished, and its cookie goes. */
const AUTH = '/api/v1/auth';

type Provider = { id: string; name: string };

/** Where a link of a mail asked to go, or the start page of the staff. */
const onward = ({ query, form }: Visit) => {
  const wanted = form.values['back'] ?? query['back'] ?? '';
  return /^\/(staff|ops)(\/[a-z0-9-]{1,50}){0,3}$/.test(wanted) ? wanted : STAFF;
};

const isStaff = ({ user }: Visit) => Boolean(user?.tenant_role);

/** Superadmins go on to operations; other staff find the API's documentation and their own dashboard here. */
const home: Page = {
  path: '',
  show: async ({ user, dashboards }) => {
    if (user?.borrower_id) return redirectTo('/portal');
    if (user?.tenant_role === 'superadmin') return redirectTo(OPS);
    return pageView('staff-home', { email: user?.email, dashboards });
  },
};

const signIn = signInPage(STAFF, onward, isStaff);

/** The sign-in page also offers the tenant's identity providers. */
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
 * The second click leads to the provider: browsers do not let a form redirect to another site under our
 * Content-Security-Policy, and a link may lead there.
 */
const provider: Page = {
  path: '/provider/{id}',
  isOpen: true,
  door: AUTH,
  show: async () => redirectTo(`${STAFF}/sign-in`),
  submit: async ({ ask, params, form }) => {
    const { authorization_url } = await ask<{ authorization_url: string }>(
      'POST /identity-providers/{id}/begin-sign-in',
      { params },
    );
    return pageView('staff-provider', { authorization_url, name: form.values['name'] });
  },
};

/** The pages on which staff sign in, choose a password and look after their second factor. */
export const staffPages: readonly Page[] = [
  home,
  signInHere,
  provider,
  signOutPage(STAFF),
  languagePage(STAFF),
  forgotPasswordPage(STAFF),
  choosePasswordPage(STAFF),
  ...secondFactorPages(STAFF, onward),
  ...ownFactorPages(STAFF),
];
