import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { newId } from '../new-id.ts';
import { containsPattern, table } from '../table.ts';
import { insertAll, type Values } from '../write.ts';
import { blockersOf } from './actions.ts';
import { loanColumns, loanSource, derivedLoanFields } from './loan-view.ts';

/** Columns that lists look for in the bare row. */
const OWN = [
  'id',
  'status',
  'is_archived',
  'borrower_id',
  'program_id',
  'product_id',
  'loan_officer_id',
  'portfolio_id',
  'external_id',
  'is_frozen',
  'is_accelerated',
  'is_non_accrual',
  'loan_number',
  'labels',
  'origination_date',
  'maturity_date',
  'principal_amount',
  'principal_balance',
  'created_at',
  'updated_at',
];

/**
 * A loan as everybody sees it: what it owes is computed from its anchor as of the business date, so
 * it is right at any hour. What is asked for is in open-plan.ts.
 */
export const loans = table({
  name: 'loans',
  rows: sql.fragment`
    select ${loanColumns} ${loanSource}
  `,
  own: ['q', ...OWN],
  computed: { fields: derivedLoanFields.fields, rows: derivedLoanFields.rows(OWN) },
  counted: ['status', 'is_archived'],
  searched: ['loan_number'],
  search: (words) => sql.fragment`row.loan_number ilike ${containsPattern(words)}`,
  filters: {
    // "cancelled" is accepted for the one spelling that is stored.
    status: (values) => sql.fragment`
      row.status = any(${sql.array(
        values.map((value) => (value === 'cancelled' ? 'canceled' : value)),
        'text',
      )})
    `,
  },
});

/** The columns of the bare row that the work on a loan looks at; what is read is what is named here. */
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
  /** Null while the term is the one that the loan began with. */
  original_term_months: z.int().nullable(),
  payment_day: z.int().nullable(),
  payment_frequency: z.string(),
  payment_amount: z.string().nullable(),
  terms: z.record(z.string(), z.unknown()),
  expected_disbursement_date: z.string().nullable(),
  /** Until the money goes out, the one that was agreed. */
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
  credit_limit: z.string().nullable(),
  labels: z.array(z.string()),
  rescission_ends: z.string().nullable(),
  /** By action, the code of what stands in its way. */
  blockers: z.record(z.string(), z.string()),
});
export type RawLoan = z.output<typeof RawLoanRow>;

/** Of the row `loan`, on the day that the statement knows already, if it does. */
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
 * Locks the loan for a change. It is a statement of its own, so that the next one, which comes with it,
 * sees what was written while this one waited.
 */
export const acquireLock = (tx: Transaction, id: string) => acquireLocks(tx, [id]);

/** The same for several, always in the order of their ids: who waits for another is not waited for. */
export const acquireLocks = (tx: Transaction, ids: readonly string[]) => {
  const [only = null, ...others] = ids;
  return tx.query(deferred(others.length === 0 ? holding(only) : holdingEach(ids)));
};

const holding = (id: string | null) => sql.typeAlias('void')`select app.lock_loan(${id})`;

const holdingEach = (ids: readonly string[]) => sql.typeAlias('void')`
  select app.lock_loan(id)
  from (select id from unnest(${sql.array([...ids], 'uuid')}) as wanted (id) order by id) as wanted
`;

/** Locks the loan and answers its row. */
export async function lock(tx: Transaction, id: string) {
  await acquireLock(tx, id);
  return read(tx, id);
}

/** The loan's row without a lock, for those who only look. */
export const read = (tx: Transaction, id: string) =>
  tx.maybeOne(
    sql.prepared('read_loan', RawLoanRow)`select ${ROW} from loans as loan where id = ${id}`,
  );

/** Writes the row of a new loan and answers its id. */
export const add = batchByTransaction(async (tx, rows: readonly Values[]) => {
  const ids = rows.map(() => newId());
  await insertAll(
    tx,
    'loans',
    rows.map((row, at) => ({ ...row, id: ids[at] })),
  );
  return ids;
});

/** The next number of the year: LN-2026-000001. Gaps may stay where a creation failed. */
export async function nextNumber(tx: Transaction, year: number): Promise<string> {
  const number = await tx.oneFirst(sql.type(z.object({ last_number: z.string() }))`
    insert into loan_number_sequences (year, last_number) values (${year}, 1)
    on conflict (tenant_id, year)
      do update set last_number = loan_number_sequences.last_number + 1
    returning last_number
  `);
  return `LN-${year}-${number.padStart(6, '0')}`;
}

/** Moves the loan to another status, with the columns that go with it. */
export async function setStatus(tx: Transaction, id: string, status: string) {
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
