import { pageNotFound } from './page-not-found.ts';
import { filledFields } from './form-fields.ts';
import { redirectTo, pageView, withPasskeyScript, type Page, type Visit } from './page.ts';
import { parseCredential } from './second-factor-steps.ts';
import type { AccountSection } from './sections.ts';

const FACTORS = '/auth/second-factors';

type Factor = { id: string; kind: string; name: string };
type OwnFactors = { factors: Factor[]; recovery_codes_left: number; is_required: boolean };
type Codes = { recovery_codes: string[] };

const fetchOwnFactors = ({ ask }: Visit) => ask<OwnFactors>(`GET ${FACTORS}`);

/** Changing how the account is protected requires the password again. */
const passwordConfirmation = (visit: Visit) => ({ body: filledFields(visit, 'current_password') });

/** The pages on which users manage their own second factors, in one section. */
export function ownFactorPages(section: AccountSection): readonly Page[] {
  const factors_at = `${section}/factors`;
  return [
    listPage(factors_at),
    appPage(factors_at),
    passkeyPage(factors_at),
    codesPage(factors_at),
    removalPage(factors_at),
  ];
}

/** Recovery codes are shown only once, with the first factor. */
const factorAdded = (factors_at: string, { recovery_codes }: Codes) =>
  recovery_codes.length === 0
    ? redirectTo(factors_at, 'factor_added')
    : pageView('recovery-codes', { recovery_codes, onward: `${factors_at}?done=factor_added` });

const listPage = (factors_at: string): Page => ({
  path: '/factors',
  show: async (visit) => {
    const own = await fetchOwnFactors(visit);
    const hasApp = own.factors.some(({ kind }) => kind === 'totp');
    return withPasskeyScript(pageView('factors', { factors_at, ...own, hasApp }));
  },
});

/** The app's key is shown only once. After a mistyped code, the user continues with the same key. */
const appPage = (factors_at: string): Page => ({
  path: '/factors/app',
  show: async ({ problems }) =>
    pageView('factor-app', { factors_at, is_begun: problems?.errors['code'] }),
  submit: async (visit) => {
    const { ask, form } = visit;
    if (form.values['step'] === 'confirm') {
      const body = filledFields(visit, 'code');
      return factorAdded(factors_at, await ask<Codes>(`POST ${FACTORS}/totp/confirm`, { body }));
    }
    const begun = await ask<{ secret: string; qr_svg: string }>(
      `POST ${FACTORS}/totp`,
      passwordConfirmation(visit),
    );
    const { secret, qr_svg: picture } = begun;
    return pageView('factor-app', { factors_at, is_begun: true, secret, picture });
  },
});

const passkeyPage = (factors_at: string): Page => ({
  path: '/factors/passkey',
  show: async () => withPasskeyScript(pageView('factor-passkey', { factors_at })),
  submit: async (visit) => {
    const { ask, form } = visit;
    const named = filledFields(visit, 'name');
    if (form.values['step'] === 'confirm') {
      const body = { ...named, credential: parseCredential(form) };
      return factorAdded(factors_at, await ask<Codes>(`POST ${FACTORS}/passkeys`, { body }));
    }
    const options = await ask(`POST ${FACTORS}/passkeys/options`, passwordConfirmation(visit));
    return withPasskeyScript(
      pageView('factor-passkey', { factors_at, ...named, options: JSON.stringify(options) }),
    );
  },
});

const codesPage = (factors_at: string): Page => ({
  path: '/factors/codes',
  show: async () => pageView('factor-codes', { factors_at }),
  submit: async (visit) => {
    const { recovery_codes } = await visit.ask<Codes>(
      `POST ${FACTORS}/recovery-codes`,
      passwordConfirmation(visit),
    );
    return pageView('recovery-codes', { recovery_codes, onward: factors_at });
  },
});

const removalPage = (factors_at: string): Page => ({
  path: '/factors/{id}/remove',
  show: async (visit) => {
    const { factors } = await fetchOwnFactors(visit);
    const factor = factors.find(({ id }) => id === visit.params['id']);
    if (factor === undefined) throw pageNotFound();
    return pageView('factor-removal', { factors_at, factor });
  },
  submit: async (visit) => {
    const { ask, params } = visit;
    await ask(`POST ${FACTORS}/{id}/remove`, { params, ...passwordConfirmation(visit) });
    return redirectTo(factors_at, 'factor_removed');
  },
});
