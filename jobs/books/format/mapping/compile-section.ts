import { Big } from 'big.js';
import { money as formatMoney } from '../../../money.ts';
import { hintAt, quote } from '../../../nearest-word.ts';
import { dictionary } from '../../../../sql/dictionary.ts';
import type { Column } from '../columns.ts';
import { readAmount, readRate, readWholeNumber } from './amount-formats.ts';
import { readDate } from './date-formats.ts';
import type { Formats, Mapping, Section, Sign, Source } from './mapping-schema.ts';
import { ValueProblem } from './value-problem.ts';

/** Reads a value of the book from the fields of a foreign record. Undefined: empty. Throws `ValueProblem`. */
export type FieldReader = {
  target: string;
  /** The column of the foreign file, for findings. */
  label: string;
  read: (fields: readonly string[], line: number) => string | undefined;
};

type Place = (name: string) => number;
type Settings = Formats & { values?: Readonly<Record<string, string>>; sign?: Sign | undefined };

/** The columns of the source file that a section looks at, apart from those with a name of the book. */
export function sourceColumnsOf(section: Section): string[] {
  const asked = Object.values(section.columns).flatMap((source) => [
    ...('minus' in source && source.minus ? [source.minus] : []),
    ...Object.keys(('when' in source && source.when) || {}),
  ]);
  const all = [...valueColumnsOf(section), ...asked, ...section.when_filled];
  return [...new Set([...all, ...Object.keys(section.leave_out)])];
}

/** The columns of the source file whose values become those of the book. */
const valueColumnsOf = (section: Section): string[] =>
  Object.values(section.columns).flatMap((source) => ('from' in source ? source.from : []));

/**
 * The source of each column: as the section says, otherwise the column of the same name, unless another column has its
 * values. A column that the section only subtracts or compares keeps its own meaning.
 */
export function sourcesOf(
  columns: Readonly<Record<string, Column>>,
  section: Section,
  header: readonly string[],
): [string, Source][] {
  const named = new Set(valueColumnsOf(section));
  return Object.keys(columns).flatMap((target): [string, Source][] => {
    const source = Object.hasOwn(section.columns, target) ? section.columns[target] : undefined;
    if (source) return [[target, source]];
    const isOwn = header.includes(target) && !named.has(target) && !section.ignore.includes(target);
    return isOwn ? [[target, { from: [target] }]] : [];
  });
}

/** One reader per column of the book file. `placeOf` gives the place of a source column in the record. */
export function compileSection(
  columns: Readonly<Record<string, Column>>,
  section: Section,
  mapping: Mapping,
  header: readonly string[],
): FieldReader[] {
  const placeOf: Place = (name) => header.indexOf(name);
  return sourcesOf(columns, section, header).flatMap(([target, source]): FieldReader[] => {
    const column = columns[target];
    if (!column) return [];
    if ('numbered' in source)
      return [{ target, label: target, read: (_, line) => numberedAs(source.numbered, line) }];
    const applies = compileWhen(('when' in source && source.when) || {}, placeOf);
    if ('value' in source) {
      const constant = source.value || undefined;
      return [
        { target, label: target, read: (fields) => (applies(fields) ? constant : undefined) },
      ];
    }
    const settings: Settings = {
      ...formatsOf(mapping),
      ...formatsOf(section),
      ...formatsOf(source as Formats),
      values: dictionary(
        lowerCaseKeys({
          ...(Object.hasOwn(section.values, target) ? section.values[target] : {}),
          ...('values' in source ? source.values : {}),
        }),
      ),
      sign: ('sign' in source ? source.sign : undefined) ?? section.sign[target],
    };
    const gather = compileSource(source, placeOf, settings, column);
    const fallback = 'default' in source ? source.default : undefined;
    const read = (fields: readonly string[]) =>
      (applies(fields) ? gather(fields) : undefined) ?? fallback;
    return [{ target, label: source.from.join(' + '), read }];
  });
}

/** The number of the line in place of the signs #, with zeros in front. */
function numberedAs(form: string, line: number): string {
  const from = form.indexOf('#');
  const to = form.lastIndexOf('#') + 1;
  return form.slice(0, from) + String(line).padStart(to - from, '0') + form.slice(to);
}

