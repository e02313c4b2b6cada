import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { newId } from '../new-id.ts';
import { containsPattern, table } from '../table.ts';
import { insertAll, type Values } from '../write.ts';
import { hasTrigram, isFoundBy, namePatterns, textOrNull } from '../borrowers/search.ts';
import { blockersOf } from './actions.ts';
import { loanLookups, loanOrders } from './lists.ts';
import { loanColumns, loanSource } from './loan-view.ts';

/** Columns that a loan shows as they are stored. */
const OWN = [
  'id',
  'status',
  'sub_status',
  'is_archived',
  'borrower_id',
  'program_id',
  'product_id',
  'loan_officer_id',
  'portfolio_id',
  'external_id',
  'is_frozen',
  'frozen_at',
  'freeze_reason',
  'freeze_until',
  'is_accelerated',
  'accelerated_at',
  'is_non_accrual',
  'non_accrual_since',
  'loan_number',
  'labels',
  'loan_type',
  'principal_amount',
  'disbursed_amount',
  'principal_balance',
  'outstanding_fees',
  'suspense_balance',
  'charge_off_balance',
  'deficiency_balance',
  'day_count',
  'interest_method',
  'payment_frequency',
  'payment_amount',
  'payment_day',
  'term_months',
  'expected_disbursement_date',
  'first_payment_date',
  'last_payment_date',
  'last_payment_amount',
  'maturity_date',
  'cycle_start_date',
  'cycle_end_date',
  'origination_date',
  'disbursement_date',
  'approved_at',
  'approved_by',
  'denied_at',
  'canceled_at',
  'cancel_reason',
  'paid_off_at',
  'charged_off_at',
  'charge_off_reason',
  'charge_off_amount',
  'recovered_amount',
  'times_delinquent_30',
  'times_delinquent_60',
  'times_delinquent_90',
  'paid_principal',
  'paid_interest',
  'paid_fees',
  'created_at',
  'updated_at',
];

/**
 * Loans by their number, their external id, or the name of a person who owes them. The function runs as the owner,
 * because row-level security keeps the tenant's role from using the indexes. One or two letters are only compared with
 * whole numbers and with the beginning of names.
 */
function search(words: string, may: (fact: string) => boolean): SqlFragment {
  const mayName = may('loans.borrower_name') && may('borrowers.middle_name');
  const part = hasTrigram(words) ? containsPattern(words) : null;
  const isShort = part === null;
  return isFoundBy([
    sql.fragment`app.search_loans(
    ${textOrNull(part)}, ${textOrNull(may('loans.external_id') ? part : null)}, ${textOrNull(isShort ? words : null)},
    ${namePatterns(mayName ? words : null)}, ${textOrNull(mayName && isShort ? words : null)}
  )`,
  ]);
}

/** A loan as the API shows it on the business date (`outlook.ts`). */
export const loans = table({
  name: 'loans',
  rows: sql.fragment`
    select ${loanColumns} ${loanSource}
  `,
  own: ['q', ...OWN],
  lookups: loanLookups,
  orders: loanOrders,
  counted: ['status', 'is_archived'],
  searched: ['loan_number'],
  also_searched: ['loans.external_id', 'loans.borrower_name', 'borrowers.middle_name'],
  search,
  filters: {
    // A filter by status also finds archived loans.
    status: { where: (values) => sql.fragment`row.status = any(${sql.array(values, 'text')})` },
  },
});

/** The columns of the bare row that loan operations use. Only these are read. */
export const RawLoanRow = z.object({
  id: z.string(),
  loan_number: z.string(),
  borrower_id: z.string(),
  program_id: z.string(),
  product_id: z.string(),
  portfolio_id: z.string().nullable(),
  loan_officer_id: z.string().nullable(),
  status: z.string(),
  loan_type: z.string(),
  principal_amount: z.string(),
  interest_rate: z.string(),
  term_months: z.int(),
  /** Null if the term was never changed. */
  original_term_months: z.int().nullable(),
  payment_day: z.int().nullable(),
  payment_frequency: z.string(),
  payment_amount: z.string().nullable(),
  terms: z.record(z.string(), z.unknown()),
  expected_disbursement_date: z.string().nullable(),
  /** The agreed date, until the loan is disbursed. */
  first_payment_date: z.string().nullable(),
  maturity_date: z.string().nullable(),
  origination_date: z.string().nullable(),
  approved_on: z.string().nullable(),
  disbursement_date: z.string().nullable(),
  disbursed_amount: z.string(),
  principal_balance: z.string(),
  is_frozen: z.boolean(),
  is_accelerated: z.boolean(),
  is_non_accrual: z.boolean(),
  is_archived: z.boolean(),
  delinquency_bucket: z.string(),
  schedule_version: z.int(),
  final_payment_amount: z.string().nullable(),
  credit_limit: z.string().nullable(),
  labels: z.array(z.string()),
  rescission_ends: z.string().nullable(),
  blockers: z.record(z.string(), z.string()),
});
export type RawLoan = z.output<typeof RawLoanRow>;

