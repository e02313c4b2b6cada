import { safeReturnPath } from './return-path.ts';
import { secondFactorPages, type SignInStep } from './second-factor-steps.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { PORTAL, type AccountSection } from './sections.ts';

/** The page to continue with, from the address or from the form. */
const returnPathOf = ({ query, form }: Visit) =>
  safeReturnPath(form.values['back'] ?? query['back'], PORTAL);

/** The first step of a sign-in in one section. */
export const signInPage = (
  section: string,
  onward: (visit: Visit) => string,
  isIn: (visit: Visit) => boolean,
): Page => ({
  path: '/sign-in',
  isOpen: true,
  show: async (visit) => {
    if (isIn(visit)) return redirectTo(onward(visit));
    return pageView('sign-in', { back: onward(visit), action: `${section}/sign-in` });
  },
  submit: async (visit) => {
    const { email = '', password = '' } = visit.form.values;
    const body = { email, password };
    const { second_factor } = await visit.ask<SignInStep>('POST /auth/login', { body });
    const back = onward(visit);
    if (second_factor === undefined) return redirectTo(back);
    if (second_factor.must_enroll) return redirectTo(`${section}/enroll-factor`);
    const by = second_factor.methods.includes('totp') ? '' : '&by=recovery_code';
    return redirectTo(`${section}/second-factor?back=${back}${by}`);
  },
});

export const signOutPage = (section: AccountSection): Page => ({
  path: '/sign-out',
  isOpen: true,
  show: async () => redirectTo(section),
  submit: async ({ ask }) => {
    await ask('POST /auth/logout');
    return { ...redirectTo(`${section}/sign-in`, 'signed_out'), clears: true };
  },
});

export const forgotPasswordPage = (section: AccountSection): Page => ({
  path: '/forgot-password',
  isOpen: true,
  show: async () => pageView('forgot-password', { section }),
  submit: async ({ ask, form }) => {
    const { email = '' } = form.values;
    await ask('POST /auth/password/request', { body: { email } });
    return pageView('forgot-password', { section, is_sent: true });
  },
});

const isUsable = async (ask: Visit['ask'], token: string): Promise<boolean> => {
  const body = { token };
  const checked = await ask<{ is_usable: boolean }>('POST /auth/password/check-link', { body });
  return checked.is_usable;
};

/** Invitation and password reset links open this page. An expired link shows what to do next. */
export const choosePasswordPage = (section: AccountSection): Page => ({
  path: '/choose-password',
  isOpen: true,
  show: async ({ query, form, ask }) => {
    const token = form.values['token'] ?? query['token'] ?? '';
    // A missing or malformed token counts as an expired link.
    const isToken = /^[\w-]{1,200}$/.test(token);
    const is_over = !(isToken && (await isUsable(ask, token)));
    const page = pageView('choose-password', { section, token, is_over });
    return is_over ? { ...page, status: 410 } : page;
  },
  submit: async ({ ask, form }) => {
    const { token = '', password = '' } = form.values;
    await ask('POST /auth/password/reset', { body: { token, password } });
    return redirectTo(`${section}/sign-in`, 'password_chosen');
  },
});

/** Changes the language of the pages and of future messages to the borrower. */
export const languagePage = (section: AccountSection): Page => ({
  path: '/language',
  isOpen: true,
  show: async () => redirectTo(section),
  submit: async ({ ask, form, user, speak }) => {
    const { language: wanted = '', back } = form.values;
    speak(wanted);
    if (user?.borrower_id)
      await ask('PUT /portal/profile', { body: { language_preference: wanted } });
    return redirectTo(safeReturnPath(back, section));
  },
});

export const signInPages: readonly Page[] = [
  signInPage(PORTAL, returnPathOf, ({ user }) => Boolean(user?.borrower_id)),
  ...secondFactorPages(PORTAL, returnPathOf),
  signOutPage(PORTAL),
  forgotPasswordPage(PORTAL),
  choosePasswordPage(PORTAL),
  languagePage(PORTAL),
];
