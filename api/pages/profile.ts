import { filledFields, formIdempotencyKey, isTicked } from './form-fields.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { fetchAllRows } from './fetch-rows.ts';

const HERE = '/portal/profile';
const PROFILE = '/portal/profile';

/** Ten digits, in any notation, are a US number. */
function normalizePhone(written: string): string {
  const bare = written.replace(/[\s().-]/g, '');
  return bare.replace(/^(1?)(\d{10})$/, '+1$2');
}

/** Each form of the page: the change it makes and the notice shown afterwards. */
const STEPS: ReadonlyMap<string, (visit: Visit) => Promise<string>> = new Map([
  [
    'contact',
    async (visit: Visit) => {
      const { phone, ...language } = filledFields(visit, 'phone', 'language_preference');
      const body = { ...language, ...(phone && { phone: normalizePhone(phone) }) };
      await visit.ask(`PUT ${PROFILE}`, { body });
      visit.speak(language['language_preference'] ?? '');
      return 'profile_saved';
    },
  ],
  [
    'preferences',
    async (visit: Visit) => {
      const names = ['email_enabled', 'sms_enabled', 'letter_enabled', 'marketing_enabled'];
      const body = Object.fromEntries(names.map((name) => [name, isTicked(visit, name)]));
      await visit.ask(`PUT ${PROFILE}/communication-preferences`, { body });
      return 'preferences_saved';
    },
  ],
  [
    'address',
    async (visit: Visit) => {
      const lines = filledFields(visit, 'street_line_1', 'street_line_2', 'city', 'state');
      const body = { ...lines, ...filledFields(visit, 'postal_code') };
      await visit.ask(`POST ${PROFILE}/addresses`, { body, ...formIdempotencyKey(visit) });
      return 'address_added';
    },
  ],
  [
    'password',
    async (visit: Visit) => {
      const { current_password = '', new_password = '' } = visit.form.values;
      const body = { current_password, new_password };
      await visit.ask('POST /auth/password/change', { body });
      return 'password_changed';
    },
  ],
]);

const profile: Page = {
  path: '/profile',
  show: async (visit) => {
    const profile = await visit.ask(`GET ${PROFILE}`);
    const sessions = await fetchAllRows(visit, 'GET /auth/sessions');
    return pageView('profile', { profile, sessions });
  },
  submit: async (visit) => {
    const { step = '', id = '' } = visit.form.values;
    if (step === 'end-session') {
      await visit.ask('DELETE /auth/sessions/{id}', { params: { id } });
      return redirectTo(HERE, 'session_ended');
    }
    const save = STEPS.get(step);
    return save === undefined ? redirectTo(HERE) : redirectTo(HERE, await save(visit));
  },
};

export const profilePages: readonly Page[] = [profile];
