import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markFormula, unmarkFormula } from '../../jobs/books/format/formula-mark.ts';

const SIGNS = ['=', '+', '@', '-', '\u2212', '\uff1d'];
const CONTROLS = ['\t', '\r', '\n'];
const BEFORE = ['', ' ', '\u00a0', '\u200b', "'"];

test.each(SIGNS)('a text that begins with %j is marked, also behind blanks', (sign) => {
  for (const blank of BEFORE) {
    const text = `${blank}${sign}SUM(A1)`;
    expect(markFormula(text)).toBe(`'${text}`);
  }
});

test.each(CONTROLS)('a text that begins with %j is marked', (control) => {
  expect(markFormula(`${control}x`)).toBe(`'${control}x`);
});

test.each(['-12.50', '+15551234567', '0', 'Ada', "O'Hara", "'Ada", ''])(
  '%j is no formula and stays as it is',
  (text) => {
    expect(markFormula(text)).toBe(text);
    expect(unmarkFormula(text)).toBe(text);
  },
);

test('every text is the same after it was marked and read', () => {
  const start = fc.constantFrom(...SIGNS, ...CONTROLS, ...BEFORE, 'x');
  const text = fc.tuple(start, start, fc.string()).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (given) => {
      expect(unmarkFormula(markFormula(given))).toBe(given);
    }),
  );
});
