import { z } from 'zod';
import { hasPlainKeys, isWithinSizeLimit } from './json-values.ts';
import { maskPersonalNumbers, maskPersonalNumbersIn } from './personal-numbers.ts';

/**
 * The kinds of values that columns and JSON fields hold: how each is validated, its OpenAPI form (`.meta`),
 * and the Postgres type for comparisons.
 */
type SqlType = 'uuid' | 'text' | 'date' | 'timestamptz' | 'numeric' | 'int4' | 'bool' | 'jsonb';

const sqlTypes = new WeakMap<z.core.$ZodType, SqlType>();
const registerType = <Schema extends z.ZodType>(schema: Schema, type: SqlType): Schema => {
  sqlTypes.set(schema, type);
  return schema;
};

/** Kinds of text that are stored as sent, because a mask would damage names and identifiers. */
const unmasked = new WeakSet<z.core.$ZodType>();
const registerUnmasked = <Schema extends z.ZodType>(schema: Schema): Schema => {
  unmasked.add(schema);
  return registerType(schema, 'text');
};

/** Aborts, so that rules over several fields do not run with an invalid value. */
const wrong = (error: string) => ({ error, abort: true });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CONTROL = /[\p{Cc}\p{Cs}]/u;

export const uuid = registerType(
  z.string().max(36).regex(UUID, wrong('Must be a UUID.')).toLowerCase().meta({ format: 'uuid' }),
  'uuid',
);

/** One line of text, up to 200 characters, without control characters. Stored as sent: see `freeText`. */
export const text = registerUnmasked(
  z
    .string()
    .max(200, 'Must be at most 200 characters.')
    .refine((value) => !CONTROL.test(value), 'Must not contain control characters.'),
);

export const requiredText = registerUnmasked(
  z
    .string()
    .max(200, 'Must be at most 200 characters.')
    .refine((value) => value.trim() !== '', 'Must not be empty.')
    .refine((value) => !CONTROL.test(value), 'Must not contain control characters.'),
);

/**
 * One line in free words: a reason, a title, a description. Social security and card numbers in it are
 * masked before they are stored. Use `text` for names, addresses and identifiers.
 */
export const freeText = registerType(
  z
    .string()
    .max(200, wrong('Must be at most 200 characters.'))
    .overwrite(maskPersonalNumbers)
    .max(200, 'Must be at most 200 characters.')
    .refine((value) => !CONTROL.test(value), 'Must not contain control characters.'),
  'text',
);

export const requiredFreeText = registerType(
  freeText.refine((value) => value.trim() !== '', 'Must not be empty.'),
  'text',
);

/**
 * Several lines in free words, up to 10,000 characters. Line breaks and tabs are allowed; social security
 * and card numbers are masked.
 */
export const prose = registerType(
  z
    .string()
    .max(10_000, wrong('Must be at most 10,000 characters.'))
    .overwrite(maskPersonalNumbers)
    .max(10_000, 'Must be at most 10,000 characters.')
    .refine(
      (value) => !CONTROL.test(value.replace(/[\n\r\t]/g, '')),
      'Must not contain control characters.',
    ),
  'text',
);

export const externalId = registerUnmasked(
  requiredText
    .max(200)
    .describe('The id of the record in your own system. Must be unique. Lists can filter by it.'),
);

/** The length is checked before the pattern, and the pattern is linear. */
export const emailAddress = z
  .string()
  .max(254, 'Must be at most 254 characters.')
  .regex(
    /^[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+$/,
    'Must be an email address.',
  )
  .toLowerCase();

/** An existing day of the proleptic Gregorian calendar between 1800 and 9999. */
export const date = registerType(
  z
    .string()
    .max(10)
    .regex(/^\d{4}-\d{2}-\d{2}$/, wrong('Must be a date like 2026-01-31.'))
    .refine(exists, wrong('Is not a day of the calendar.'))
    .meta({ format: 'date' }),
  'date',
);

/** Checks the parts of the date, because parsing it as an instant takes ten times as long. */
function exists(value: string): boolean {
  const [year = 0, month = 0, day = 0] = value.split('-').map(Number);
  const at = new Date(Date.UTC(year, month - 1, day));
  return year >= 1800 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
}

const INSTANT =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)?$/;

/** The range of years with four digits, in UTC. */
const FIRST_INSTANT = Date.UTC(1, 0, 2);
const LAST_INSTANT = Date.UTC(9999, 11, 30);
const isStorable = (instant: number) => instant >= FIRST_INSTANT && instant <= LAST_INSTANT;

export const timestamp = registerType(
  z
    .string()
    .max(40)
    .refine(
      (value) => INSTANT.test(value) && exists(value.slice(0, 10)) && isStorable(Date.parse(value)),
      wrong('Must be a timestamp like 2026-01-31T12:00:00Z.'),
    )
    .meta({ format: 'date-time' }),
  'timestamptz',
);

const AMOUNT = /^-?\d{1,13}(\.\d{1,2})?$/;