function compileWhen(when: Readonly<Record<string, readonly string[]>>, placeOf: Place) {
  const wanted = Object.entries(when).map(([column, values]) => ({
    place: placeOf(column),
    values: new Set(values.map((value) => value.toLowerCase())),
  }));
  return (fields: readonly string[]) =>
    wanted.every(({ place, values }) => values.has((fields[place] ?? '').trim().toLowerCase()));
}

const FORMAT_KEYS = ['dates', 'money', 'rates', 'terms', 'empty'] as const;

/** Only the formats that are stated, so that an outer one is kept otherwise. */
const formatsOf = (from: Formats): Formats =>
  Object.fromEntries(
    FORMAT_KEYS.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])),
  );

const lowerCaseKeys = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([from, to]) => [from.toLowerCase(), to]));

function compileSource(
  source: Extract<Source, { from: string[] }>,
  placeOf: Place,
  settings: Settings,
  column: Column,
): (fields: readonly string[]) => string | undefined {
  const places = source.from.map(placeOf);
  const empty = new Set(settings.empty?.map((word) => word.toLowerCase()));
  const valueAt = (fields: readonly string[], place: number) => {
    const value = fields[place]?.trim() ?? '';
    return empty.size > 0 && empty.has(value.toLowerCase()) ? '' : value;
  };
  const {
    join = ' ',
    split,
    part,
    minus,
  } = { ...source } as {
    join?: string;
    split?: string;
    part?: 'first' | 'second' | 'last' | 'rest';
    minus?: string;
  };
  const minusPlace = minus === undefined ? null : placeOf(minus);
  const convert = (text: string) => convertValue(text, column, settings);
  return (fields) => {
    const found = places.map((place) => valueAt(fields, place)).filter((value) => value !== '');
    const text = found.length > 1 ? found.join(join) : (found[0] ?? '');
    const whole = split === undefined ? text : partOf(text, split, part ?? 'first');
    if (whole === '') return undefined;
    const value = convert(whole);
    if (minusPlace === null || value === undefined) return value;
    const less = valueAt(fields, minusPlace);
    return less === '' ? value : subtract(value, convert(less) ?? '0');
  };
}

const subtract = (from: string, less: string) => formatMoney(new Big(from).minus(less));

function partOf(text: string, split: string, part: 'first' | 'second' | 'last' | 'rest'): string {
  const parts = text.split(split).map((piece) => piece.trim());
  if (part === 'rest') return parts.slice(1).join(split);
  return (part === 'last' ? parts.at(-1) : parts[part === 'first' ? 0 : 1]) ?? '';
}

/** The value as the book writes it. */
function convertValue(text: string, column: Column, settings: Settings): string | undefined {
  const { values } = settings;
  const mapped = values?.[text.toLowerCase()] ?? values?.['*'];
  if (mapped !== undefined) return mapped === '' ? undefined : mapped;
  switch (column.form) {
    case 'money':
      return readAmount(text, settings.money, settings.sign);
    case 'rate':
      return readRate(text, settings.rates ?? 'fraction');
    case 'date':
      return readDate(text, settings.dates ?? []);
    case 'timestamp':
      return /^\d{4}-\d{2}-\d{2}T/.test(text) ? text : readDate(text, settings.dates ?? []);
    case 'whole_number':
      return readWholeNumber(text, settings.terms);
    case 'choice':
      return readChoice(text, column);
    default:
      return text;
  }
}

const SHOWN_MAX = 40;

function readChoice(text: string, { choices }: Column): string {
  if (choices === null || choices.includes(text)) return text;
  // A value of a wrong column may be a personal number.
  const isShown = text.length <= SHOWN_MAX && (text.match(/\d/g)?.length ?? 0) < 4;
  const shown = isShown ? `${quote(text)} has no meaning yet. ` : 'The value has no meaning yet. ';
  throw new ValueProblem(
    `${shown}Add it under \`values\` in the mapping.${isShown ? hintAt(text, choices) : ''}`,
  );
}
