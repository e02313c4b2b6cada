import { backTo } from './back.ts';
import { factorPages, type Wanted } from './factors-asked.ts';
import { moved, shown, type Page, type Visit } from './page.ts';
import { PORTAL, type AccountRoom } from './rooms.ts';

/** Where to go on, as the address says, or the form that came from there. */
const backOf = ({ query, form }: Visit) => backTo(form.values['back'] ?? query['back'], PORTAL);

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

export const signOutPage = (room: AccountRoom): Page => ({
  path: '/sign-out',
  isOpen: true,
  show: async () => moved(room),
  submit: async ({ ask }) => {
    await ask('POST /auth/logout');
    return { ...moved(`${room}/sign-in`, 'signed_out'), clears: true };
  },
});

export const forgotPasswordPage = (room: AccountRoom): Page => ({
  path: '/forgot-password',
  isOpen: true,
  show: async () => shown('forgot-password', { room }),
  submit: async ({ ask, form }) => {
    const { email = '' } = form.values;
    await ask('POST /auth/password/request', { body: { email } });
    return shown('forgot-password', { room, is_sent: true });
  },
});

const isUsable = async (ask: Visit['ask'], token: string): Promise<boolean> => {
  const body = { token };
  const checked = await ask<{ is_usable: boolean }>('POST /auth/password/check-link', { body });
  return checked.is_usable;
};

/** Where the link of an invitation leads, or of a reset. A link that opens nothing any more says what to do next. */
export const choosePasswordPage = (room: AccountRoom): Page => ({
  path: '/choose-password',
  isOpen: true,
  show: async ({ query, form, ask }) => {
    const token = form.values['token'] ?? query['token'] ?? '';
    // An address without a token, or with one that none of ours looks like, opens nothing either.
    const isToken = /^[\w-]{1,200}$/.test(token);
    const is_over = !(isToken && (await isUsable(ask, token)));
    const page = shown('choose-password', { room, token, is_over });
    return is_over ? { ...page, status: 410 } : page;
  },
  submit: async ({ ask, form }) => {
    const { token = '', password = '' } = form.values;
    await ask('POST /auth/password/reset', { body: { token, password } });
    return moved(`${room}/sign-in`, 'password_chosen');
  },
});

/** The pages in another language, and what the borrower is written from now on. */
export const languagePage = (room: AccountRoom): Page => ({
  path: '/language',
  isOpen: true,
  show: async () => moved(room),
  submit: async ({ ask, form, user, speak }) => {
    const { language: wanted = '', back } = form.values;
    speak(wanted);
    if (user?.borrower_id)
      await ask('PUT /portal/profile', { body: { language_preference: wanted } });
    return moved(backTo(back, room));
  },
});

export const signingIn: readonly Page[] = [
  signInPage(PORTAL, backOf, ({ user }) => Boolean(user?.borrower_id)),
  ...factorPages(PORTAL, backOf),
  signOutPage(PORTAL),
  forgotPasswordPage(PORTAL),
  choosePasswordPage(PORTAL),
  languagePage(PORTAL),
];
