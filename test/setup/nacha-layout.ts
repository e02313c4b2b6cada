import { expect } from 'vitest';

type Field = readonly [name: string, from: number, to: number, form: RegExp];

const ROUTING = /^\d{8}$/;
const DIGITS = /^\d+$/;
const DATE = /^\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;
const FILLED_TEXT = /^\S.*$/;
const BLANK = /^ +$/;
const ANY_TEXT = /^.*$/;

/**
 * The fields of each record by columns, from public layouts (Nacha Operating Rules, Appendix Three; the
 * same columns are in the format guides of banks, such as Zions Bank's import requirements for NACHA
 * files). Shares no code with the file writer.
 */
const LAYOUT: Readonly<Record<string, readonly Field[]>> = {
  '1': [
    ['priority code', 2, 3, /^01$/],
    ['immediate destination', 4, 13, /^( \d{9}|\d{10})$/],
    ['immediate origin', 14, 23, /^( \d{9}|[A-Z0-9]{10})$/],
    ['file creation date', 24, 29, DATE],
    ['file creation time', 30, 33, /^([01]\d|2[0-3])[0-5]\d$/],
    ['file ID modifier', 34, 34, /^[A-Z0-9]$/],
    ['record size', 35, 37, /^094$/],
    ['blocking factor', 38, 39, /^10$/],
    ['format code', 40, 40, /^1$/],
    ['immediate destination name', 41, 63, FILLED_TEXT],
    ['immediate origin name', 64, 86, FILLED_TEXT],
    ['reference code', 87, 94, ANY_TEXT],
  ],
  '5': [
    ['service class code', 2, 4, /^2(00|20|25)$/],
    ['company name', 5, 20, FILLED_TEXT],
    ['company discretionary data', 21, 40, ANY_TEXT],
    ['company identification', 41, 50, FILLED_TEXT],
    ['standard entry class code', 51, 53, /^(PPD|CCD|WEB)$/],
    ['company entry description', 54, 63, FILLED_TEXT],
    ['company descriptive date', 64, 69, ANY_TEXT],
    ['effective entry date', 70, 75, DATE],
    ['settlement date', 76, 78, BLANK],
    ['originator status code', 79, 79, /^1$/],
    ['originating bank', 80, 87, ROUTING],
    ['batch number', 88, 94, DIGITS],
  ],
  '6': [
    ['transaction code', 2, 3, /^[23][27]$/],
    ['receiving bank', 4, 11, ROUTING],
    ['check digit', 12, 12, DIGITS],
    ['account number', 13, 29, FILLED_TEXT],
    ['amount', 30, 39, /^(?!0+$)\d{10}$/],
    ['individual identification', 40, 54, ANY_TEXT],
    ['individual name', 55, 76, FILLED_TEXT],
    ['discretionary data or payment type', 77, 78, /^( {2}|[RS] )$/],
    ['addenda record indicator', 79, 79, /^0$/],
    ['trace number', 80, 94, /^\d{15}$/],
  ],
  '8': [
    ['service class code', 2, 4, /^2(00|20|25)$/],
    ['entry and addenda count', 5, 10, DIGITS],
    ['entry hash', 11, 20, DIGITS],
    ['total debits', 21, 32, DIGITS],
    ['total credits', 33, 44, DIGITS],
    ['company identification', 45, 54, FILLED_TEXT],
    ['message authentication code', 55, 73, BLANK],
    ['reserved', 74, 79, BLANK],
    ['originating bank', 80, 87, ROUTING],
    ['batch number', 88, 94, DIGITS],
  ],
  '9': [
    ['batch count', 2, 7, DIGITS],
    ['block count', 8, 13, DIGITS],
    ['entry and addenda count', 14, 21, DIGITS],
    ['entry hash', 22, 31, DIGITS],
    ['total debits', 32, 43, DIGITS],
    ['total credits', 44, 55, DIGITS],
    ['reserved', 56, 94, BLANK],
  ],
};

/**
 * A bank's return file: other transaction codes, and after each entry an addenda record with the reason.
 */
const RETURNED: Readonly<Record<string, readonly Field[]>> = {
  '5': [
    ['standard entry class code', 51, 53, /^(PPD|CCD|WEB|COR)$/],
    ['settlement date', 76, 78, /^( {3}|\d{3})$/],
  ],
  '6': [
    ['transaction code', 2, 3, /^[23][16]$/],
    ['amount', 30, 39, /^\d{10}$/],
    ['addenda record indicator', 79, 79, /^1$/],
  ],
  '7': [
    ['addenda type code', 2, 3, /^9[89]$/],
    ['reason code', 4, 6, /^[RC]\d{2}$/],
    ['original trace number', 7, 21, /^\d{15}$/],
    ['date of death or reserved', 22, 27, /^(\d{6}| {6})$/],
    ['original receiving bank', 28, 35, ROUTING],
    ['information or corrected data', 36, 79, ANY_TEXT],
    ['trace number', 80, 94, /^\d{15}$/],
  ],
};

const FILLER = '9'.repeat(94);
const WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7];

/** Expects the records in order, every field well formed. */
export function expectLayout(lines: readonly string[]) {
  const records = lines.filter((line) => line !== FILLER);
  expect(kindsOf(records)).toMatch(/^1(56+8)+9$/);
  expect(findInvalidFields(records, LAYOUT)).toEqual([]);
  const header = records[0] ?? '';
  for (const line of records) {
    if (line.startsWith('5')) expectEffective(line.slice(69, 75), header.slice(23, 29));
    if (line.startsWith('6')) expect(line[11]).toBe(checkDigit(line.slice(3, 11)));
  }
  const traces = records.filter((line) => line.startsWith('6')).map((line) => line.slice(79));
  expect(new Set(traces).size).toBe(traces.length);
}

/** The same for a bank's return file: an addenda record with the reason follows each returned entry. */
export function expectReturnLayout(lines: readonly string[]) {
  const records = lines.filter((line) => line !== FILLER);
  const layout = Object.fromEntries(
    ['1', '5', '6', '7', '8', '9'].map((kind) => {
      const others = RETURNED[kind] ?? [];
      const replaced = new Set(others.map(([name]) => name));
      const same = (LAYOUT[kind] ?? []).filter(([name]) => !replaced.has(name));
      return [kind, [...same, ...others]];
    }),
  );
  expect(kindsOf(records)).toMatch(/^1(5(67)+8)*9$/);
  expect(findInvalidFields(records, layout)).toEqual([]);
}

const kindsOf = (records: readonly string[]) => records.map((line) => line[0]).join('');

const findInvalidFields = (
  records: readonly string[],
  layout: Readonly<Record<string, readonly Field[]>>,
): string[] =>
  records.flatMap((line) =>
    (layout[line[0] ?? ''] ?? []).flatMap(([name, from, to, form]) => {
      const value = line.slice(from - 1, to);
      return form.test(value) ? [] : [`${line[0]} ${name}: "${value}"`];
    }),
  );

/** The effective date is a weekday after the day on which the file was created. */
function expectEffective(effective: string, created: string) {
  const day = new Date(
    `20${effective.slice(0, 2)}-${effective.slice(2, 4)}-${effective.slice(4)}T00:00:00Z`,
  ).getUTCDay();
  expect(effective > created).toBe(true);
  expect([0, 6]).not.toContain(day);
}

/** The ABA check digit: the next multiple of ten minus the weighted sum of the eight digits. */
function checkDigit(routing: string): string {
  const sum = WEIGHTS.reduce((whole, weight, index) => whole + weight * Number(routing[index]), 0);
  return String((10 - (sum % 10)) % 10);
}
