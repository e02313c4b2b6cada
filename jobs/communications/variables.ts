import { documentLocale } from '../../templates/render-document.ts';
import type { MessageFigures } from './message-figures.ts';

/**
 * Everything that a message to the borrower may name. Amounts and dates that the caller gives (what
 * was paid, when a promise is due) stand beside ours; what is due next comes from the loan. Dates and
 * amounts are written as in the language of the words; what was queued without it keeps the tenant's way.
 */
export function messageVariables(
  { letter, language, borrower, loan, autopay }: MessageFigures,
  words: { language?: string | undefined },
  context: Record<string, unknown> = {},
) {
  const { currency, time_zone, letter_date: today, recipient } = letter;
  const { name, slug, portal_url: url, branding } = letter.tenant;
  const { support_email, support_phone } = branding;
  const spoken = words.language?.slice(0, 2);
  const locale = spoken ? documentLocale(spoken, letter.locale) : letter.locale;
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
      branding,
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
