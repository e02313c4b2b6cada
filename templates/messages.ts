import { readdirSync, readFileSync } from 'node:fs';
import { extractPart } from './text-parts.ts';

export const TEMPLATE_TYPES = [
  ...(['payment_reminder', 'payment_received', 'payment_failed', 'payment_reversed'] as const),
  ...(['past_due_notice', 'late_fee_notice', 'autopay_enrolled', 'autopay_canceled'] as const),
  ...(['loan_approved', 'loan_denied', 'loan_disbursed', 'statement_ready'] as const),
  ...(['payoff_letter', 'charge_off_notice', 'modification_confirmation'] as const),
  ...(['schedule_changed', 'application_notice'] as const),
  ...(['forbearance_confirmation', 'hardship_received', 'hardship_decided'] as const),
  ...(['goodbye_letter', 'hello_letter', 'payment_misdirected'] as const),
  ...(['case_answered', 'promise_reminder'] as const),
  ...(['broken_promise', 'welcome', 'password_reset', 'custom'] as const),
] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

export type DefaultMessage = {
  template_type: TemplateType;
  language: 'en' | 'es';
  channel: 'email' | 'sms' | 'letter';
  subject: string | null;
  body: string;
};

const FOLDER = new URL('./messages/', import.meta.url);
let messages: readonly DefaultMessage[] | undefined;

/**
 * The default messages: one for each type, language and channel. They obey the rules for tenants'
 * templates, so a tenant can copy one and change it.
 */
export function defaultMessages(): readonly DefaultMessage[] {
  messages ??= [...readMessages('', 'en'), ...readMessages('es/', 'es')];
  return messages;
}

/** The default message for the type and channel, in the language or otherwise in English. */
export function defaultMessage(
  type: TemplateType,
  channel: DefaultMessage['channel'],
  language: string,
): DefaultMessage | undefined {
  const fits = defaultMessages().filter(
    (message) => message.template_type === type && message.channel === channel,
  );
  const languageCode = language.slice(0, 2).toLowerCase();
  return (
    fits.find((message) => message.language === languageCode) ??
    fits.find((message) => message.language === 'en')
  );
}

function readMessages(folder: string, language: 'en' | 'es'): DefaultMessage[] {
  return readdirSync(new URL(`./${folder}`, FOLDER))
    .filter((file) => file.endsWith('.html'))
    .toSorted()
    .flatMap((file) => {
      const template_type = TEMPLATE_TYPES.find((type) => `${type}.html` === file);
      if (!template_type) throw new Error(`${file} is not the name of a message.`);
      const text = readFileSync(new URL(`${folder}${file}`, FOLDER), 'utf8');
      const [subject, email, sms] = ['subject', 'email', 'sms'].map((part) =>
        extractPart(text, part),
      );
      if (!subject || !email) throw new Error(`${folder}${file} lacks its subject or its email.`);
      const message = { template_type, language };
      return [
        { ...message, channel: 'email' as const, subject, body: email },
        { ...message, channel: 'letter' as const, subject, body: email },
        ...(sms ? [{ ...message, channel: 'sms' as const, subject: null, body: sms }] : []),
      ];
    });
}
