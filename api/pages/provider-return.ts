import { filledFields } from './form-fields.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { secondFactorPages, type SignInStep } from './second-factor-steps.ts';
import { signInPage } from './signing-in.ts';

/** The answer to a provider sign-in of a person whose user here is not linked to the provider. */
type LinkOffer = { link?: { provider: string } };

/**
 * Lies below the path of the cookie that binds a sign-in to its browser. Sent to providers as
 * `redirect_url`.
 */
export const PROVIDER_RETURN = '/api/v1/auth/signed-in';

const LINK_PATH = `${PROVIDER_RETURN}/link`;

/** The next page after sign-in: the pending consent, or the dashboard. */
const afterProviderSignIn = (visit: Visit) =>
  [visit.form.values['back'], visit.query['back']].includes(LINK_PATH)
    ? LINK_PATH
    : onlyDashboard(visit);

/** The tenant's only dashboard. With several or none, a page confirms the sign-in. */
function onlyDashboard({ dashboards }: Visit): string {
  const [only, ...others] = dashboards;
  return only === undefined || others.length > 0 ? PROVIDER_RETURN : only;
}

/**
 * Identity providers redirect staff to this page. A form completes the sign-in, because a GET must not
 * change anything. Then staff continue to the tenant's dashboard.
 */
const providerReturnPage: Page = {
  path: '',
  isOpen: true,
  show: async ({ query, form, user, problems, dashboards }) => {
    const { state, code, iss, error } = form.values['state'] === undefined ? query : form.values;
    const mayFinish = problems === null || problems.code === 'provider_slow';
    const came = state && code && mayFinish ? { state, code, iss } : null;
    const is_denied = error === 'access_denied';
    const is_in = user !== null && came === null && !error && problems === null;
    return pageView('provider-return', { came, error, is_denied, is_in, dashboards });
  },
  submit: async (visit) => {
    const body = filledFields(visit, 'state', 'code', 'iss');
    const answer = await visit.ask<SignInStep & LinkOffer>('POST /auth/provider-sign-in', { body });
    const { second_factor, link } = answer;
    if (link !== undefined)
      return redirectTo(`${PROVIDER_RETURN}/sign-in?back=${LINK_PATH}`, 'link_needed');
    if (second_factor === undefined) return redirectTo(onlyDashboard(visit));
    if (second_factor.must_enroll) return redirectTo(`${PROVIDER_RETURN}/enroll-factor`);
    const by = second_factor.methods.includes('totp') ? '' : '?by=recovery_code';
    return redirectTo(`${PROVIDER_RETURN}/second-factor${by}`);
  },
};

/** A user signed in by other means agrees to link the provider as another way to sign in. */
const linkPage: Page = {
  path: '/link',
  isOpen: true,
  show: async ({ user, problems }) =>
    user === null
      ? redirectTo(`${PROVIDER_RETURN}/sign-in?back=${LINK_PATH}`)
      : pageView('provider-link', { action: LINK_PATH, isOver: problems !== null }),
  submit: async (visit) => {
    await visit.ask('POST /auth/provider-links');
    return redirectTo(PROVIDER_RETURN, 'linked');
  },
};

export const providerReturnPages: readonly Page[] = [
  providerReturnPage,
  linkPage,
  signInPage(PROVIDER_RETURN, afterProviderSignIn, () => false),
  ...secondFactorPages(PROVIDER_RETURN, afterProviderSignIn),
];
