import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { paymentInstruments } from '../../sql/borrowers/payment-instruments.ts';
import { findPaymentAuthorization } from '../../sql/portal/consents.ts';
import { find, type Row } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { filters } from '../../templates/filters.ts';
import { formatPhone } from '../../templates/phone-numbers.ts';
import { hasPhrase, phrase, type Language } from '../../templates/portal/words.ts';
import { documentLocale } from '../../templates/render-document.ts';
import { NotFound } from '../errors.ts';
import { readSettings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { languageOf } from './consent-texts.ts';

type Draw = {
  amount: string;
  payment_date: string;
  payment_instrument_id: string;
  language?: Language | null | undefined;
};

/**
 * The text by which a borrower authorizes a single draw in the portal, in the given or preferred language. It
 * names payer, account, amount, date and the way to revoke it, and says that it covers one entry (Nacha
 * Operating Rules, subsection 2.3.2; 12 CFR part 1005, supplement I, comment 3(b)(1)-1).
 */
export async function writeAuthorization(
  { tx, today }: Work,
  borrowerId: string,
  { amount, payment_date, payment_instrument_id, language: wished }: Draw,
): Promise<string> {
  const borrower = await find(tx, borrowers, borrowerId);
  const instrument = await find(tx, paymentInstruments, payment_instrument_id);
  if (borrower === null || instrument === null) throw new NotFound();
  const tenant = await currentTenant(tx);
  const language = wished ?? languageOf(borrower['language_preference']);
  const setting = {
    locale: documentLocale(language, tenant.locale),
    currency: tenant.currency,
  };
  const figure = (filter: string, value: string) => filters[filter]?.(value, setting) ?? value;
  const { support_phone, support_email } = readSettings(tenant.settings).branding;
  const contact = [support_phone && formatPhone(support_phone), support_email]
    .filter(Boolean)
    .join(', ');
  const date = figure('date', payment_date);
  const values = {
    tenant: tenant.name,
    name: `${String(borrower['first_name'])} ${String(borrower['last_name'])}`,
    amount: figure('currency', amount),
    account: describeAccount(language, instrument),
    date,
    today: figure('date', today),
    contact: contact && `: ${contact}`,
  };
  const revocation = payment_date > today ? 'pay.revoke_scheduled' : 'pay.revoke_today';
  return `${phrase(language, 'pay.authorize', values)} ${phrase(language, revocation, values)}`;
}

/** Such as "First Bank …6789 (Checking)". */
function describeAccount(language: Language, { bank_name, ...instrument }: Row): string {
  const { account_number_last_four: digits, account_type } = instrument;
  const kind = `account_type.${String(account_type)}`;
  return [
    ...(typeof bank_name === 'string' ? [bank_name] : []),
    ...(typeof digits === 'string' ? [`…${digits}`] : []),
    ...(hasPhrase(kind) ? [`(${phrase(language, kind)})`] : []),
  ].join(' ');
}

/** The authorization of a payment that the borrower made in the portal. */
export async function getPaymentAuthorization({ tx }: Work, borrowerId: string, paymentId: string) {
  const authorization = await findPaymentAuthorization(tx, paymentId, borrowerId);
  if (authorization === null) throw new NotFound();
  return authorization;
}
