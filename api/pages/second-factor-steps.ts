import type { Form } from './form.ts';
import { redirectTo, pageView, withPasskeyScript, type Page, type Visit } from './page.ts';

/** What a sign-in answers that has not ended. */
export type SignInStep = { second_factor?: { methods: string[]; must_enroll: boolean } };

/** What a passkey has made or signed, as the page's script has written it; anything else is nothing. */
export function parseCredential({ values }: Form): unknown {
  try {
    return JSON.parse(values['credential'] ?? '');
  } catch {
    return undefined;
  }
}

type Begun = { secret: string; qr_svg: string };

/**
 * The steps between a first factor and being in, in one of the rooms: a second factor that is asked for,
 * and one that has to be set up. Then one goes on.
 */
export function secondFactorPages(room: string, onward: (visit: Visit) => string): readonly Page[] {
  const [asking, setting] = [`${room}/second-factor`, `${room}/enroll-factor`];

  const secondFactor: Page = {
    path: '/second-factor',
    isOpen: true,
    show: async (visit) => {
      const hasNoApp = visit.query['by'] === 'recovery_code';
      return withPasskeyScript(
        pageView('second-factor', { action: asking, back: onward(visit), hasNoApp }),
      );
    },
    submit: async (visit) => {
      const { ask, form } = visit;
      const { step, code, recovery_code } = form.values;
      if (step === 'passkey') {
        const options = JSON.stringify(await ask('POST /auth/second-factor/options'));
        const data = { action: asking, back: onward(visit), options };
        return withPasskeyScript(pageView('second-factor-passkey', data));
      }
      const passkey = step === 'signed' ? { passkey: parseCredential(form) } : null;
      const body = passkey ?? (recovery_code === undefined ? { code } : { recovery_code });
      await ask('POST /auth/second-factor', { body });
      return redirectTo(onward(visit));
    },
  };

  /** The key of the app is told once: whoever mistypes its first code goes on with the app as it is. */
  const enrollFactor: Page = {
    path: '/enroll-factor',
    isOpen: true,
    show: async ({ problems }) =>
      pageView('enroll-factor', { action: setting, is_begun: problems?.errors['code'] }),
    submit: async (visit) => {
      const { ask, form } = visit;
      const { step, code } = form.values;
      if (step === 'begin') {
        const { secret, qr_svg } = await ask<Begun>('POST /auth/second-factors/totp');
        const app = { is_begun: true, secret, picture: qr_svg };
        return pageView('enroll-factor', { action: setting, ...app });
      }
      const body = { code };
      const codes = await ask<object>('POST /auth/second-factors/totp/confirm', { body });
      return pageView('recovery-codes', { ...codes, onward: onward(visit) });
    },
  };

  return [secondFactor, enrollFactor];
}
