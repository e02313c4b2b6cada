import { sql } from '../database/db.ts';
import type { Values } from '../write.ts';

type PaymentSplit = { id: string } & Values;

/** Updates the allocation and coverage of payments from the refolded history. */
export const updatePaymentSplitsSql = (payments: readonly PaymentSplit[]) => sql.fragment`
  update payments as payment
  set principal_applied = row.principal_applied, interest_applied = row.interest_applied,
      fees_applied = row.fees_applied, suspense_applied = row.suspense_applied,
      allocations = row.allocations, coverage = row.coverage
  from jsonb_to_recordset(${JSON.stringify(payments)}::jsonb) as row (
    id uuid, principal_applied numeric, interest_applied numeric, fees_applied numeric,
    suspense_applied numeric, allocations jsonb, coverage jsonb
  )
  where payment.id = row.id and payment.status not in ('reversed', 'returned')
`;

export const updateCreditSplitsSql = (
  table: 'service_credits' | 'suspense_applications',
  credits: readonly PaymentSplit[],
) => sql.fragment`
  update ${sql.identifier([table])} as credit
  set principal_applied = row.principal_applied, interest_applied = row.interest_applied,
      fees_applied = row.fees_applied
  from jsonb_to_recordset(${JSON.stringify(credits)}::jsonb)
    as row (id uuid, principal_applied numeric, interest_applied numeric, fees_applied numeric)
  where credit.id = row.id and credit.status = 'applied'
`;

export const updateSaleSplitsSql = (sales: readonly PaymentSplit[]) => sql.fragment`
  update liquidations as sale
  set applied_principal = row.applied_principal, applied_interest = row.applied_interest,
      applied_fees = row.applied_fees, recovered = row.recovered, surplus = row.surplus
  from jsonb_to_recordset(${JSON.stringify(sales)}::jsonb) as row (
    id uuid, applied_principal numeric, applied_interest numeric, applied_fees numeric,
    recovered numeric, surplus numeric
  )
  where sale.id = row.id and sale.status = 'applied'
`;

export type FeeAmounts = {
  loan_id: string;
  fee_id: string;
  amount_paid: string;
  amount_waived: string;
  outstanding_amount: string;
};

/** Updates the paid and waived amounts of each fee, and the reason why the rest is no longer owed. */
export const updateFeesSql = (fees: readonly FeeAmounts[]) => sql.fragment`
  update fees as fee
  set amount_paid = row.amount_paid, amount_waived = row.amount_waived,
      amount_reclassified = fee.amount - row.amount_paid - row.amount_waived - row.outstanding_amount,
      status = case
        when row.amount_waived > 0 and row.amount_paid + row.amount_waived >= fee.amount then 'waived'
        when row.amount_paid >= fee.amount then 'paid'
        when row.amount_paid > 0 then 'partially_paid'
        else 'assessed'
      end
  from jsonb_to_recordset(${JSON.stringify(fees)}::jsonb)
    as row (loan_id uuid, fee_id uuid, amount_paid numeric, amount_waived numeric, outstanding_amount numeric)
  where fee.loan_id = row.loan_id and fee.id = row.fee_id and fee.status <> 'reversed'
    and (fee.amount_paid, fee.amount_waived, fee.amount - fee.amount_paid - fee.amount_waived - fee.amount_reclassified)
      is distinct from (row.amount_paid, row.amount_waived, row.outstanding_amount)
`;
