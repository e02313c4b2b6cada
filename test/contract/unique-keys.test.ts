import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../api/endpoints/route.ts';
import { errorAnswer } from '../../api/http/errors.ts';
import { routes } from '../../api/routes.ts';
import { insert } from '../../sql/write.ts';
import { newStage } from '../setup/world.ts';
import { nameOf } from './callers.ts';
import { newRecords } from './writable.ts';

/**
 * Keys whose fields no client sets. Two concurrent requests may still collide on one, for example by
 * starting the same plan. The second then learns that another request was first.
 */
const NOT_SET_BY_CLIENTS = new Set([
  'addresses_one_primary',
  'autopay_draws_once',
  'autopay_plans_one_open',
  'book_exports_one_pending',
  'borrower_exports_one_pending',
  'business_details_one',
  'case_facts_once',
  'case_number_sequences_pkey',
  'co_borrowers_once',
  'change_notices_reported',
  'cob_chunks_pkey',
  'cob_loan_errors_once',
  'cob_runs_day',
  'cob_changed_loans_pkey',
  'communication_logs_message',
  'communication_providers_pkey',
  'communication_templates_one_of_a_kind', // the refusal names the field
  'credit_corrections_correction_number',
  'credit_dispute_answer_files_filename',
  'credit_dispute_import_lines_line',
  'credit_dispute_imports_once',
  'credit_disputes_dispute_number',
  'credit_reporting_files_filename',
  'credit_reporting_findings_once',
  'credit_reporting_records_once',
  'document_wordings_one_of_a_kind', // the same
  'documents_storage_key',
  'draws_draw_number',
  'earlier_transactions_once',
  'emails_one_primary',
  'fees_one_late_fee',
  'fees_one_return_fee',
  'forms_1099c_form_number',
  'forms_1099c_one',
  'hardship_applications_application_number',
  'hardship_applications_one_open',
  'idempotency_keys_pkey',
  'import_findings_position',
  'import_loans_loan',
  'import_loans_pkey',
  'import_records_pkey',
  'import_rows_pkey',
  'imports_once',
  'installments_pkey',
  'reconciliation_differences_position',
  'reconciliation_loans_pkey',
  'interest_accruals_pkey',
  'journal_entries_posted_once',
  'journal_entries_reversed_once',
  'row_counts_pkey',
  'lien_alerts_once',
  'liquidations_in_force',
  'legal_conditions_once',
  'loan_events_reversed_by',
  'loan_rate_caps_once',
  'loan_number_sequences_pkey',
  'loan_outlook_pkey',
  'loan_attribute_history_pkey',
  'loan_snapshots_pkey',
  'misdirected_payments_reference', // the refusal names the field
  'servicing_transfer_loans_once',
  'mail_batch_files_position',
  'mail_batches_number',
  'mail_batches_of_day',
  'mail_deliveries_once',
  'mail_letters_place',
  'nacha_entries_disbursement',
  'nacha_entries_draw',
  'nacha_entries_payment',
  'nacha_entries_trace_number',
  'nacha_files_modifier',
  'one_time_tokens_pkey',
  'opt_outs_pkey',
  'order_accounts_disbursement',
  'order_accounts_draw',
  'order_accounts_payment',
  'passkey_challenges_pkey',
  'payment_instruments_one_default',
  'payment_plans_one_active',
  'payoff_quotes_one_active',
  'payoff_quotes_quote_number',
  'pending_sign_ins_pkey',
  'period_closings_closed_through', // a closing is refused unless it is later than the last one
  'permission_group_members_pkey',
  'phones_one_primary',
  'portfolio_snapshots_day',
  'provider_certificates_pkey',
  'provider_sign_ins_token',
  'recovery_codes_pkey',
  'remittance_loans_once',
  'remittances_once', // refused if the investor's month already has a remittance
  'sanctions_hits_once',
  'sanctions_screenings_subject',
  'second_factors_app',
  'second_factors_credential',
  'sessions_pkey',
  'settlement_instruments_one_primary',
  'late_fee_exemptions_once',
  'used_provider_tokens_pkey',
  'statements_month',
  'support_cases_case_number',
  'tape_deliveries_once',
  'throttle_hits_pkey',
  'user_identities_pkey',
  'user_identities_user',
  'webhook_deliveries_once',
  'year_ends_once', // refused unless it is later than the last one
]);
/** Keys that the rule names although only the server sets their field. */
const GIVEN_BY_US = new Set(['users.borrower_id', 'ledger_accounts.role']);

const stage = await newStage();
const tenant = await stage.tenant();
const client = await tenant.signedIn('superadmin');
const { requestFor } = newRecords(tenant, client);

type Key = { table: string; name: string; columns: string[] };
const { rows: all } = await stage.owner.query<Key>(`
  select indrelid::regclass::text as table, indexrelid::regclass::text as name,
         array(select attname::text from pg_attribute
               where attrelid = indrelid and attnum = any(indkey)) as columns
  from pg_index
  where indisunique
    and indrelid in (select attrelid from pg_attribute where attname = 'tenant_id' and attnum = 1)
    and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace
                       and relkind in ('r', 'p') and not relispartition)
  order by 1, 2`);
