import { dictionary } from '../../../../sql/dictionary.ts';

/** A field of a segment: its name, first and last column, and the form of a valid value. */
export type Metro2Field = readonly [name: string, from: number, to: number, form: RegExp];

const BLANK = /^ *$/;
const NAME = /^[A-Z0-9][A-Z0-9 -]*$/;
const NAME_OR_BLANK = /^[A-Z0-9 -]*$/;
const TEXT = /^[A-Z0-9 #.,&'/-]*$/;
const FILLED_TEXT = /^[A-Z0-9#][A-Z0-9 #.,&'/-]*$/;
const CODE = /^[A-Z0-9]+ *$/;
const CODE_OR_BLANK = /^[A-Z0-9]* *$/;
const DATE = /^(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(19|20)\d{2}$/;
const DATE_OR_ZERO = /^(0{8}|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(19|20)\d{2})$/;
const DOLLARS = /^\d{9}$/;
const PHONE = /^(0{10}|[2-9]\d{9})$/;

/**
 * The records and segments by columns, from public layouts of the 426-character format: Galileo, "Metro 2
 * Base Segment"; moov-io/metro2, pkg/lib/specifications.go; cfpb/Metro2, django/parse_m2/fields.py. Shares
 * no code with the file writer, so that reading a file verifies what was written.
 */
export const HEADER: readonly Metro2Field[] = [
  ['record descriptor word', 1, 4, /^0426$/],
  ['record identifier', 5, 10, /^HEADER$/],
  ['cycle identifier', 11, 12, BLANK],
  ['Innovis program identifier', 13, 22, CODE_OR_BLANK],
  ['Equifax program identifier', 23, 32, CODE_OR_BLANK],
  ['Experian program identifier', 33, 37, CODE_OR_BLANK],
  ['TransUnion program identifier', 38, 47, CODE_OR_BLANK],
  ['activity date', 48, 55, DATE],
  ['date created', 56, 63, DATE],
  ['program date', 64, 71, DATE],
  ['program revision date', 72, 79, DATE],
  ['reporter name', 80, 119, FILLED_TEXT],
  ['reporter address', 120, 215, FILLED_TEXT],
  ['reporter telephone', 216, 225, PHONE],
  ['software vendor', 226, 265, TEXT],
  ['software version', 266, 270, TEXT],
  ['PRBC program identifier', 271, 280, BLANK],
  ['reserved', 281, 426, BLANK],
];

/** The fields from the surname on, which are the same for every person who owes the account. */
const person = (from: number): readonly Metro2Field[] => [
  ['surname', from, from + 24, NAME],
  ['first name', from + 25, from + 44, NAME_OR_BLANK],
  ['middle name', from + 45, from + 64, NAME_OR_BLANK],
  ['generation code', from + 65, from + 65, /^[JS2-9 ]$/],
  ['social security number', from + 66, from + 74, /^\d{9}$/],
  ['date of birth', from + 75, from + 82, DATE_OR_ZERO],
  ['telephone', from + 83, from + 92, PHONE],
  ['ECOA code', from + 93, from + 93, /^[12357TXWZ]$/],
  ['consumer information indicator', from + 94, from + 95, CODE_OR_BLANK],
];

const address = (from: number): readonly Metro2Field[] => [
  ['country', from, from + 1, /^[A-Z]{2}$/],
  ['first line of address', from + 2, from + 33, FILLED_TEXT],
  ['second line of address', from + 34, from + 65, TEXT],
  ['city', from + 66, from + 85, FILLED_TEXT],
  ['state', from + 86, from + 87, /^([A-Z]{2}| {2})$/],
  ['postal code', from + 88, from + 96, /^(\d{5} {4}|\d{9}|[A-Z0-9 ]{9})$/],
  ['address indicator', from + 97, from + 97, /^[CYNMSBUDP ]$/],
  ['residence code', from + 98, from + 98, /^[OR ]$/],
];

export const BASE: readonly Metro2Field[] = [
  ['record descriptor word', 1, 4, /^\d{4}$/],
  ['processing indicator', 5, 5, /^1$/],
  ['time stamp', 6, 19, /^(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])20\d{2}([01]\d|2[0-3])([0-5]\d){2}$/],
  ['correction indicator', 20, 20, /^[01]$/],
  ['identification number', 21, 40, /^(?!0+ *$|9+ *$)[A-Z0-9]{5,20} *$/],
  ['cycle identifier', 41, 42, BLANK],
  ['consumer account number', 43, 72, CODE],
  ['portfolio type', 73, 73, /^[CIMOR]$/],
  ['account type', 74, 75, /^[0-9A-Z]{2}$/],
  ['date opened', 76, 83, DATE],
  ['credit limit', 84, 92, DOLLARS],
  ['highest credit', 93, 101, DOLLARS],
  ['terms duration', 102, 104, /^(LOC|REV|(?!000)\d{3})$/],
  ['terms frequency', 105, 105, /^[DPWBEMLQTSY]$/],
  ['scheduled monthly payment', 106, 114, DOLLARS],
  ['actual payment', 115, 123, DOLLARS],
  ['account status', 124, 125, /^(11|13|6[1-5]|71|78|8[0-4]|8[89]|9[3-7]|D[AF])$/],
  ['payment rating', 126, 126, /^[0-6GL ]$/],
  // Months without history (B) come only at the end.
  ['payment history profile', 127, 150, /^[0-6DEGHJKLZ]*B*$/],
  ['special comment', 151, 152, /^([A-Z]{2}|[A-Z] | {2})$/],
  ['compliance condition code', 153, 154, /^(X[A-HJR]| {2})$/],
  ['current balance', 155, 163, DOLLARS],
  ['amount past due', 164, 172, DOLLARS],
  ['original charge-off amount', 173, 181, DOLLARS],
  ['date of account information', 182, 189, DATE],
  ['date of first delinquency', 190, 197, DATE_OR_ZERO],
  ['date closed', 198, 205, DATE_OR_ZERO],
  ['date of last payment', 206, 213, DATE_OR_ZERO],
  ['interest type indicator', 214, 214, /^[FV ]$/],
  ['reserved', 215, 231, BLANK],
  ...person(232),
  ...address(328),
];

export const J1: readonly Metro2Field[] = [
  ['segment identifier', 1, 2, /^J1$/],
  ['reserved', 3, 3, BLANK],
  ...person(4),
  ['reserved', 100, 100, BLANK],
];

export const J2: readonly Metro2Field[] = [
  ['segment identifier', 1, 2, /^J2$/],
  ['reserved', 3, 3, BLANK],
  ...person(4),
  ...address(100),
  ['reserved', 199, 200, BLANK],
];

/** The segments that may follow a base segment, by their identifier. */
export const SEGMENTS = dictionary<readonly Metro2Field[]>({
  J1,
  J2,
  K1: [
    ['segment identifier', 1, 2, /^K1$/],
    ['original creditor', 3, 32, FILLED_TEXT],
    ['creditor classification', 33, 34, /^\d{2}$/],
  ],
  K2: [
    ['segment identifier', 1, 2, /^K2$/],
    ['purchased or sold indicator', 3, 3, /^[129]$/],
    ['purchased or sold name', 4, 33, TEXT],
    ['reserved', 34, 34, BLANK],
  ],
  K3: [
    ['segment identifier', 1, 2, /^K3$/],
    ['agency identifier', 3, 4, /^[A-Z0-9 ]{2}$/],
    ['agency account number', 5, 22, TEXT],
    ['mortgage identification number', 23, 40, TEXT],
  ],
  K4: [
    ['segment identifier', 1, 2, /^K4$/],
    ['payment indicator', 3, 4, /^\d{2}$/],
    ['deferred payment start', 5, 12, DATE_OR_ZERO],
    ['balloon payment due', 13, 20, DATE_OR_ZERO],
    ['balloon payment', 21, 29, DOLLARS],
    ['reserved', 30, 30, BLANK],
  ],
  L1: [
    ['segment identifier', 1, 2, /^L1$/],
    ['change indicator', 3, 3, /^[123]$/],
    ['new account number', 4, 33, CODE_OR_BLANK],
    ['new identification number', 34, 53, CODE_OR_BLANK],
    ['reserved', 54, 54, BLANK],
  ],
  N1: [
    ['segment identifier', 1, 2, /^N1$/],
    ['employer and occupation', 3, 145, TEXT],
    ['reserved', 146, 146, BLANK],
  ],
});

/**
 * The trailer's counters: nine digits each, from column 30 on.
 */
export const TRAILER_COUNTERS = [
  'DF',
  'J1',
  'J2',
  'blocks',
  'DA',
  '05',
  '11',
  '13',
  '61',
  '62',
  '63',
  '64',
  '65',
  '71',
  '78',
  '80',
  '82',
  '83',
  '84',
  '88',
  '89',
  '93',
  '94',
  '95',
  '96',
  '97',
  'ECOA Z',
  'N1',
  'K1',
  'K2',
  'K3',
  'K4',
  'L1',
  'SSN',
  'SSN base',
  'SSN J1',
  'SSN J2',
  'born',
  'born base',
  'born J1',
  'born J2',
  'telephones',
] as const;

/** The fields of a segment, trimmed, and the names of those that are not in their form. */
export function readFields(text: string, fields: readonly Metro2Field[]) {
  const malformed: string[] = [];
  const values: Record<string, string> = {};
  for (const [name, from, to, form] of fields) {
    const value = text.slice(from - 1, to);
    if (value.length !== to - from + 1 || !form.test(value)) malformed.push(name);
    values[name] = value.trim();
  }
  return { values, malformed };
}
