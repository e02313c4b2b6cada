import { missing } from './missing.ts';
import { filledIn } from './fields.ts';
import { moved, shown, withPasskeys, type Page, type Visit } from './page.ts';
import { credentialOf } from './factors-asked.ts';
import type { AccountRoom } from './rooms.ts';

const FACTORS = '/auth/second-factors';

type Factor = { id: string; kind: string; name: string };
type Own = { factors: Factor[]; recovery_codes_left: number; is_required: boolean };
type Codes = { recovery_codes: string[] };

const ownOf = ({ ask }: Visit) => ask<Own>(`GET ${FACTORS}`);

/** Whoever changes what protects the account says the password once more. */
const again = (visit: Visit) => ({ body: filledIn(visit, 'current_password') });

/** The pages on which people manage their own second factors, in one of the rooms. */
export function ownFactorPages(room: AccountRoom): readonly Page[] {
  const factors_at = `${room}/factors`;

  /** Recovery codes are shown with the first factor, and once. */
  const added = ({ recovery_codes }: Codes) =>
    recovery_codes.length === 0
      ? moved(factors_at, 'factor_added')
      : shown('recovery-codes', { recovery_codes, onward: `${factors_at}?done=factor_added` });

  const factors: Page = {
    path: '/factors',
    show: async (visit) => {
      const own = await ownOf(visit);
      const hasApp = own.factors.some(({ kind }) => kind === 'totp');
      return withPasskeys(shown('factors', { factors_at, ...own, hasApp }));
    },
  };

  /** The key of the app is told once: whoever mistypes its first code goes on with the app as it is. */
  const app: Page = {
    path: '/factors/app',
    show: async ({ problems }) =>
      shown('factor-app', { factors_at, is_begun: problems?.errors['code'] }),
    submit: async (visit) => {
      const { ask, form } = visit;
      if (form.values['step'] === 'confirm') {
        const body = filledIn(visit, 'code');
        return added(await ask<Codes>(`POST ${FACTORS}/totp/confirm`, { body }));
      }
      const begun = await ask<{ secret: string; qr_svg: string }>(
        `POST ${FACTORS}/totp`,
        again(visit),
      );
      const { secret, qr_svg: picture } = begun;
      return shown('factor-app', { factors_at, is_begun: true, secret, picture });
    },
  };

  const passkey: Page = {
    path: '/factors/passkey',
    show: async () => withPasskeys(shown('factor-passkey', { factors_at })),
    submit: async (visit) => {
      const { ask, form } = visit;
      const named = filledIn(visit, 'name');
      if (form.values['step'] === 'confirm') {
        const body = { ...named, credential: credentialOf(form) };
        return added(await ask<Codes>(`POST ${FACTORS}/passkeys`, { body }));
      }
      const options = await ask(`POST ${FACTORS}/passkeys/options`, again(visit));
      return withPasskeys(
        shown('factor-passkey', { factors_at, ...named, options: JSON.stringify(options) }),
      );
    },
  };

  const codes: Page = {
    path: '/factors/codes',
    show: async () => shown('factor-codes', { factors_at }),
    submit: async (visit) => {
      const { recovery_codes } = await visit.ask<Codes>(
        `POST ${FACTORS}/recovery-codes`,
        again(visit),
      );
      return shown('recovery-codes', { recovery_codes, onward: factors_at });
    },
  };

  const removal: Page = {
    path: '/factors/{id}/remove',
    show: async (visit) => {
      const factor = (await ownOf(visit)).factors.find(({ id }) => id === visit.params['id']);
      if (factor === undefined) throw missing();
      return shown('factor-removal', { factors_at, factor });
    },
    submit: async (visit) => {
      const { ask, params } = visit;
      await ask(`POST ${FACTORS}/{id}/remove`, { params, ...again(visit) });
      return moved(factors_at, 'factor_removed');
    },
  };

  return [factors, app, passkey, codes, removal];
}
