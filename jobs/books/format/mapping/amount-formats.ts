import { Big } from 'big.js';
import { money as formatMoney, toCents } from '../../../money.ts';
import type { MoneyFormat, Sign } from './mapping-schema.ts';
import { ValueProblem } from './value-problem.ts';

const DIGITS_MAX = 40;

/**
 * The amount as the book writes it: `-1234.50`. Throws `ValueProblem` for signs that the format does not name, digits
 * that are grouped otherwise, and more than two decimals unless the format says how to round.
 */
export function readAmount(value: string, format: MoneyFormat = {}, sign?: Sign): string {
  const { number, isNegative } = unsignedNumber(value, format);
  const decimals = number.split('.')[1] ?? '';
  const isWhole = /^0*$/.test(decimals.slice(2));
  if (!isWhole && format.round === undefined)
    throw new ValueProblem(
      'Has more than two decimals. Say in the mapping how to round them: `money: {round: half_up}`.',
    );
  const cents = toCents(new Big(number), format.round ?? 'half_up');
  return withSign(formatMoney(cents), isNegative, sign);
}

function withSign(amount: string, isNegative: boolean, sign: Sign | undefined): string {
  const isNil = /^[0.]+$/.test(amount);
  if (sign === 'absolute' || isNil) return amount;
  if (sign === 'negative_is_owed') return isNegative ? amount : `-${amount}`;
  return isNegative ? `-${amount}` : amount;
}

/** The digits with a decimal point, and whether the amount is negative. */
function unsignedNumber(value: string, format: MoneyFormat) {
  const { currency = '', negative = 'minus' } = format;
  if (value.length > DIGITS_MAX) throw new ValueProblem('Must be an amount.');
  const marks: Record<typeof negative, readonly [string, string]> = {
    minus: ['-', ''],
    parentheses: ['(', ')'],
    trailing_minus: ['', '-'],
    credit: ['', 'CR'],
  };
  const [before, after] = marks[negative];
  let text = currency === '' ? value : value.replace(currency, '').trim();
  let isNegative = false;
  if (text.startsWith(before) && text.endsWith(after)) {
    isNegative = true;
    text = text.slice(before.length, text.length - after.length).trim();
  } else if (text.startsWith('-')) {
    isNegative = true;
    text = text.slice(1).trim();
  }
  return { number: plainNumber(text, format), isNegative };
}

/** Removes the signs between thousands, which must be in their places. */
function plainNumber(text: string, format: MoneyFormat): string {
  const { thousands = '', decimal = '.' } = format;
  const [whole = '', fraction, ...more] = text.split(decimal);
  const groups = thousands === '' ? [whole] : whole.split(thousands);
  const isGrouped =
    groups.length === 1 ||
    groups.every((group, at) => (at === 0 ? group.length <= 3 : group.length === 3));
  const isNumber =
    more.length === 0 &&
    isGrouped &&
    groups.every((group) => /^\d+$/.test(group)) &&
    (fraction === undefined || /^\d+$/.test(fraction));
  if (isNumber) return `${groups.join('')}${fraction === undefined ? '' : `.${fraction}`}`;
  throw new ValueProblem(amountHint(text, format));
}

/** An amount whose last sign is a comma before one or two digits. */
const DECIMAL_COMMA = /^\d[\d.]*,\d{1,2}$/;

function amountHint(
  text: string,
  { thousands = '', decimal = '.', currency = '' }: MoneyFormat,
): string {
  if (/^[$€£]/.test(text) && !currency)
    return 'Has a currency sign. Say so in the mapping: `money: {currency: "$"}`.';
  if (text.startsWith('('))
    return 'Is in parentheses. If that means negative, say so: `money: {negative: parentheses}`.';
  if (decimal === '.' && DECIMAL_COMMA.test(text)) {
    const grouped = text.includes('.') ? 'thousands: ".", ' : '';
    return `Looks like an amount with a decimal comma. If it is one, say so in the mapping: \`money: {${grouped}decimal: ","}\`.`;
  }
  if (text.includes(',') && thousands === '' && decimal === '.')
    return 'Has a comma. Say what it separates: `money: {thousands: ","}` or `money: {decimal: ","}`.';
  if (/^\d+(\.\d+)?e/i.test(text))
    return 'Is written with an exponent, which a spreadsheet does. Format the column as a number and export it again.';
  return `Must be an amount like ${currency}1${thousands}234${decimal}50.`;
}

/** The rate as a fraction. Throws `ValueProblem` if it is not written as the mapping says. */
export function readRate(value: string, form: 'fraction' | 'percent' | 'basis_points'): string {
  const hasSign = value.endsWith('%');
  if (hasSign && form !== 'percent')
    throw new ValueProblem('Is a percentage. Say so in the mapping: `rates: percent`.');
  const number = (hasSign ? value.slice(0, -1) : value).trim();
  if (!/^\d{0,5}(\.\d{0,20})?$/.test(number) || !/\d/.test(number))
    throw new ValueProblem(form === 'fraction' ? NO_FRACTION : 'Must be a number.');
  const divisor = { fraction: 1, percent: 100, basis_points: 10_000 }[form];
  const exact = new Big(number.startsWith('.') ? `0${number}` : number.replace(/\.$/, '')).div(
    divisor,
  );
  if (exact.gt(1)) throw new ValueProblem(tooHigh(exact, form));
  return exact.round(8).toFixed();
}

/** A form that is not the one of the file, or a mistake in it. */
const tooHigh = (rate: Big, form: 'fraction' | 'percent' | 'basis_points') =>
  form === 'fraction'
    ? `${NO_FRACTION} If the column has percentages, say so in the mapping: \`rates: percent\`.`
    : `Is ${rate.times(100).round(6).toFixed()} percent a year, and the highest rate is 100 percent. Correct it, or \`rates\` in the mapping, which is ${form}.`;

const NO_FRACTION = 'Must be a fraction: 8.5 % is written 0.085.';

/** The whole number in a text such as `36 months`. */
export function readWholeNumber(value: string, pattern: string | undefined): string {
  const plain = /^(-?\d{1,9})(?:\.0{1,10})?$/.exec(value)?.[1];
  if (plain !== undefined) return plain;
  if (pattern === undefined) throw new ValueProblem('Must be a whole number.');
  const [before = '', after = ''] = pattern.split('##').map((part) => part.trim().toLowerCase());
  const text = value.toLowerCase();
  const isLike =
    text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length;
  const number = isLike ? text.slice(before.length, text.length - after.length).trim() : '';
  if (!/^\d{1,9}$/.test(number)) throw new ValueProblem(`Is not written as "${pattern}".`);
  return number;
}
