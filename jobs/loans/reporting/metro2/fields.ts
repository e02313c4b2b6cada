import { toAscii, hasNoAsciiForm } from '../../../ascii.ts';

/** A Metro 2 text field: upper case, left-aligned, cut or padded to its width. */
export function textField(value: string | number | null | undefined, width: number): string {
  const plain = toAscii(String(value ?? ''))
    .toUpperCase()
    .replace(/[^A-Z0-9 #.,&'/-]/g, ' ');
  return plain.slice(0, width).padEnd(width);
}

/**
 * A name field: the hyphen is the only special character, so "O'Neill" becomes "ONEILL" (fields 31 to 33).
 */
function name(value: string | null | undefined, width: number): string {
  const plain = toAscii(value ?? '')
    .replace(/['.]/g, '')
    .replace(/[^A-Za-z0-9-]+/g, ' ');
  return textField(plain.trim(), width);
}

/**
 * An account number of letters and digits only (field 7). Must match the comparison in
 * `suppressIncomplete`.
 */
export const accountNumber = (value: string) => textField(value.replace(/[^A-Za-z0-9]/g, ''), 30);

export const dateField = (value: string | number | null | undefined) => {
  const date = String(value ?? '');
  return date === '' ? '0'.repeat(8) : `${date.slice(5, 7)}${date.slice(8, 10)}${date.slice(0, 4)}`;
};

export const NO_PHONE = '0'.repeat(10);
export const phoneField = (value: string | null | undefined) => {
  const digits = (value ?? '').replace(/\D/g, '').replace(/^1(?=\d{10}$)/, '');
  return digits.length === 10 ? digits : NO_PHONE;
};

/** Junior, senior, or the generation's number. */
const generation = (suffix: string | null | undefined) => {
  const known: Record<string, string> = { JR: 'J', SR: 'S', II: '2', III: '3', IV: '4', V: '5' };
  return known[(suffix ?? '').toUpperCase().replace('.', '')] ?? ' ';
};

/** Zeros mean that the social security number is not available (field 34). */
export const NO_NUMBER = '0'.repeat(9);

/**
 * A person's fields, named as in the record's `consumer`. Only the writer of the file adds the
 * `social_security_number`, in memory.
 */
export type Consumer = Record<string, string | null>;

/** The fields from surname to telephone, which all segments share. */
export const personFields = (who: Consumer) => [
  name(who['surname'], 25),
  name(who['first_name'], 20),
  name(who['middle_name'], 20),
  generation(who['generation_code']),
  who['social_security_number'] ?? NO_NUMBER,
  dateField(who['date_of_birth']),
  phoneField(who['phone']),
];

/** The fields from country to residence code. */
export const addressFields = (who: Consumer) => [
  textField(who['country'] ?? 'US', 2),
  textField(who['street_line_1'], 32),
  textField(who['street_line_2'], 32),
  textField(who['city'], 20),
  textField(who['state'], 2),
  textField(who['postal_code']?.replace('-', ''), 9),
  textField(who['address_indicator'], 1),
  textField(who['residence_code'], 1),
];

/** Whether the person's name or address would be blank in the file. */
export const isUnprintable = (who: Consumer): boolean =>
  ['surname', 'first_name', 'street_line_1', 'city'].some((field) => hasNoAsciiForm(who[field]));
