import { formatPhone } from '../../templates/phone-numbers.ts';
import { documentLocale } from '../../templates/render-document.ts';
import type { MessageFigures } from './message-figures.ts';

/**
 * All variables of a message to the borrower. Context values from the caller take precedence over amounts
 * and dates of the loan. Dates and amounts use the language of the template; a message stored without a
 * language uses the tenant's locale.
 */
export function messageVariables(
  { letter, language, borrower, loan, autopay }: MessageFigures,
  words: { language?: string | undefined },
  context: Record<string, unknown> = {},
) {
  const { currency, time_zone, letter_date: today, recipient } = letter;
  const { name, slug, portal_url: url } = letter.tenant;
  const { support_email } = letter.tenant.branding;
  const support_phone = formatPhone(letter.tenant.branding.support_phone);
  const languageCode = words.language?.slice(0, 2);
  const locale = languageCode ? documentLocale(languageCode, letter.locale) : letter.locale;
  return {
    payment_amount: loan?.['amount_due'],
    due_date: loan?.['next_payment_date'],
    ...context,
    ...(autopay && { autopay }),
    locale,
    currency,
    time_zone,
    today,
    tenant: {
      name,
      slug,
      url,
      support_email,
      support_phone,
      branding: { ...letter.tenant.branding, support_phone },
    },
    borrower: {
      ...borrower,
      name: recipient.name,
      preferred_language: language,
    },
    loan: loan && {
      ...loan,
      number: loan['loan_number'],
      balance: loan['principal_balance'],
      rate: loan['interest_rate'],
    },
    context,
  };
}
