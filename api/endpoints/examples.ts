import { localDate } from '../../jobs/dates.ts';

export type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  minimum?: number;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
};

/** A placeholder. After sign-in the page replaces it with the id of a record of the reader's tenant. */
export const EXAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/** Uses the time zone of most tenants, so that "today" is not already tomorrow for them. */
const dateInDays = (days: number) =>
  localDate(new Date(Date.now() + days * 86_400_000), 'America/New_York');
const today = () => dateInDays(0);

/** Example texts by field name, for fields whose format does not decide it. */
const EXAMPLE_TEXTS: [RegExp, string][] = [
  [/email/, 'nora.whitfield@example.com'],
  [/phone/, '+12025550123'],
  [/url/, 'https://receiver.example.com/hook'],
  [/postal_code/, '62701'],
  [/^state$|jurisdiction/, 'CA'],
  [/rate/, '0.05'],
  [/amount|value|price|income|expense|balance/, '100.00'],
  [/routing_number/, '021000021'],
  [/account_number/, '1234567890'],
  [/first_name/, 'Nora'],
  [/last_name/, 'Whitfield'],
];

/** Builds a value that satisfies the schema, with the required fields only. */
export function buildExample(name: string, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return /rate/.test(name) ? '0.05' : schema.examples[0];
  const [variant] = schema.anyOf ?? schema.allOf ?? [];
  if (variant) return buildExample(name, variant);
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    return Object.fromEntries(
      required.map((key) => [key, buildExample(key, properties[key] ?? {})]),
    );
  }
  if (schema.type === 'array')
    return schema.items ? [buildExample(name.replace(/s$/, ''), schema.items)] : [];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.max(schema.minimum ?? 1, 1);
  return exampleText(name, schema.format);
}

function exampleText(name: string, format: string | undefined): string {
  if (format === 'uuid') return EXAMPLE_ID;
  if (format === 'date') return today();
  if (format === 'date-time') return new Date().toISOString();
  return EXAMPLE_TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'Example';
}

type ExampleFactories = Record<string, () => Record<string, unknown>>;

/** Optional fields that an example body needs to make sense. */
export const EXAMPLE_BODIES: ExampleFactories = {
  'POST /auth/login': () => ({ email: 'officer@demo.test', password: 'correct horse battery' }),
  'POST /auth/prove': () => ({ current_password: 'correct horse battery' }),
  'POST /borrowers/{id}/identities': () => ({ identifier: '123-45-6789' }),
  'POST /borrowers/{id}/legal-reps': () => ({ representative_type: 'power_of_attorney' }),
  'POST /borrower-identities/search': () => ({ identifier: '123-45-6789' }),
  'POST /borrowers/{id}/payment-instruments': () => ({
    routing_number: '021000021',
    account_number: '1234567890',
  }),
  'POST /portal/payment-instruments': () => ({
    routing_number: '021000021',
    account_number: '1234567890',
  }),
  'POST /loans/{id}/modifications': () => ({ new_interest_rate: '0.05' }),
  'POST /loans/{id}/deferments': () => ({ periods: 1 }),
  'POST /loans/{id}/payment-plans': () => ({
    start_date: today(),
    frequency: 'monthly',
    number_of_payments: 3,
    amount: '100.00',
  }),
  'POST /loans/{id}/credit-disputes': () => ({ dispute_codes: ['103'] }),
  'POST /loans/{id}/1099c': () => ({ amount_discharged: '600.00' }),
  'POST /ledger/entries': () => ({
    reference_type: 'adjustment',
    lines: [
      { account_id: EXAMPLE_ID, debit: '10.00' },
      { account_id: EXAMPLE_ID, credit: '10.00' },
    ],
  }),
  'POST /ledger/closings': () => ({ closed_through: dateInDays(-1) }),
  'POST /ledger/year-ends': () => ({ fiscal_year_end: `${Number(today().slice(0, 4)) - 1}-12-31` }),
  'POST /investors/{id}/servicing-fee-rates': () => ({ from_date: `${today().slice(0, 7)}-01` }),
  'POST /borrowers/{id}/invite-portal-user': () => ({ email: 'portal@example.com' }),
  'POST /users/invite': () => ({ email: 'colleague@example.com' }),
  'POST /permission-groups': () => ({
    permissions: [
      { type: 'deny', action: '*', resource: 'borrowers', record: { ssn_last_four: true } },
    ],
  }),
  'POST /users/{id}/permissions': () => ({ action: 'create', resource: 'borrowers' }),
  'POST /users/{id}/object-grants': () => ({ action: 'edit', resource: 'loans' }),
  'POST /loan-tape-configs': () => ({ columns: ['loan_number', 'principal_balance'] }),
  'POST /sftp-servers': () => ({
    host: 'sftp.fund.example',
    username: 'lender',
    password: 'a-secret',
    host_keys: ['SHA256:uNiVztksCsDhcc0u9e8BrrHXzGOdLZEDN1jn9nT5nE8'],
  }),
  'PUT /communications/providers/{channel}': () => ({
    name: 'twilio',
    secret: 'the-auth-token-of-your-account',
  }),
  'POST /communications/send': () => ({
    template_type: 'payment_reminder',
    channel: 'email',
    context: {
      payment_amount: '100.00',
      due_date: dateInDays(5),
    },
  }),
  'POST /identity-providers': () => ({
    issuer_url: 'https://login.example.com',
    redirect_url: 'https://admin.example.com/signed-in',
  }),
  'POST /webhooks': () => ({ events: ['*'] }),
  'POST /webhooks/{id}/replay': () => ({ since: `${dateInDays(-1)}T00:00:00Z` }),
};

/** Parameters that an endpoint needs although its schema makes them optional. */
export const EXAMPLE_PARAMETERS: ExampleFactories = {
  'GET /loans/{id}/get-future-balance-projection': () => ({ as_of_date: dateInDays(30) }),
};
