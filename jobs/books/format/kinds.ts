import { z } from 'zod';
import * as types from '../../../sql/types.ts';

/** How a field of a book is written. A mapping says, for each form, how a foreign file writes it. */
export const FORMS = [
  ...(['text', 'money', 'rate', 'number', 'whole_number', 'date', 'timestamp'] as const),
  ...(['flag', 'choice', 'list', 'json'] as const),
] as const;
export type Form = (typeof FORMS)[number];

/** What a column holds: its form, and the schema that reads the text of a field. */
export type Kind<Value> = {
  form: Form;
  schema: z.ZodType<Value, string>;
  /** The allowed values, for `choice`. */
  choices: readonly string[] | null;
};

const kind = <Value>(
  form: Form,
  schema: z.ZodType<Value, string>,
  choices: readonly string[] | null = null,
): Kind<Value> => ({ form, schema, choices });

/** A text of one line. */
export const line = (max = 200) => kind('text', types.requiredText.max(max));
/** A text in free words of one line. Social security and card numbers are masked. */
export const words = kind('text', types.freeText);
/** A text in free words of several lines, up to 10,000 characters. Numbers are masked as in `words`. */
export const prose = kind('text', types.prose);
/** A text that another schema checks, such as an email address. */
export const textOf = (schema: z.ZodType<string, string>) => kind('text', schema);

export const sha256 = kind(
  'text',
  z.string().regex(/^[0-9a-f]{64}$/, 'Must be 64 hexadecimal digits.'),
);

export const money = kind('money', types.money);
export const positiveMoney = kind('money', types.positiveMoney);
export const signedMoney = kind('money', types.signedMoney);
/** A fraction: `0.085` is 8.5 percent. */
export const rate = kind('rate', types.rate);
export const date = kind('date', types.date);

/** A date means midnight UTC. */
export const timestamp = kind(
  'timestamp',
  z
    .string()
    .max(40)
    .transform((text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text))
    .pipe(types.timestamp),
);

export const wholeNumber = (min: number, max: number) =>
  kind(
    'whole_number',
    z
      .string()
      .regex(/^-?\d{1,9}$/, { error: 'Must be a whole number.', abort: true })
      .transform(Number)
      .refine((value) => value >= min && value <= max, `Must be from ${min} to ${max}.`),
  );

export const flag = kind(
  'flag',
  z.enum(['true', 'false'], 'Must be true or false.').transform((word) => word === 'true'),
);

export const choice = <const Values extends readonly string[]>(
  values: Values,
  message = `Must be one of ${values.join(', ')}.`,
): Kind<Values[number]> => kind('choice', z.enum(values, message), values);

/** Several values in one field, separated by `|`. */
export const list = <Item>(item: z.ZodType<Item, string>, max: number): Kind<Item[]> =>
  kind(
    'list',
    z
      .string()
      .transform((text) => text.split('|').map((part) => part.trim()))
      .pipe(z.array(item).max(max)),
  );

const JSON_CHARACTERS_MAX = 65_536;

/** A field with JSON, such as the rules of a product. */
export const json = <Value>(schema: z.ZodType<Value>): Kind<Value> =>
  kind(
    'json',
    z
      .string()
      .max(JSON_CHARACTERS_MAX, `Must be at most ${JSON_CHARACTERS_MAX} characters of JSON.`)
      .transform((text, context): unknown => {
        try {
          return JSON.parse(text) as unknown;
        } catch {
          context.addIssue({ code: 'custom', message: 'Must be JSON.' });
          return z.NEVER;
        }
      })
      .pipe(schema),
  );
