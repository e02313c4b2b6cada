import * as recipients from '../../sql/communications/recipients.ts';
import { loans } from '../../sql/loans/loans.ts';
import { find } from '../../sql/table.ts';
import { current } from '../../sql/tenants.ts';
import type { Letter } from '../../templates/documents.ts';
import { settingsOf, type Settings } from '../users/settings.ts';
import type { Work } from '../work.ts';

/** What a template may say of the tenant, and how it writes amounts and dates. */
export async function tenantVariables({ tx, today }: Work) {
  const { name, slug, currency, locale, time_zone } = await current(tx);
  const { branding } = await settingsOf(tx);
  const domain = await recipients.domain(tx);
  const { support_email, support_phone } = branding;
  const url = domain ? `https://${domain}` : null;
  const tenant = { name, slug, url, support_email, support_phone, branding };
  return { tenant, locale, currency, time_zone, today };
}

/**
 * Everything that a message to the borrower may name. Amounts and dates that the caller gives (what
 * was paid, when a promise is due) stand beside ours; what is due next comes from the loan.
 */
export async function messageVariables(
  work: Work,
  recipient: recipients.Recipient,
  loanId: string | null,
  context: Record<string, unknown>,
) {
  const ours = await tenantVariables(work);
  const row = loanId === null ? null : await find(work.tx, loans, loanId);
  const { first_name, last_name, email, phone, language_preference } = recipient;
  const name = `${first_name} ${last_name}`;
  return {
    payment_amount: row?.['next_payment_amount'],
    due_date: row?.['next_payment_date'],
    ...context,
    ...ours,
    borrower: {
      name,
      first_name,
      last_name,
      email,
      phone,
      preferred_language: language_preference,
    },
    loan: row && {
      ...row,
      number: row['loan_number'],
      balance: row['principal_balance'],
      rate: row['interest_rate'],
    },
    context,
  };
}

/** What stands on every letter of this tenant to this borrower. */
export async function letterhead(
  work: Work,
  recipient: Pick<recipients.Recipient, 'first_name' | 'last_name' | 'address_lines'>,
  loanNumber: string,
): Promise<Letter> {
  const { tenant, locale, currency } = await tenantVariables(work);
  return {
    locale,
    currency,
    tenant: {
      name: tenant.name,
      branding: tenant.branding,
      address_lines: addressLines(tenant.branding),
      portal_url: tenant.url,
    },
    recipient: {
      name: `${recipient.first_name} ${recipient.last_name}`,
      address_lines: recipient.address_lines ?? [],
    },
    letter_date: work.today,
    loan_number: loanNumber,
  };
}

export const addressLines = ({ address_line_1, address_line_2 }: Settings['branding']) =>
  [address_line_1, address_line_2].filter((line) => line !== '');
