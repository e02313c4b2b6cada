import type { DocumentName } from '../../templates/documents.ts';
import { Conflict } from '../errors.ts';
import { settingsOf, type Settings } from '../users/settings.ts';
import type { Work } from '../work.ts';

export type RequiredSetting =
  | `branding.${'address_line_1' | 'address_line_2' | 'support_phone'}`
  | `adverse_action.${'agency_name' | 'agency_address'}`
  | `tax.${'payer_tin' | 'payer_address'}`;

/** A document is not printed without what it must say; what it wants is a hole that a reader can live with. */
type Needs = { must: readonly RequiredSetting[]; wants: readonly RequiredSetting[] };

const CONTACT = ['branding.address_line_2', 'branding.support_phone'] as const;
const LETTER: Needs = { must: [], wants: ['branding.address_line_1', ...CONTACT] };

/** Statements, disclosures of loans and messages are never held up: the day on which they are due is the law's. */
const NEEDS: Record<DocumentName, Needs> = {
  monthly_statement: LETTER,
  tila_disclosure: LETTER,
  // Whoever finds a mistake on a statement must know where to write to (12 CFR 1026.6(b)(5)(iii), 1026.13(b)).
  account_opening_disclosure: { must: ['branding.address_line_1'], wants: CONTACT },
  letter: LETTER,
  // The creditor's name and address, and those of its agency (12 CFR 1002.9(a)(2)).
  adverse_action_notice: {
    must: [
      'branding.address_line_1',
      'adverse_action.agency_name',
      'adverse_action.agency_address',
    ],
    wants: CONTACT,
  },
  // Whoever pays off must know where to.
  payoff_letter: { must: ['branding.address_line_1'], wants: CONTACT },
  // The filer's name, address, telephone number and whole TIN (IRS, general instructions, part M).
  form_1099c: { must: ['tax.payer_tin', 'tax.payer_address', 'branding.support_phone'], wants: [] },
};

type Missing = { document: DocumentName; must: RequiredSetting[]; wants: RequiredSetting[] };

const isUnset = (settings: Settings, setting: RequiredSetting): boolean => {
  const { adverse_action, branding, tax } = settings;
  const groups: Record<string, Record<string, string>> = { adverse_action, branding, tax };
  const [group = '', key = ''] = setting.split('.');
  return (groups[group]?.[key] ?? '').trim() === '';
};

/** Document by document, the settings that it lacks. */
export function findMissingSettings(settings: Settings): Missing[] {
  return (Object.keys(NEEDS) as DocumentName[]).map((document) => {
    const { must, wants } = NEEDS[document];
    const unset = (setting: RequiredSetting) => isUnset(settings, setting);
    return { document, must: must.filter(unset), wants: wants.filter(unset) };
  });
}

const lackedBy = async (
  { tx }: Work,
  document: DocumentName,
  more: readonly RequiredSetting[] = [],
): Promise<readonly RequiredSetting[]> => {
  const settings = await settingsOf(tx);
  return [...NEEDS[document].must, ...more].filter((setting) => isUnset(settings, setting));
};

/** Whether the tenant has set all that the document must say. */
export const hasRequiredSettings = async (work: Work, document: DocumentName): Promise<boolean> =>
  (await lackedBy(work, document)).length === 0;

/** Refuses to order a document that would have holes where the law asks for words; this one may need `more`. */
export async function assertRequiredSettings(
  work: Work,
  document: DocumentName,
  more: readonly RequiredSetting[] = [],
) {
  const settings = await lackedBy(work, document, more);
  if (settings.length === 0) return;
  throw new Conflict(
    `Set ${settings.join(', ')} first: the ${document.replaceAll('_', ' ')} must say it.`,
    'tenant_incomplete',
    { document, settings },
  );
}
