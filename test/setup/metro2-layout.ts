import { expect } from 'vitest';
import {
  BASE,
  HEADER,
  readFields,
  SEGMENTS,
  TRAILER_COUNTERS,
  type Metro2Field,
} from '../../jobs/loans/reporting/metro2/layout.ts';

type Values = Readonly<Record<string, string>>;

function valuesOf(text: string, fields: readonly Metro2Field[], wrong: string[]): Values {
  const { values, malformed } = readFields(text, fields);
  wrong.push(...malformed.map((name) => `${name}: "${values[name]}"`));
  return values;
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
      (isClosed || ['89', '94'].includes(status)) === (text('date closed') !== ZERO_DATE),
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
      others[kind].push(valuesOf(rest, SEGMENTS[kind] ?? [], wrong));
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
