import { moved, shown, type Page, type Visit } from './page.ts';

/** What a sign-in answers that has not ended. */
export type Wanted = { second_factor?: { methods: string[]; must_enroll: boolean } };

type Begun = { secret: string; qr_svg: string };

/**
 * The steps between a first factor and being in, in one of the rooms: a second factor that is asked for,
 * and one that has to be set up. Then one goes on.
 */
export function factorPages(room: string, onward: (visit: Visit) => string): readonly Page[] {
  const [asking, setting] = [`${room}/second-factor`, `${room}/enroll-factor`];

  const secondFactor: Page = {
    path: '/second-factor',
    isOpen: true,
    show: async (visit) => {
      const hasNoApp = visit.query['by'] === 'recovery_code';
      return shown('second-factor', { action: asking, back: onward(visit), hasNoApp });
    },
    submit: async (visit) => {
      const { code, recovery_code } = visit.form.values;
      const body = recovery_code === undefined ? { code } : { recovery_code };
      await visit.ask('POST /auth/second-factor', { body });
      return moved(onward(visit));
    },
  };

  /** The key of the app is told once: whoever mistypes its first code goes on with the app as it is. */
  const enrollFactor: Page = {
    path: '/enroll-factor',
    isOpen: true,
    show: async ({ problems }) =>
      shown('enroll-factor', { action: setting, is_begun: problems?.errors['code'] }),
    submit: async (visit) => {
      const { ask, form } = visit;
      const { step, code } = form.values;
      if (step === 'begin') {
        const { secret, qr_svg } = await ask<Begun>('POST /auth/second-factors/totp');
        const app = { is_begun: true, secret, picture: qr_svg };
        return shown('enroll-factor', { action: setting, ...app });
      }
      const body = { code };
      const codes = await ask<object>('POST /auth/second-factors/totp/confirm', { body });
      return shown('recovery-codes', { ...codes, onward: onward(visit) });
    },
  };

  return [secondFactor, enrollFactor];
}
