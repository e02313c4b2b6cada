import { Invalid } from '../errors.ts';

export const IDENTITY_TYPES = [
  ...(['ssn', 'itin', 'ein', 'drivers_license', 'passport'] as const),
  ...(['state_id', 'military_id', 'other'] as const),
] as const;
export type IdentityType = (typeof IDENTITY_TYPES)[number];

/** Whose last four digits are those of `ssn_last_four`: the taxpayer's own number. */
export const INDIVIDUAL_IDENTITY_TYPES: readonly IdentityType[] = ['ssn', 'itin'];

/** The numbers of nine digits: how each is made up, and what is said of one that is not. */
const NINE_DIGITS: Partial<Record<IdentityType, [RegExp, string]>> = {
  // Area 000, 666 and 9xx, group 00 and serial 0000 were never given out.
  ssn: [/^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/, 'Must be a Social Security number.'],
  itin: [/^9\d{8}$/, 'Must be nine digits that begin with 9.'],
  ein: [/^\d{9}$/, 'Must be nine digits.'],
};

/**
 * The number as it is kept and compared, however it was written: `123-45-6789` and `123456789` are
 * one. Refuses what its type cannot have.
 */
export function normalizeNumber(type: IdentityType, written: string): string {
  const number = written.replace(/[\s./-]/g, '').toUpperCase();
  const [pattern, message] = NINE_DIGITS[type] ?? [
    /^[A-Z0-9]{4,30}$/,
    'Must be 4 to 30 letters and digits.',
  ];
  if (!pattern.test(number)) throw new Invalid({ identifier: message });
  return number;
}
