import type { Column } from '../columns.ts';
import { guessDateFormats } from './date-formats.ts';
import type { Formats, MoneyFormat } from './mapping-schema.ts';

export type DetectedFormats = {
  settings: Formats;
  /** The same as lines of YAML, with comments where a person must decide. */
  lines: string[];
};

type Samples = ReadonlyMap<string, readonly string[]>;

const ISO = /^\d{4}-\d{2}-\d{2}/;

/** How the values of the matched columns are written: dates, amounts, rates and terms. */
export function detectFormats(
  columns: Readonly<Record<string, Column>>,
  matches: ReadonlyMap<string, string>,
  samples: Samples,
): DetectedFormats {
  const valuesOf = (form: Column['form']) =>
    [...matches].flatMap(([target, source]) =>
      columns[target]?.form === form ? (samples.get(source) ?? []) : [],
    );
  const parts = [
    detectDates(valuesOf('date').filter((value) => !ISO.test(value))),
    detectMoney(valuesOf('money')),
    detectRates(valuesOf('rate')),
    detectTerms(samples.get(matches.get('term_months') ?? '') ?? []),
  ];
  return {
    settings: Object.assign({}, ...parts.map(({ settings }) => settings)) as Formats,
    lines: parts.flatMap(({ lines }) => lines),
  };
}

const NOTHING: DetectedFormats = { settings: {}, lines: [] };

function detectDates(values: readonly string[]): DetectedFormats {
  if (values.length === 0) return NOTHING;
  const { fitting, others } = commonFormats(values);
  const formats = fitting.length > 0 ? fitting : guessDateFormats(values.slice(0, 1));
  const [format] = formats;
  if (format === undefined) return { settings: {}, lines: ['# dates: say how they are written'] };
  const two_digit_years_from = format.includes('yyyy') ? undefined : 1970;
  const settings: Formats = { dates: [{ format, two_digit_years_from, day: undefined }] };
  const written =
    two_digit_years_from === undefined
      ? `'${format}'`
      : `{format: '${format}', two_digit_years_from: 1970}`;
  const counted = others === 1 ? 'one date is' : `${others} dates are`;
  const except = others === 0 ? '' : ` # ${counted} written otherwise`;
  if (fitting.length === 1) return { settings, lines: [`dates: ${written}${except}`] };
  const hint =
    fitting.length > 1
      ? `# dates: day and month cannot be told apart. Use one of: ${fitting.map((form) => `'${form}'`).join(', ')}`
      : `# dates: several forms, such as ${written}. List all of them.`;
  return { settings, lines: [hint] };
}

/** The share of the dates that have the usual form. The others are mistakes, which the check names. */
const COMMON_SHARE = 0.9;

/** The forms that fit most dates, and how many dates do not have them. */
function commonFormats(values: readonly string[]) {
  const counts = new Map<string, number>();
  for (const value of values)
    for (const format of guessDateFormats([value]))
      counts.set(format, (counts.get(format) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if (most < values.length * COMMON_SHARE) return { fitting: [], others: values.length };
  const fitting = [...counts].filter(([, count]) => count === most).map(([format]) => format);
  return { fitting, others: values.length - most };
}

function detectMoney(values: readonly string[]): DetectedFormats {
  const all = (pattern: RegExp) => values.some((value) => pattern.test(value));
  const currency = values.map((value) => /[$€£]/.exec(value)?.[0]).find((sign) => sign);
  const isEuropean = all(/\d\.\d{3},\d{1,2}$/) || (all(/^\d+,\d{1,2}$/) && !all(/\.\d{1,2}$/));
  const money: MoneyFormat = {
    ...(currency !== undefined && { currency }),
    ...(isEuropean ? { thousands: '.', decimal: ',' } : all(/\d,\d{3}/) && { thousands: ',' }),
    ...(all(/^\(.*\)$/) && { negative: 'parentheses' }),
    ...(all(/\d-$/) && { negative: 'trailing_minus' }),
    ...(all(/\.\d{2}\d*[1-9]/) && { round: 'half_up' }),
  };
  const written = Object.entries(money).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return written.length === 0
    ? NOTHING
    : { settings: { money }, lines: [`money: {${written.join(', ')}}`] };
}

function detectRates(values: readonly string[]): DetectedFormats {
  const isPercent = values.some((value) => value.endsWith('%') || Number(value) > 1);
  return isPercent ? { settings: { rates: 'percent' }, lines: ['rates: percent'] } : NOTHING;
}

function detectTerms(values: readonly string[]): DetectedFormats {
  const worded = values.find((value) => /\d/.test(value) && !/^\d+(\.0+)?$/.test(value));
  if (worded === undefined) return NOTHING;
  const terms = worded.replace(/\d+/, '##');
  return { settings: { terms }, lines: [`terms: ${JSON.stringify(terms)}`] };
}
