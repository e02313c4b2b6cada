import type { Form } from './form.ts';
import { redirectTo, pageView, withPasskeyScript, type Page, type Visit } from './page.ts';

/** The answer of an unfinished sign-in. */
export type SignInStep = { second_factor?: { methods: string[]; must_enroll: boolean } };

/** Parses the passkey credential that the page's script submitted. Returns undefined for anything else. */
export function parseCredential({ values }: Form): unknown {
  try {
    return JSON.parse(values['credential'] ?? '');
  } catch {
    return undefined;
  }
}

type StartedEnrollment = { secret: string; qr_svg: string };

/**
 * The pages between the first factor and the session, in one section: enter a second factor, or set one up.
 */
export function secondFactorPages(
  section: string,
  onward: (visit: Visit) => string,
): readonly Page[] {
  const [asking, setting] = [`${section}/second-factor`, `${section}/enroll-factor`];

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

  /** The app's key is shown only once. After a mistyped code, the user continues with the same key. */
  const enrollFactor: Page = {
    path: '/enroll-factor',
    isOpen: true,
    show: async ({ problems }) =>
      pageView('enroll-factor', { action: setting, is_begun: problems?.errors['code'] }),
    submit: async (visit) => {
      const { ask, form } = visit;
      const { step, code } = form.values;
      if (step === 'begin') {
        const { secret, qr_svg } = await ask<StartedEnrollment>('POST /auth/second-factors/totp');
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
