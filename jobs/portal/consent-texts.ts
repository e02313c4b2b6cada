import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { find } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { CONSENT_PHRASES } from '../../templates/portal/consents.ts';
import { matchLanguage, phrase, type Language } from '../../templates/portal/words.ts';
import type { Work } from '../work.ts';

/** The text of our page, in the borrower's language. */
export async function consentText(
  { tx }: Work,
  borrowerId: string,
  type: keyof typeof CONSENT_PHRASES,
): Promise<string> {
  const borrower = await find(tx, borrowers, borrowerId);
  const language = languageOf(borrower?.['language_preference']);
  return phrase(language, CONSENT_PHRASES[type], { tenant: (await currentTenant(tx)).name });
}

/** The portal's language for a borrower's preferred language. */
export const languageOf = (preference: unknown): Language =>
  matchLanguage([String(preference)]) ?? 'en';
