import { backTo } from './back.ts';
import { factorPages, type Wanted } from './factors-asked.ts';
import { moved, shown, type Page, type Visit } from './page.ts';

/** Where to go on, as the address says, or the form that came from there. */
const backOf = ({ query, form }: Visit) => backTo(form.values['back'] ?? query['back']);

/** The first step of a sign-in, in one of the rooms; then one goes on. */
export const signInPage = (
  room: string,
  onward: (visit: Visit) => string,
  isIn: (visit: Visit) => boolean,
): Page => ({
  path: '/sign-in',
  isOpen: true,
  show: async (visit) => {
    if (isIn(visit)) return moved(onward(visit));
    return shown('sign-in', { back: onward(visit), action: `${room}/sign-in` });
  },
  submit: async (visit) => {
    const { email = '', password = '' } = visit.form.values;
    const body = { email, password };
    const { second_factor } = await visit.ask<Wanted>('POST /auth/login', { body });
    const back = onward(visit);
    if (second_factor === undefined) return moved(back);
    if (second_factor.must_enroll) return moved(`${room}/enroll-factor`);
    const by = second_factor.methods.includes('totp') ? '' : '&by=recovery_code';
    return moved(`${room}/second-factor?back=${back}${by}`);
  },
});

const signOut: Page = {
  path: '/sign-out',
  isOpen: true,
  show: async () => moved('/portal'),
  submit: async ({ ask }) => {
    await ask('POST /auth/logout');
    return { ...moved('/portal/sign-in', 'signed_out'), clears: true };
  },
};

const forgotPassword: Page = {
  path: '/forgot-password',
  isOpen: true,
  show: async () => shown('forgot-password'),
  submit: async ({ ask, form }) => {
    const { email = '' } = form.values;
    await ask('POST /auth/password/request', { body: { email } });
    return shown('forgot-password', { is_sent: true });
  },
};

/** Where the link of an invitation leads, or of a reset. */
const choosePassword: Page = {
  path: '/choose-password',
  isOpen: true,
  show: async ({ query }) => shown('choose-password', { token: query['token'] }),
  submit: async ({ ask, form }) => {
    const { token = '', password = '' } = form.values;
    await ask('POST /auth/password/reset', { body: { token, password } });
    return moved('/portal/sign-in', 'password_chosen');
  },
};

/** The pages in another language, and what the borrower is written from now on. */
const language: Page = {
  path: '/language',
  isOpen: true,
  show: async () => moved('/portal'),
  submit: async ({ ask, form, user, speak }) => {
    const { language: wanted = '', back } = form.values;
    speak(wanted);
    if (user?.borrower_id)
      await ask('PUT /portal/profile', { body: { language_preference: wanted } });
    return moved(backTo(back));
  },
};

export const signingIn: readonly Page[] = [
  signInPage('/portal', backOf, ({ user }) => Boolean(user?.borrower_id)),
  ...factorPages('/portal', backOf),
  signOut,
  forgotPassword,
  choosePassword,
  language,
];
