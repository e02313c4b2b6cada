import { z } from 'zod';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { isInChunk, type LoanChunk } from '../chunk.ts';

/**
 * A modification that waits for its approval or its day is shown as canceled while its loan is not active. It
 * then cannot be approved or applied.
 */
const hasStatus = (values: string[]) =>
  // With a single value, Postgres can use the order of the index.
  values.length === 1
    ? sql.fragment`row.shown_status = ${values[0] ?? ''}`
    : sql.fragment`row.shown_status = any(${sql.array(values, 'text')})`;

export const modifications = table({
  name: 'modifications',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.modification_type, record.effective_date,
           record.reason, record.reason_comment,
           trim_scale(record.new_interest_rate) as new_interest_rate, record.new_term_months,
           record.extend_months, record.new_payment_amount, record.new_payment_day,
           record.new_maturity_date, record.principal_forgiven, record.capitalize_interest,
           record.capitalize_fees, record.capitalized_amount, record.interest_treatment,
           record.fee_treatment, record.apply_immediately, record.shown_status as status,
           record.previous_terms, record.new_terms, record.requested_by, record.approved_by, record.applied_at,
           record.document_id, record.created_at, record.updated_at
    from modifications as record left join loans as loan on loan.id = record.loan_id
  `,
  own: [
    'id',
    'loan_id',
    'modification_type',
    'status',
    'effective_date',
    'reason',
    'created_at',
    'updated_at',
  ],
  filters: { status: { where: hasStatus } },
  orders: { status: () => ({ all: { value: sql.fragment`row.shown_status` } }) },
});

/** Loans of the chunk with an approved modification that is effective on or before this day. */
export const loansWithDueModification = (chunk: LoanChunk) =>
  prepared(sql.type(z.object({ id: z.string() }))`
    select distinct loan.id
    from modifications as modification join loans as loan on loan.id = modification.loan_id
    where modification.status = 'approved' and modification.effective_date <= ${chunk.cob_date}
      and ${isInChunk(chunk)}
    order by loan.id
  `);

export const AgreedModificationRow = z.object({
  id: z.string(),
  loan_id: z.string(),
  status: z.string(),
  requested_by: z.string().nullable(),
  modification_type: z.string(),
  reason: z.string(),
  effective_date: z.string(),
  new_interest_rate: z.string().nullable(),
  new_term_months: z.int().nullable(),
  extend_months: z.int().nullable(),
  new_payment_amount: z.string().nullable(),
  new_payment_day: z.int().nullable(),
  new_maturity_date: z.string().nullable(),
  principal_forgiven: z.string(),
  capitalize_interest: z.boolean(),
  capitalize_fees: z.boolean(),
  interest_treatment: z.string(),
  fee_treatment: z.string(),
  previous_terms: z.record(z.string(), z.unknown()),
  event_ids: z.array(z.string()),
});
export type AgreedModification = z.output<typeof AgreedModificationRow>;

/** Amounts and rates are text, because JSON would turn them into numbers. */
export const agreedModificationColumns = sql.fragment`
  id, loan_id, status, requested_by, modification_type, reason, effective_date,
  trim_scale(new_interest_rate)::text as new_interest_rate, new_term_months, extend_months,
  new_payment_amount::text as new_payment_amount, new_payment_day, new_maturity_date,
  principal_forgiven::text as principal_forgiven, capitalize_interest, capitalize_fees,
  interest_treatment, fee_treatment, previous_terms, event_ids
`;

export const lockModification = (tx: Transaction, id: string) =>
  tx.one(
    sql.type(
      AgreedModificationRow,
    )`select ${agreedModificationColumns} from modifications where id = ${id} for update`,
  );

export const listDueModifications = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(AgreedModificationRow)`
    select ${agreedModificationColumns} from modifications
    where loan_id = ${loanId} and status = 'approved' and effective_date <= app.business_date()
    order by effective_date, id for update
  `);

/** How often the loan was modified, including pending modifications, and its product's limit. */
export const countAgainstLimit = (tx: Transaction, loanId: string, productId: string) =>
  tx.one(sql.type(z.object({ count: z.int(), limit: z.int() }))`
    select (
      select count(*)::integer from modifications
      where loan_id = ${loanId} and status in ('pending', 'approved', 'completed')
    ) as count, max_modifications as limit
    from products where id = ${productId}
  `);

/** Whether a later modification was completed, which blocks reversing this one. */
export const hasLaterCompleted = (tx: Transaction, loanId: string, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from modifications
    where loan_id = ${loanId} and status = 'completed'
      and applied_at > (select applied_at from modifications where id = ${id})
  `);
