import { deferred, sql, type Transaction } from '../../database/db.ts';
import { batchByTransaction } from '../../database/batch-by-transaction.ts';
import { batchedInsert, type Values } from '../../write.ts';

/** Rarer records. */
export const addReplayedDraw = batchedInsert('draws');
export const addReplayedCredit = batchedInsert('service_credits');
export const addReplayedSuspense = batchedInsert('suspense_applications');

type ReplayedRecords = { payments: readonly Values[]; fees: readonly Values[] };

/** Writes the records of what happened to boarded loans at their previous servicers. Loans share the statements. */
export const insertReplayedRecords = batchByTransaction(
  async (tx, all: readonly ReplayedRecords[]) => {
    const payments = all.flatMap((loan) => loan.payments);
    const fees = all.flatMap((loan) => loan.fees);
    if (payments.length > 0) await insertPayments(tx, payments);
    if (fees.length > 0) await insertFees(tx, fees);
    return all.map(() => undefined);
  },
);

/** `posted_at` stays empty, because the money was not received here. */
const insertPayments = (tx: Transaction, payments: readonly Values[]) =>
  tx.query(
    deferred(sql.typeAlias('void')`
      insert into payments (
        id, loan_id, borrower_id, receipt_number, amount, payment_date, effective_date, payment_method,
        payment_type, source, principal_applied, interest_applied, fees_applied, suspense_applied,
        remaining_balance, allocations, coverage, status, reversal_reason, reversal_effective_date,
        reversed_at, notes
      )
      select id, loan_id, borrower_id, receipt_number, amount, payment_date, effective_date, payment_method,
             payment_type, 'import', principal_applied, interest_applied, fees_applied, suspense_applied,
             remaining_balance, allocations, coverage, status, reversal_reason, reversal_effective_date,
             reversal_effective_date, notes
      from jsonb_to_recordset(${JSON.stringify(payments)}::jsonb) as row (
        id uuid, loan_id uuid, borrower_id uuid, receipt_number text, amount numeric, payment_date date,
        effective_date date, payment_method text, payment_type text, principal_applied numeric,
        interest_applied numeric, fees_applied numeric, suspense_applied numeric, remaining_balance numeric,
        allocations jsonb, coverage jsonb, status text, reversal_reason text, reversal_effective_date date,
        notes text
      )
    `),
  );

const insertFees = (tx: Transaction, fees: readonly Values[]) =>
  tx.query(
    deferred(sql.typeAlias('void')`
      insert into fees (
        id, loan_id, fee_type, description, amount, amount_paid, amount_waived, amount_reclassified,
        assessed_date, effective_date, installment_number, treatment, status
      )
      select id, loan_id, fee_type, description, amount, amount_paid, amount_waived,
             case when is_reversed then 0 else amount - amount_paid - amount_waived - outstanding_amount end,
             assessed_date, effective_date, installment_number, treatment,
             case
               when is_reversed then 'reversed'
               when amount_waived > 0 and amount_paid + amount_waived >= amount then 'waived'
               when amount_paid >= amount then 'paid'
               when amount_paid > 0 then 'partially_paid'
               else 'assessed'
             end
      from jsonb_to_recordset(${JSON.stringify(fees)}::jsonb) as row (
        id uuid, loan_id uuid, fee_type text, description text, amount numeric, amount_paid numeric,
        amount_waived numeric, outstanding_amount numeric, assessed_date date, effective_date date,
        installment_number integer, treatment text, is_reversed boolean
      )
    `),
  );
