import { expect } from 'vitest';

type Field = readonly [name: string, from: number, to: number, form: RegExp];

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
 * Base Segment"; moov-io/metro2, pkg/lib/specifications.go and its field texts. Shares no code with the
 * file writer.
 */
const HEADER: readonly Field[] = [
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

/** The fields that are the same for every obligor, from the segment identifier on. */
const person = (from: number): readonly Field[] => [
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

const address = (from: number): readonly Field[] => [
  ['country', from, from + 1, /^[A-Z]{2}$/],
  ['first line of address', from + 2, from + 33, FILLED_TEXT],
  ['second line of address', from + 34, from + 65, TEXT],
  ['city', from + 66, from + 85, FILLED_TEXT],
  ['state', from + 86, from + 87, /^([A-Z]{2}| {2})$/],
  ['postal code', from + 88, from + 96, /^(\d{5} {4}|\d{9}|[A-Z0-9 ]{9})$/],
  ['address indicator', from + 97, from + 97, /^[CYNMSBUDP ]$/],
  ['residence code', from + 98, from + 98, /^[OR ]$/],
];

const BASE: readonly Field[] = [
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

const J1: readonly Field[] = [
  ['segment identifier', 1, 2, /^J1$/],
  ['reserved', 3, 3, BLANK],
  ...person(4),
  ['reserved', 100, 100, BLANK],
];
const J2: readonly Field[] = [
  ['segment identifier', 1, 2, /^J2$/],
  ['reserved', 3, 3, BLANK],
  ...person(4),
  ...address(100),
  ['reserved', 199, 200, BLANK],
];

/** The trailer's counters: nine digits each, from column 30 on. */
const TRAILER_COUNTERS = [
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
];

type Values = Readonly<Record<string, string>>;

function valuesOf(text: string, fields: readonly Field[], wrong: string[]): Values {
  return Object.fromEntries(
    fields.map(([name, from, to, form]) => {
      const value = text.slice(from - 1, to);
      if (value.length !== to - from + 1 || !form.test(value)) wrong.push(`${name}: "${value}"`);
      return [name, value.trim()];
    }),
  );
}

const ZERO_DATE = '00000000';
const PAID_STATUSES = ['13', '61', '62', '63', '64', '65'];
const RATED_STATUSES = ['13', '65', '88', '89', '94', '95'];
const TRANSFERRED = ['O', 'AT'];
const sortableDate = (date = '') => date.slice(4) + date.slice(0, 4);

/** Contradictions between the fields of a base segment (fields 11, 12, 15, 17 and 21 to 26). */
function findContradictions(base: Values, activity: string): string[] {
  const text = (name: string) => base[name] ?? '';
  const amount = (name: string) => Number(text(name));
  const status = text('account status');
  const isTransferred = TRANSFERRED.includes(text('special comment'));
  const isClosed = PAID_STATUSES.includes(status) || isTransferred;
  const [portfolio, rating] = [text('portfolio type'), text('payment rating')];
  const isLate = status === '13' ? /[1-6GL]/.test(rating) : !['11', 'DA', 'DF'].includes(status);
  const isBankrupt = /^[A-HZ]$/.test(text('consumer information indicator'));
  const holds: Record<string, boolean> = {
    'a term in the form of its portfolio type':
      { C: 'LOC', R: 'REV', O: '001' }[portfolio] === text('terms duration') ||
      (['I', 'M'].includes(portfolio) && /^\d{3}$/.test(text('terms duration'))),
    'no credit limit of a loan': !['I', 'M'].includes(portfolio) || amount('credit limit') === 0,
    'a rating where the status requires it': RATED_STATUSES.includes(status) === (rating !== ''),
    'nothing due where it is closed':
      !isClosed ||
      ['current balance', 'amount past due', 'scheduled monthly payment'].every(
        (name) => amount(name) === 0,
      ),
    'nothing past due where it is current': status !== '11' || amount('amount past due') === 0,
    'something past due where it is late':
      !/^(71|78|8[0-4]|97)$/.test(status) || isTransferred || amount('amount past due') > 0,
    'nothing scheduled after a charge-off':
      status !== '97' || amount('scheduled monthly payment') === 0,
    'an original charge-off where it was charged off':
      ['64', '97'].includes(status) === amount('original charge-off amount') > 0,
    'a date closed where it is closed':
      (isClosed || (status === '97' && !['I', 'M'].includes(portfolio))) ===
      (text('date closed') !== ZERO_DATE),
    'a first delinquency where it is late':
      isBankrupt || isLate === (text('date of first delinquency') !== ZERO_DATE),
    'information of the day on which it was closed':
      !isClosed || text('date of account information') === text('date closed'),
    'no information of the future':
      sortableDate(text('date of account information')) <= sortableDate(activity),
    'no opening after the information':
      sortableDate(text('date opened')) <= sortableDate(text('date of account information')),
  };
  return Object.entries(holds).flatMap(([rule, isTrue]) => (isTrue ? [] : [`lacks ${rule}`]));
}

/** A person needs one of the two; a business has neither. */
const isIdentified = (who: Values) =>
  who['ECOA code'] === 'W' ||
  Number(who['social security number']) > 0 ||
  who['date of birth'] !== ZERO_DATE;

/**
 * Expects every field to be well formed, the fields to agree, and the trailer to count the file's content.
 */
export function expectMetro2(lines: readonly string[]) {
  const wrong: string[] = [];
  const header = valuesOf(lines[0] ?? '', HEADER, wrong);
  const bases: Values[] = [];
  const others: Record<'J1' | 'J2', Values[]> = { J1: [], J2: [] };
  for (const line of lines.slice(1, -1)) {
    const base = valuesOf(line, BASE, wrong);
    bases.push(base);
    const number = base['consumer account number'];
    if (Number(base['record descriptor word']) !== line.length) wrong.push(`${number}: length`);
    wrong.push(
      ...findContradictions(base, header['activity date'] ?? '').map((rule) => `${number} ${rule}`),
    );
    for (let rest = line.slice(426); rest !== '';) {
      const kind = rest.slice(0, 2) === 'J2' ? 'J2' : 'J1';
      others[kind].push(valuesOf(rest, kind === 'J2' ? J2 : J1, wrong));
      rest = rest.slice(kind === 'J2' ? 200 : 100);
    }
  }
  const people = [...bases, ...others.J1, ...others.J2];
  if (!people.every(isIdentified)) wrong.push('a person without number and date of birth');
  expect(wrong).toEqual([]);
  const numbers = bases.map((base) => base['consumer account number']);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(lines[0]).toHaveLength(426);
  expectTrailer(lines.at(-1) ?? '', bases, others);
  return bases;
}

function expectTrailer(
  trailer: string,
  bases: Values[],
  { J1, J2 }: Record<'J1' | 'J2', Values[]>,
) {
  const born = (all: Values[]) => all.filter((who) => who['date of birth'] !== ZERO_DATE).length;
  const known = (all: Values[]) =>
    all.filter((who) => Number(who['social security number']) > 0).length;
  const people = [...bases, ...J1, ...J2];
  const found: Record<string, number> = {
    J1: J1.length,
    J2: J2.length,
    blocks: bases.length + 2,
    'ECOA Z': people.filter((who) => who['ECOA code'] === 'Z').length,
    SSN: known(people),
    'SSN base': known(bases),
    'SSN J1': known(J1),
    'SSN J2': known(J2),
    born: born(people),
    'born base': born(bases),
    'born J1': born(J1),
    'born J2': born(J2),
    telephones: people.filter((who) => Number(who['telephone']) > 0).length,
  };
  for (const { 'account status': status = '' } of bases) found[status] = (found[status] ?? 0) + 1;
  expect(trailer).toHaveLength(426);
  expect([trailer.slice(0, 11), trailer.slice(20, 29).trim(), trailer.slice(407).trim()]).toEqual([
    '0426TRAILER',
    '',
    '',
  ]);
  expect(Number(trailer.slice(11, 20))).toBe(bases.length);
  const counted = TRAILER_COUNTERS.map((name, index) => {
    const digits = trailer.slice(29 + index * 9, 38 + index * 9);
    return [name, /^\d{9}$/.test(digits) ? Number(digits) : digits];
  });
  expect(counted).toEqual(TRAILER_COUNTERS.map((name) => [name, found[name] ?? 0]));
}
