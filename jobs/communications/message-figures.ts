import * as recipients from '../../sql/communications/recipients.ts';
import * as logos from '../../sql/users/logos.ts';
import { currentTenant, listDomains } from '../../sql/tenants.ts';
import { addressee, estateOf, type Letter } from '../../templates/letter.ts';
import { LOAN_VALUES } from '../../templates/variables.ts';
import { tenantOrigin } from '../users/settings/tenant-origin.ts';
import { settingsOf, type Settings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

/**
 * The content of a letter as of the day it was decided. Later printing and sending use this snapshot and do
 * not read sender, recipient or amounts again. It contains no personal numbers.
 */
export type LetterFigures = Letter & {
  time_zone: string;
  tenant: Letter['tenant'] & { slug: string; branding: Settings['branding'] };
};

/** The figures without recipient and loan. */
export type LetterSender = Omit<LetterFigures, 'recipient' | 'loan_number'>;

/** The figures stored with a message. Its text is stored next to them, or is rendered from `template`. */
export type MessageFigures = {
  letter: LetterFigures;
  language: string;
  borrower: Pick<recipients.Recipient, 'first_name' | 'last_name' | 'email' | 'phone'>;
  loan: Record<string, unknown> | null;
  /** The next autopay draw, if the message mentions it. */
  autopay?: Record<string, unknown> | null;
  template?: { language?: string; subject: string | null; body: string } | undefined;
};

/** The sender as of the business date. */
export async function loadSender({ tx, today, installation }: Work): Promise<LetterSender> {
  const { name, slug, currency, locale, time_zone } = await currentTenant(tx);
  const { branding, auth } = await settingsOf(tx);
  const site = { domains: await listDomains(tx), auth };
  const { address_line_1, address_line_2, logo_url } = branding;
  return {
    locale,
    currency,
    time_zone,
    tenant: {
      name,
      slug,
      branding,
      logo_id: logo_url === '' ? null : await logos.findReady(tx, logo_url),
      address_lines: [address_line_1, address_line_2].filter((line) => line !== ''),
      portal_url: site.domains.length > 0 ? `${tenantOrigin(site, installation)}/portal` : null,
    },
    letter_date: today,
  };
}

export const addressLetter = (
  sender: LetterSender,
  recipient: recipients.Recipient,
  loan_number: string,
): LetterFigures => {
  const { first_name, last_name, address_lines, postal_code, country } = recipient;
  const { estate_representative, language_preference } = recipient;
  const address = { address_lines: address_lines ?? [], postal_code, country };
  const person = { name: `${first_name} ${last_name}`, ...address, estate_representative };
  return { ...sender, recipient: addressee(person, language_preference), loan_number };
};

/** All figures of a message to the borrower, with the loan's current values. */
export function buildMessageFigures(
  sender: LetterSender,
  recipient: recipients.Recipient,
  loan: Record<string, unknown> | null,
): MessageFigures {
  const { last_name, email, phone, language_preference: language } = recipient;
  const isEstate = recipient.estate_representative !== null;
  const first_name = isEstate ? estateOf(recipient.first_name, language) : recipient.first_name;
  return {
    letter: addressLetter(sender, recipient, String(loan?.['loan_number'] ?? '')),
    language,
    borrower: { first_name, last_name, email, phone },
    loan: loan && Object.fromEntries(LOAN_VALUES.map((column) => [column, loan[column] ?? null])),
  };
}
