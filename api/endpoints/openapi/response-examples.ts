import { hash } from 'node:crypto';
import { dictionary } from '../../../sql/dictionary.ts';
import { isAccepted, PATTERNED_TEXTS, type Schema } from '../examples.ts';
import type { Components, Json } from './schemas.ts';

/** Values that a loan of the seed could have, by field name. The first that the schema accepts is used. */
const VALUES = dictionary<readonly unknown[]>({
  account_holder_name: ['Nora Whitfield'],
  accrued_interest: ['41.37'],
  actor_email: ['officer@demo.test'],
  bank_name: ['First Example Bank'],
  body: ['Your statement is ready.'],
  borrower_name: ['Nora Whitfield'],
  business_date: ['2026-01-15'],
  city: ['Springfield'],
  code: ['1200', 'R01'],
  content_type: ['application/pdf'],
  country: ['US'],
  currency: ['USD'],
  current_rate: ['0.0949'],
  date_of_birth: ['1984-06-21'],
  days_past_due: [0],
  delinquency_bucket: ['current'],
  description: ['Monthly installment'],
  email: ['nora.whitfield@example.com'],
  event_type: ['payment.received'],
  external_id: ['CRM-10482'],
  file_size: [48_213],
  filename: ['statement-2026-01.pdf'],
  first_name: ['Nora'],
  first_payment_date: ['2026-02-15'],
  html: ['<p>Dear Nora Whitfield,</p>'],
  interest_applied: ['94.90'],
  interest_rate: ['0.0949'],
  ip_address: ['203.0.113.7'],
  language: ['en'],
  language_preference: ['en'],
  last_name: ['Whitfield'],
  legal_name: ['Whitfield Holdings LLC'],
  loan_number: ['LN-2026-000123'],
  locale: ['en-US'],
  maturity_date: ['2030-01-15'],
  message: ['The change has been saved.'],
  method: ['POST'],
  name: ['Personal loans'],
  next_payment_amount: ['301.42'],
  next_payment_date: ['2026-02-15'],
  number: ['1042', 1],
  original_term_months: [48],
  outstanding_fees: ['0.00'],
  payment_amount: ['301.42'],
  payment_day: [15],
  payoff_amount: ['12041.37'],
  phone: ['+12025550123'],
  phone_number: ['+12025550123'],
  postal_code: ['62701'],
  primary_color: ['#1f3a5f'],
  principal_amount: ['12000.00'],
  principal_applied: ['206.52'],
  principal_balance: ['12000.00'],
  reason: ['Requested by the borrower'],
  remaining_balance: ['11793.48'],
  remaining_term: [48],
  request_id: ['01943b7a-5c00-7f21-9a4e-3d6c81b7e052'],
  secondary_color: ['#5f7d9c'],
  ssn_last_four: ['6789'],
  state: ['IL'],
  street_line_1: ['1 Example Street'],
  subject: ['Your monthly statement'],
  support_email: ['help@demo.test'],
  tax_year: [2025],
  tenant_name: ['Demo Lending'],
  term_months: [48],
  time_zone: ['America/New_York'],
  total_balance: ['12041.37'],
});

