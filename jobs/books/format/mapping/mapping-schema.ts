import { z } from 'zod';
import { BOOK_FILE_NAMES } from '../book-files.ts';

/** All scalars of the YAML are texts, so that `NO`, `01` and `1.50` stay as they are. */
const text = z.string().max(500);
const word = text.min(1, 'Must not be empty.');
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.union([item.transform((only) => [only]), z.array(item).max(500)]);

const DateFormat = z.union([
  word.transform((format) => ({ format, two_digit_years_from: undefined, day: undefined })),
  z.strictObject({
    format: word,
    two_digit_years_from: z
      .string()
      .regex(/^\d{4}$/, 'Must be a year.')
      .transform(Number)
      .optional(),
    day: z.enum(['first', 'last']).optional(),
  }),
]);
export type DateFormat = z.output<typeof DateFormat>;

const Money = z.strictObject({
  currency: text.optional(),
  thousands: z.enum([',', '.', ' ', "'", '']).optional(),
  decimal: z.enum(['.', ',']).optional(),
  negative: z.enum(['minus', 'parentheses', 'trailing_minus', 'credit']).optional(),
  round: z.enum(['half_up', 'half_even', 'down']).optional(),
});
export type MoneyFormat = z.output<typeof Money>;

/** How a foreign file writes values. */
const formats = {
  dates: listOf(DateFormat).optional(),
  money: Money.optional(),
  rates: z.enum(['fraction', 'percent', 'basis_points']).optional(),
  terms: word
    .refine((form) => form.includes('##'), 'Must have ## in place of the number.')
    .optional(),
  empty: listOf(word).optional(),
};
const Formats = z.object(formats);
export type Formats = z.output<typeof Formats>;

const Sign = z.enum(['negative_is_owed', 'absolute']);
export type Sign = z.output<typeof Sign>;
const Values = z.record(z.string().max(500), text);

/** Values of other columns, of which each must have one of the listed ones. */
const When = z.record(z.string(), listOf(text));

/** Where a value comes from: a column, or several, a constant, or the number of the line. */
const Source = z.union([
  word.transform((column) => ({ from: [column] })),
  z.strictObject({ value: text, when: When.optional() }),
  z.strictObject({
    numbered: word.refine((form) => form.includes('#'), 'Must have # in place of each digit.'),
  }),
  z.strictObject({
    from: listOf(word),
    join: text.optional(),
    minus: word.optional(),
    split: word.optional(),
    part: z.enum(['first', 'second', 'last', 'rest']).optional(),
    default: word.optional(),
    values: Values.optional(),
    sign: Sign.optional(),
    when: When.optional(),
    ...formats,
  }),
]);
export type Source = z.output<typeof Source>;

const Section = z.strictObject({
  columns: z.record(z.string(), Source).default({}),
  values: z.record(z.string(), Values).default({}),
  sign: z.record(z.string(), Sign).default({}),
  ignore: listOf(word).default([]),
  when_filled: listOf(word).default([]),
  leave_out: z.record(z.string(), listOf(text)).default({}),
  ...formats,
});
export type Section = z.output<typeof Section>;

const sections = Object.fromEntries(
  BOOK_FILE_NAMES.map((name) => [name, Section.optional()]),
) as Record<(typeof BOOK_FILE_NAMES)[number], z.ZodOptional<typeof Section>>;

/** A mapping file: from foreign files to the files of a book. */
export const MappingSchema = z.strictObject({
  name: text.optional(),
  files: z.partialRecord(z.enum(BOOK_FILE_NAMES), listOf(word)).default({}),
  conventions: z.record(z.string(), text).default({}),
  ...formats,
  ...sections,
});
export type Mapping = z.output<typeof MappingSchema>;