/** An amount that the ledger can hold: up to 13 digits before the decimal point and two after it. */
export const signedMoney = registerType(
  z
    .string()
    .max(17)
    .regex(AMOUNT, wrong('Must be an amount like "1234.56".'))
    .transform(toScaleTwo)
    .meta({ format: 'decimal', examples: ['1234.56'] }),
  'numeric',
);

export const money = registerType(
  z
    .string({ error: 'Must be a decimal string like "1234.56".' })
    .max(16, wrong('Must be an amount like "1234.56".'))
    .regex(/^\d{1,13}(\.\d{1,2})?$/, wrong('Must be an amount like "1234.56", not negative.'))
    .transform(toScaleTwo)
    .meta({ format: 'decimal', examples: ['1234.56'] }),
  'numeric',
);

export const positiveMoney = registerType(
  money
    .refine((value) => !/^[0.]+$/.test(value), wrong('Must be more than zero.'))
    .meta({ format: 'decimal', examples: ['1234.56'] }),
  'numeric',
);

function toScaleTwo(value: string): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.replace('-', '').replace(/^0+(?=\d)/, '');
  const scaled = `${digits}.${fraction.padEnd(2, '0')}`;
  return /^[0.]+$/.test(scaled) ? scaled : sign + scaled;
}

const fraction = (most: number, example: string, hint: string) =>
  registerType(
    z
      .string({ error: hint })
      .max(13, wrong(hint))
      .regex(/^\d{1,4}(\.\d{1,8})?$/, wrong(hint))
      .refine((value) => Number(value) <= most, wrong(hint))
      .meta({ format: 'decimal', examples: [example] }),
    'numeric',
  );

/** A fraction: "0.085" means 8.5 percent. Values above 1 are rejected as probable percentages. */
export const rate = fraction(
  1,
  '0.085',
  'Must be a fraction: 8.5 % is written "0.085", with at most 8 decimals.',
);
/** A price relative to the whole. A loan may be sold for more than the amount owed. */
export const ratio = fraction(10, '0.985', 'Must be at most 10, like "0.985", with 8 decimals.');

/** A computed rate. A short loan with fees may exceed 1,000 percent a year. */
export const computedRate = fraction(10_000, '0.085', 'Must be a fraction like "0.085".');

export const integer = registerType(z.int().min(-2147483648).max(2147483647), 'int4');
export const flag = registerType(z.boolean(), 'bool');

const tooLong = wrong('Must be at most 16 kB of JSON.');

/**
 * A plain JSON object of up to 16 kB. The length is checked first. Keys that could reach a prototype are
 * rejected; social security and card numbers are masked.
 */
export const jsonObject = registerType(
  z
    .record(z.string(), z.custom<z.core.util.JSONType>())
    .refine(isWithinSizeLimit, tooLong)
    .refine(
      (value) => Object.keys(value).every((key) => key.length <= 100),
      'Has a key that is too long.',
    )
    .overwrite((value) => maskPersonalNumbersIn(value) as typeof value)
    .refine(isWithinSizeLimit, tooLong)
    .refine(hasPlainKeys, 'Has a key that is not allowed.'),
  'jsonb',
);

/**
 * Any JSON. The parts of lists and objects are not described, because clients generated from a schema that
 * refers to itself do not compile.
 */
export const jsonValue = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.custom<z.core.util.JSONType>()),
    z.record(z.string(), z.custom<z.core.util.JSONType>()),
  ])
  .meta({ id: 'JsonValue', description: 'Any JSON value.' });

/** JSON that the system wrote itself, returned as stored. */
export const ownJson = registerType(z.record(z.string(), jsonValue), 'jsonb');

export const timestamps = {
  created_at: timestamp.readonly(),
  updated_at: timestamp.readonly(),
};

type Internals = {
  def: { type?: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  parent?: z.core.$ZodType;
};

/**
 * Whether the field is of a kind whose text is stored as sent.
 * @public
 */
export function isUnmaskedKind(field: z.core.$ZodType): boolean {
  const { def, parent } = field._zod as Internals;
  const inner = parent ?? def.innerType;
  return unmasked.has(field) || (inner !== undefined && isUnmaskedKind(inner));
}

/** The Postgres type for comparing a field; text for unknown kinds (enums). */
export function sqlTypeOf(field: z.core.$ZodType): SqlType {
  const found = sqlTypes.get(field);
  if (found) return found;
  const { def, parent } = field._zod as Internals;
  // A kind with a description or an extra check is a copy of its parent.
  if (parent) return sqlTypeOf(parent);
  if (def.innerType) return sqlTypeOf(def.innerType);
  if (def.type === 'pipe' && def.in) return sqlTypeOf(def.in);
  if (def.type === 'boolean') return 'bool';
  if (def.type === 'number') return 'int4';
  if (def.type === 'array' || def.type === 'object' || def.type === 'record') return 'jsonb';
  return 'text';
}
