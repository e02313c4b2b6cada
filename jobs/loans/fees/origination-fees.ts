import type { RawLoan } from '../../../sql/loans/loans.ts';
import { insert } from '../../../sql/write.ts';
import { Conflict } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import type { EventOf, FinancedFee, LoanEvent } from '../engine/events.ts';
import { newEvent } from '../history/new-event.ts';
import { sumFeesByTreatment, fundingFees } from '../products/fee-amounts.ts';

type Disbursed = { on: string; amount: string; isFirst: boolean };

/**
 * Assesses the product's fees for a disbursement. Fees owed from that day or spread over installments
 * become events. Deducted and capitalized fees are part of the disbursement event, so both always exist
 * together.
 */
export async function assessOriginationFees(work: Work, loan: RawLoan, disbursed: Disbursed) {
  const fees = fundingFees(loan, disbursed);
  const fee_deducted = sumFeesByTreatment(fees, 'deducted');
  const net_amount = parseMoney(disbursed.amount).minus(fee_deducted);
  if (net_amount.lte(0)) {
    throw feesExceedDisbursement({
      amount: disbursed.amount,
      fee_deducted: money(fee_deducted),
    });
  }
  const owed: LoanEvent[] = [];
  const financed: FinancedFee[] = [];
  for (const { rule, amount, treatment } of fees) {
    const { fee_type, description } = rule;
    const fee = {
      fee_type,
      treatment,
      amount: money(amount),
      on: disbursed.on,
      description: description ?? 'Origination fee',
      fee_rule_id: rule.id ?? null,
    };
    if (treatment === 'deducted' || treatment === 'capitalized') {
      const fee_id = await writeFee(work, loan, fee);
      financed.push({ fee_id, fee_type, amount: fee.amount, treatment });
    } else {
      owed.push(await assessFee(work, loan, fee));
    }
  }
  return {
    owed,
    /** For the disbursement event. */
    financed: financed.length > 0 ? { fees: financed } : {},
    /** For the disbursement record. */
    proceeds: { fee_deducted: money(fee_deducted), net_amount: money(net_amount) },
    /** For the schedule: fees added to principal, and fees spread over installments. */
    capitalized: sumFeesByTreatment(fees, 'capitalized'),
    spread: sumFeesByTreatment(fees, 'amortized'),
  };
}

type NewFee = {
  fee_type: string;
  amount: string;
  on: string;
  description: string | null;
  installment_number?: number;
  due_date?: string;
  /** The payment that caused the fee. */
  payment_id?: string;
  draw_id?: string;
  /** The product rule that requires the fee. */
  fee_rule_id?: string | null;
  treatment?: string;
};

/** Writes a fee and notifies subscribers. The caller must record the returned event. */
export async function assessFee(
  work: Work,
  loan: Pick<RawLoan, 'id'>,
  fee: NewFee,
): Promise<EventOf<'fee'>> {
  const fee_id = await writeFee(work, loan, fee);
  const { fee_type, amount, installment_number, on } = fee;
  return newEvent({
    kind: 'fee',
    effective_date: on,
    fee_id,
    fee_type,
    amount,
    ...(installment_number !== undefined && { installment_number }),
    ...(fee.treatment === 'amortized' && { is_spread: true }),
  });
}

async function writeFee(work: Work, loan: Pick<RawLoan, 'id'>, { on, ...fee }: NewFee) {
  const fee_id = await insert(work.tx, 'fees', {
    ...fee,
    loan_id: loan.id,
    assessed_date: work.today,
    effective_date: on,
  });
  await emit(work, 'fee.assessed', {
    fee_id,
    loan_id: loan.id,
    fee_type: fee.fee_type,
    amount: fee.amount,
    assessed_date: work.today,
  });
  return fee_id;
}

export const feesExceedDisbursement = (details: { amount: string; fee_deducted: string }) =>
  new Conflict(
    'The deducted fees leave nothing to disburse. Disburse a larger amount.',
    'fees_exceed_disbursement',
    details,
  );
