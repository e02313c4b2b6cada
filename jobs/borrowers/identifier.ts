import { Invalid } from '../errors.ts';

export const IDENTITY_TYPES = [
  ...(['ssn', 'itin', 'ein', 'drivers_license', 'passport'] as const),
  ...(['state_id', 'military_id', 'other'] as const),
] as const;
export type IdentityType = (typeof IDENTITY_TYPES)[number];

/** Types whose last four digits also appear in the borrower's `ssn_last_four`. */
export const INDIVIDUAL_IDENTITY_TYPES: readonly IdentityType[] = ['ssn', 'itin'];

/** Nine-digit numbers: pattern and error message. */
const NINE_DIGITS: Partial<Record<IdentityType, [RegExp, string]>> = {
  // Area 000, 666 and 9xx, group 00 and serial 0000 are never issued.
  ssn: [/^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/, 'Must be a Social Security number.'],
  itin: [/^9\d{8}$/, 'Must be nine digits that begin with 9.'],
  ein: [/^\d{9}$/, 'Must be nine digits.'],
};

/**
 * The normalized number for storage and comparison: `123-45-6789` and `123456789` are equal. Throws Invalid
 * if the type does not allow the number.
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