/** The columns of the row `loan`. Pass the business date if the statement already has it. */
export const rawColumns = (today?: SqlFragment) =>
  sql.join(
    Object.keys(RawLoanRow.shape).map((column) =>
      column === 'blockers'
        ? sql.fragment`${blockersOf('loan', today)} as blockers`
        : sql.fragment`${sql.identifier(['loan', column])}`,
    ),
    sql.fragment`, `,
  );

const ROW = rawColumns();

/**
 * Locks the loan for a change. A separate statement, so that the next one, which is sent with it, sees
 * everything that was committed while this one waited.
 */
export const acquireLoanLock = (tx: Transaction, id: string) => acquireLoanLocks(tx, [id]);

/** Locks several loans in the order of their ids, to avoid deadlocks. */
export const acquireLoanLocks = (tx: Transaction, ids: readonly string[]) => {
  const [only = null, ...others] = ids;
  return tx.query(deferred(others.length === 0 ? lockLoanSql(only) : lockLoansSql(ids)));
};

const lockLoanSql = (id: string | null) => sql.typeAlias('void')`select app.lock_loan(${id})`;

const lockLoansSql = (ids: readonly string[]) => sql.typeAlias('void')`
  select app.lock_loan(id)
  from (select id from unnest(${sql.array([...ids], 'uuid')}) as wanted (id) order by id) as wanted
`;

export async function lockLoan(tx: Transaction, id: string) {
  await acquireLoanLock(tx, id);
  return readLoanRow(tx, id);
}

export const readLoanRow = (tx: Transaction, id: string) =>
  tx.maybeOne(
    sql.prepared('read_loan', RawLoanRow)`select ${ROW} from loans as loan where id = ${id}`,
  );

export const addLoan = batchByTransaction(async (tx, rows: readonly Values[]) => {
  const ids = rows.map(() => newId());
  await insertAll(
    tx,
    'loans',
    rows.map((row, at) => ({ ...row, id: ids[at] })),
  );
  return ids;
});

/** The next loan number of the year, such as LN-2026-000001. A failed creation may leave a gap. */
export async function nextNumber(tx: Transaction, year: number): Promise<string> {
  const number = await tx.oneFirst(sql.type(z.object({ last_number: z.string() }))`
    insert into loan_number_sequences (year, last_number) values (${year}, 1)
    on conflict (tenant_id, year)
      do update set last_number = loan_number_sequences.last_number + 1
    returning last_number
  `);
  return `LN-${year}-${number.padStart(6, '0')}`;
}

/** Sets the loan's status and the columns that depend on it. */
export async function setLoanStatus(tx: Transaction, id: string, status: string) {
  await tx.query(sql.typeAlias('void')`update loans set status = ${status} where id = ${id}`);
}

export const markFunded = (
  tx: Transaction,
  id: string,
  on: string,
  firstPayment: string | null,
  payment: string | null,
) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set disbursement_date = coalesce(disbursement_date, ${on}),
        origination_date = coalesce(origination_date, ${on}),
        agreed_first_payment_date = first_payment_date,
        first_payment_date = ${firstPayment}, payment_amount = ${payment}
    where id = ${id}
  `);

export const markPaidOff = (tx: Transaction, id: string, isPaidOff: boolean) =>
  tx.query(sql.typeAlias('void')`
    update loans set paid_off_at = ${isPaidOff ? sql.fragment`now()` : sql.fragment`null`} where id = ${id}
  `);

export const addDisbursed = (tx: Transaction, id: string, amount: string) =>
  tx.query(sql.typeAlias('void')`
    update loans set disbursed_amount = disbursed_amount + ${amount}::numeric where id = ${id}
  `);
