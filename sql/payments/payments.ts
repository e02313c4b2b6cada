import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';
import { batchedInsert } from '../write.ts';

export const payments = table({
  name: 'payments',
  owner: 'loans',
  own: [
    'id',
    'q',
    'loan_id',
    'borrower_id',
    'status',
    'payment_type',
    'payment_method',
    'payment_date',
    'effective_date',
    'external_id',
    'source',
    'amount',
    'autopay_plan_id',
    'payment_instrument_id',
    'receipt_number',
    'reference_number',
    'posted_at',
    'created_at',
    'updated_at',
  ],
  rows: sql.fragment`
    select record.id, record.loan_id, record.borrower_id, record.receipt_number, record.amount,
           record.payment_date, record.effective_date, record.payment_method, record.payment_type,
           record.payment_instrument_id, record.external_id, record.reference_number, record.notes,
           record.status, record.source, record.autopay_plan_id, record.principal_applied,
           record.interest_applied, record.fees_applied, record.suspense_applied,
           record.remaining_balance, record.allocations, record.coverage, record.posted_at,
           record.settled_at, record.failed_at, record.failure_reason, record.return_code,
           record.reversed_at, record.reversed_by, record.reversal_reason,
           record.reversal_effective_date, record.reverses_payment_id, record.hold_until,
           record.waive_returned_fee, record.consent_id,
           array(
             select entry.id from journal_entries as entry
             where entry.reference_id = record.id order by entry.id
           )::text[] as journal_entry_ids,
           record.created_at, record.updated_at
    from payments as record
  `,
  searched: ['receipt_number'],
  search: (words) => sql.fragment`row.receipt_number ilike ${containsPattern(words)}`,
});

export const addPayment = batchedInsert('payments');

const Payment = z.object({
  id: z.string(),
  loan_id: z.string(),
  amount: z.string(),
  status: z.string(),
  effective_date: z.string(),
});

/** Locks the payment. The caller has locked its loan. */
export const lockPayment = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Payment)`
    select id, loan_id, amount, status, effective_date from payments where id = ${id} for update
  `);

export const markReversed = (
  tx: Transaction,
  id: string,
  {
    status,
    by,
    reason,
    return_code,
    on,
  }: { status: string; by: string | null; reason: string; return_code: string | null; on: string },
) =>
  tx.query(sql.typeAlias('void')`
    update payments
    set status = ${status}, reversed_at = now(), reversed_by = ${by}, reversal_reason = ${reason},
        return_code = ${return_code}, reversal_effective_date = ${on}
    where id = ${id}
  `);

/** The payment's loan, read before the loan is locked. */
export const findLoanOfPayment = (tx: Transaction, id: string) =>
  tx.maybeOne(
    sql.type(z.object({ loan_id: z.string() }))`select loan_id from payments where id = ${id}`,
  );

export async function cancelScheduledPayment(tx: Transaction, id: string) {
  await tx.query(sql.typeAlias('void')`
    update payments set status = 'canceled' where id = ${id} and status = 'scheduled'
  `);
}

export const markScheduledFailed = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update payments set status = 'failed', failed_at = now(), failure_reason = ${reason}
    where id = ${id} and status = 'scheduled'
  `);

const Scheduled = z.looseObject({
  amount: z.string(),
  payment_date: z.string(),
  effective_date: z.string(),
  payment_instrument_id: z.string().nullable(),
});

/** Locks the scheduled payment and returns its order. */
export const lockScheduled = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Scheduled)`
    select amount, payment_date, effective_date, payment_method, payment_type, payment_instrument_id,
           allocation_override, external_id, reference_number, notes, source, hold_until,
           waive_returned_fee, borrower_id as payer_id, payment_plan_id, consent_id
    from payments where id = ${id} and status = 'scheduled' for update
  `);

/** Deletes the scheduled payment, because the received payment is written under the same id. */
export const deleteScheduled = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`delete from payments where id = ${id} and status = 'scheduled'`);

const PaymentToReturn = z.object({
  id: z.string(),
  loan_id: z.string(),
  amount: z.string(),
  payment_date: z.string(),
  payment_type: z.string(),
  payment_instrument_id: z.string().nullable(),
  waive_returned_fee: z.boolean(),
});
export type PaymentToReturn = z.output<typeof PaymentToReturn>;

export const findForReturn = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(PaymentToReturn)`
    select id, loan_id, amount, payment_date, payment_type, payment_instrument_id, waive_returned_fee
    from payments where id = ${id}
  `);

const Refundable = z.object({
  loan_id: z.string(),
  status: z.string(),
  principal_applied: z.string(),
  refunded_principal: z.string(),
  hold_until: z.string().nullable(),
});

/** A received payment, and how much of its principal was already refunded. */
export const findRefundable = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Refundable)`
    select payment.loan_id, payment.status, payment.principal_applied, payment.hold_until,
           coalesce((
             select -sum(back.principal_applied) from payments as back
             where back.loan_id = payment.loan_id and back.reverses_payment_id = payment.id
               and back.payment_type = 'reimbursement' and back.status in ('completed', 'settled')
           ), 0.00) as refunded_principal
    from payments as payment
    where payment.id = ${id} and payment.payment_type <> 'reimbursement'
  `);

/** Money in suspense from payments that are still on hold. */
export const heldSuspenseAmount = (tx: Transaction, loanId: string, today: string) =>
  tx.oneFirst(sql.type(z.object({ held: z.string() }))`
    select coalesce(sum(suspense_applied), 0.00) as held from payments
    where loan_id = ${loanId} and status = 'completed' and hold_until > ${today}
  `);

const isHeldUntil = (today: string) =>
  sql.fragment`status = 'completed' and hold_until <= ${today}`;

export const withEndedHold = (today: string) =>
  sql.fragment`select from payments where ${isHeldUntil(today)}`;

export const settleEndedHolds = (tx: Transaction, today: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update payments set status = 'settled', settled_at = now() where ${isHeldUntil(today)}
  `),
  );