/** The server assigns ids. All other unique keys are tested. */
const keys = all.filter(({ columns }) => columns.toSorted().join() !== 'id,tenant_id');
const fieldOf = ({ table, name }: Key) =>
  name.startsWith(`${table}_tenant_id_`) ? /_tenant_id_(.+)_key$/.exec(name)?.[1] : undefined;

test('a violated unique key names the field to change, or consists of server-set fields', () => {
  const nameless = keys
    .filter((key) => !key.columns.includes(fieldOf(key) ?? ''))
    .map(({ name }) => name);

  expect(nameless.toSorted()).toEqual([...NOT_SET_BY_CLIENTS].toSorted());
});

type Unique = { table: string; field: string; columns: string[] };
const named = keys.flatMap((key): Unique[] => {
  const field = fieldOf(key);
  return field && !GIVEN_BY_US.has(`${key.table}.${field}`) ? [{ ...key, field }] : [];
});

const takes = ({ body }: Route, field: string) =>
  body !== undefined &&
  field in
    ((
      z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as {
        properties?: Record<string, unknown>;
      }
    ).properties ?? {});

const COLLECTIONS: Record<string, string> = { ledger_accounts: '/ledger/accounts' };
const collectionOf = (table: string) => COLLECTIONS[table] ?? `/${table.replaceAll('_', '-')}`;

/** Whether the route creates or changes a record of the collection. */
const isOf = (collection: string, path: string) =>
  ['', '/board', '/invite', '/{id}'].some((end) => path === collection + end) ||
  path.endsWith(`/{id}${collection}`) ||
  (collection === '/users' && path.endsWith('/invite-portal-user'));

const setters = named.flatMap((key) =>
  routes
    .filter(({ method, path }) => method !== 'GET' && isOf(collectionOf(key.table), path))
    .filter((route) => takes(route, key.field))
    .map((route) => ({ ...key, route })),
);
/** A key with more columns than the field only concerns records with the same parent. */
const isBeside = ({ columns }: Unique) => columns.length > 2;

test('every unique key that a client can violate is tested below', () => {
  const reached = new Set(setters.map(({ table, field }) => `${table}.${field}`));

  expect(named.map(({ table, field }) => `${table}.${field}`)).toEqual([...reached]);
});

let last = 1;
/** A valid value that was not used before. */
function fresh(field: string) {
  last += 1;
  if (field === 'email') return `somebody-${last}@example.com`;
  if (field === 'issuer_url') return `https://login-${last}.example.com`;
  return field === 'lien_position' ? last : `U-${last}`;
}

const BOARDED = {
  principal_amount: '10000.00',
  current_principal_balance: '9000.00',
  origination_date: '2026-01-02',
};

/** A request for another record in which every unique field has a new value. */
async function another({ table }: Unique, route: Route) {
  const request = await requestFor(route);
  const unique = named.filter((key) => key.table === table && key.field in request.body);
  const own = Object.fromEntries(unique.map(({ field }) => [field, fresh(field)]));
  const boarded = route.path.endsWith('/board') ? BOARDED : {};
  return { ...request, body: { ...request.body, ...boarded, ...own } };
}

test.each(setters.map((setter) => [nameOf(setter.route), setter.field, setter] as const))(
  '%s: a duplicate %s is reported on that field only',
  async (_, field, setter) => {
    const makes = ({ table, field: of, route }: (typeof setters)[number]) =>
      table === setter.table && of === field && route.method === 'POST';
    const create = (makes(setter) ? setter : setters.find(makes))?.route as Route;
    const value = fresh(field);
    const first = await another(setter, create);
    const holder = await client.post(first.path, { ...first.body, [field]: value });
    expect(holder, JSON.stringify(holder.body)).toMatchObject({ status: 201 });

    const isPut = setter.route.method === 'PUT';
    const second = await another(setter, isPut ? create : setter.route);
    const path = isBeside(setter) ? first.path : second.path;
    const made = isPut && (await client.post(path, second.body));
    const doubled = made
      ? await client.put(setter.route.path.replace('{id}', made.body.id), { [field]: value })
      : await client.post(path, { ...second.body, [field]: value });

    expect(doubled).toMatchObject({
      status: 422,
      body: { code: 'validation_error', errors: { [field]: 'Is already taken.' } },
    });
    expect(Object.keys(doubled.body.errors)).toEqual([field]);
  },
);

test('a collision on any other unique key reports that another request was first', async () => {
  const twice = tenant.within(async ({ tx }) => {
    for (const _ of [1, 2]) await insert(tx, 'period_closings', { closed_through: '2025-12-31' });
  });

  expect(errorAnswer(await twice.catch((error: unknown) => error))).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
});
