import { Invalid } from '../../jobs/errors.ts';
import { CONSENT_PHRASES } from '../../templates/portal/consents.ts';
import { phrase } from '../../templates/portal/words.ts';
import { filledFields, formIdempotencyKey, isTicked } from './form-fields.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { fetchAllRows } from './fetch-rows.ts';

const HERE = '/portal/profile';
const PROFILE = '/portal/profile';
const PREFERENCES = `PUT ${PROFILE}/communication-preferences`;

/** The consent text of the page, as the borrower saw it. */
const shown = ({ language, config }: Visit, type: keyof typeof CONSENT_PHRASES) =>
  phrase(language, CONSENT_PHRASES[type], { tenant: config.tenant_name });

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
      const names = ['email_enabled', 'letter_enabled', 'marketing_enabled'];
      const wishes = Object.fromEntries(names.map((name) => [name, isTicked(visit, name)]));
      const consents = { email: shown(visit, 'email'), marketing: shown(visit, 'marketing') };
      await visit.ask(PREFERENCES, { body: { ...wishes, consents } });
      return 'preferences_saved';
    },
  ],
  [
    'texts',
    async (visit: Visit) => {
      if (!isTicked(visit, 'agrees_to_texts'))
        throw new Invalid({ agrees_to_texts: 'Tick the box to agree.' });
      const consents = { sms: shown(visit, 'tcpa_sms') };
      await visit.ask(PREFERENCES, { body: { sms_enabled: true, consents } });
      return 'preferences_saved';
    },
  ],
  [
    'no-texts',
    async (visit: Visit) => {
      await visit.ask(PREFERENCES, { body: { sms_enabled: false } });
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