/** Endings of field names, tried after the whole name. */
const ENDINGS: readonly (readonly [RegExp, readonly unknown[]])[] = [
  [/_last_four$/, ['6789']],
  [/(^|_)email$/, ['officer@demo.test']],
  [/(^|_)phone$/, ['+12025550123']],
  [/(^|_)rate$/, ['0.0949']],
  [/url$/, ['https://demo.test/files/statement-2026-01.pdf']],
  [/(^|_)(color)$/, ['#1f3a5f']],
  [/hash$/, [hash('sha256', 'statement')]],
  [/fingerprint$/, [hash('sha256', 'request')]],
  [/routing_number$/, ['021000021']],
  [/number$/, ['A-1042', '1042', '00001042']],
  [/(fee|fees|penalty|late)(_\w+)?$/, ['0.00']],
  [/(year)$/, [2026]],
  [/_days$/, [30]],
  [/state$/, ['IL']],
  [/name$/, ['Nora Whitfield', 'WHITFIELD']],
  [/language|locale/, ['en']],
  [/secret$/, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']],
];

/** Fields that are empty in an ordinary record. */
const EMPTY =
  /^(archived|reversed|reversal|canceled|cancel|cancellation|denied|denial|denial_reason|rejected|rejection|released|failed|failure|failing|disabled|last_error|error|frozen|freeze|accelerat|charge|charged|bankruptcy|military|deceased|redact|expired|waive|waived|suppress|superseded|revoked|returned|return|deleted|quarantine|block|blocked|stop|legal_hold|settled|ended|deficiency|promo|investor|sub_status|next_draw)/;

const STATUSES =
  'active completed open posted accepted verified delivered sent draft pending'.split(' ');

/** An id that is the same wherever the same kind of record appears. */
function idOf(kind: string): string {
  const digits = hash('sha256', kind);
  return `01943b7a-5c00-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`;
}

const snakeCase = (name: string) => name.replace(/\B[A-Z]/g, '_$&').toLowerCase();

/** An answer that fits the schema: a record with all of its fields. */
export function responseExample(name: string, schema: Json, components: Components): unknown {
  return valueOf(name, schema, { components, owner: name, depth: 0 });
}

type Place = { components: Components; owner: string; depth: number };

function valueOf(name: string, schema: Schema, place: Place): unknown {
  if (schema.$ref !== undefined) {
    const target = schema.$ref.split('/').at(-1) ?? '';
    if (target === 'JsonValue') return 'Example';
    const inner = { ...place, owner: target, depth: place.depth + 1 };
    return valueOf(target, place.components.schemas[target] as Schema, inner);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf ?? schema.oneOf) return variantOf(name, schema, place);
  if (schema.allOf?.[0]) return valueOf(name, schema.allOf[0], place);
  if (Array.isArray(schema.type)) {
    const types = schema.type as string[];
    if (types.includes('null') && EMPTY.test(name)) return null;
    const type = types.find((each) => each !== 'null') ?? 'string';
    return valueOf(name, { ...schema, type }, place);
  }
  if (schema.enum) return STATUSES.find((each) => schema.enum?.includes(each)) ?? schema.enum[0];
  if (schema.type === 'object' || schema.properties) return objectOf(schema, place);
  if (schema.type === 'array') return arrayOf(name, schema, place);
  return scalarOf(name, schema, place);
}

function variantOf(name: string, schema: Schema, place: Place): unknown {
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const isNullable = variants.some(({ type }) => type === 'null');
  if (isNullable && (EMPTY.test(name) || place.depth > 6)) return null;
  const chosen = variants.find(({ type }) => type !== 'null') ?? variants[0];
  return chosen ? valueOf(name, chosen, place) : null;
}

function objectOf({ properties = {}, required = [] }: Schema, place: Place): Json {
  const inner = { ...place, depth: place.depth + 1 };
  const shown = Object.entries(properties).filter(
    ([name]) => required.includes(name) || !EMPTY.test(name),
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, valueOf(name, field, inner)]));
}

function arrayOf(name: string, { items, minItems = 0 }: Schema, place: Place): unknown[] {
  if (!items || (place.depth > 6 && minItems === 0)) return [];
  if (EMPTY.test(name) && minItems === 0) return [];
  const singular = name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
  return [valueOf(singular, items, { ...place, depth: place.depth + 1 })];
}

function scalarOf(name: string, schema: Schema, { owner }: Place): unknown {
  const { type, format } = schema;
  if (format === 'uuid') return idOf(name === 'id' ? snakeCase(owner) : name.replace(/_ids?$/, ''));
  const endings = ENDINGS.flatMap(([pattern, values]) => (pattern.test(name) ? values : []));
  const candidates = [...(VALUES[name] ?? []), ...endings, ...usualValues(name, schema)];
  if (type === 'boolean') return /^(is_active|is_primary|is_verified|can_|is_usable)/.test(name);
  // A test names each example that does not fit.
  return candidates.find((each) => isAccepted(each, schema)) ?? candidates[0];
}

function usualValues(name: string, schema: Schema): unknown[] {
  const { type, format, examples = [], minimum = 0, exclusiveMinimum } = schema;
  if (type === 'integer' || type === 'number')
    return [1, 30, minimum, (exclusiveMinimum ?? 0) + 1, schema.maximum];
  if (format === 'date') return ['2026-01-15'];
  if (format === 'date-time') return ['2026-01-15T15:04:05.000Z'];
  if (format === 'decimal') return ['301.42', '0.0949', '12.50', ...examples];
  const words = name.replaceAll('_', ' ');
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return [...examples, text, ...PATTERNED_TEXTS];
}
