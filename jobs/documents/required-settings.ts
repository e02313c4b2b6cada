import type { DocumentName } from '../../templates/documents.ts';
import { Conflict } from '../errors.ts';
import { settingsOf, type Settings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

export type RequiredSetting =
  | `branding.${'address_line_1' | 'address_line_2' | 'support_phone'}`
  | `adverse_action.${'agency_name' | 'agency_address'}`
  | `tax.${'payer_tin' | 'payer_address'}`;

/** `must`: without these settings the document is not printed. `wants`: recommended settings. */
type Requirements = { must: readonly RequiredSetting[]; wants: readonly RequiredSetting[] };

const CONTACT = ['branding.address_line_2', 'branding.support_phone'] as const;
const LETTER: Requirements = { must: [], wants: ['branding.address_line_1', ...CONTACT] };

/**
 * Statements, loan disclosures and messages have no required settings, because the law sets their
 * deadlines.
 */
const REQUIREMENTS: Record<DocumentName, Requirements> = {
  monthly_statement: LETTER,
  tila_disclosure: LETTER,
  // Must name the address for billing errors (12 CFR 1026.6(b)(5)(iii), 1026.13(b)).
  account_opening_disclosure: { must: ['branding.address_line_1'], wants: CONTACT },
  letter: LETTER,
  // Must name the creditor's address and its agency's name and address (12 CFR 1002.9(a)(2)).
  adverse_action_notice: {
    must: [
      'branding.address_line_1',
      'adverse_action.agency_name',
      'adverse_action.agency_address',
    ],
    wants: CONTACT,
  },
  // Must name the address for the payoff payment.
  payoff_letter: { must: ['branding.address_line_1'], wants: CONTACT },
  // Must name the filer's name, address, telephone number and complete TIN (IRS, general instructions, part
  // M).
  form_1099c: { must: ['tax.payer_tin', 'tax.payer_address', 'branding.support_phone'], wants: [] },
};

type MissingSettings = {
  document: DocumentName;
  must: RequiredSetting[];
  wants: RequiredSetting[];
};

const isUnset = (settings: Settings, setting: RequiredSetting): boolean => {
  const { adverse_action, branding, tax } = settings;
  const groups: Record<string, Record<string, string>> = { adverse_action, branding, tax };
  const [group = '', key = ''] = setting.split('.');
  return (groups[group]?.[key] ?? '').trim() === '';
};

/** The missing settings of each document. */
export function findMissingSettings(settings: Settings): MissingSettings[] {
  return (Object.keys(REQUIREMENTS) as DocumentName[]).map((document) => {
    const { must, wants } = REQUIREMENTS[document];
    const unset = (setting: RequiredSetting) => isUnset(settings, setting);
    return { document, must: must.filter(unset), wants: wants.filter(unset) };
  });
}

const missingSettingsOf = async (
  { tx }: Work,
  document: DocumentName,
  more: readonly RequiredSetting[] = [],
): Promise<readonly RequiredSetting[]> => {
  const settings = await settingsOf(tx);
  return [...REQUIREMENTS[document].must, ...more].filter((setting) => isUnset(settings, setting));
};

/** Whether the tenant has all settings that the document requires. `more` adds requirements. */
export const hasRequiredSettings = async (
  work: Work,
  document: DocumentName,
  more: readonly RequiredSetting[] = [],
): Promise<boolean> => (await missingSettingsOf(work, document, more)).length === 0;

/** Throws Conflict if the document lacks a required setting. `more` adds requirements of this document. */
export async function assertRequiredSettings(
  work: Work,
  document: DocumentName,
  more: readonly RequiredSetting[] = [],
) {
  const settings = await missingSettingsOf(work, document, more);
  if (settings.length === 0) return;
  throw settingsIncomplete(document, settings);
}

export const settingsIncomplete = (document: DocumentName, settings: readonly string[]) =>
  new Conflict(
    `Set ${settings.join(', ')} first. The ${document.replaceAll('_', ' ')} must show them.`,
    'tenant_incomplete',
    { document, settings },
  );
