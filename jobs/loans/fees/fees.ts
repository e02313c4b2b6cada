import { z } from 'zod';
import * as fees from '../../../sql/loans/fees/fees.ts';
import { loanIdOf } from '../../../sql/loans/records.ts';
import { positiveMoney, requiredFreeText } from '../../../sql/types.ts';
import { Conflict } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { recordEvents } from '../history/record-events.ts';
import { openInService } from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { assertInHistory } from '../history/accrual-stops.ts';
import type { LoanStatus } from '../history/statuses.ts';
import { assertFeesAllowed } from './forgiven-fees.ts';
import { assessFee } from './origination-fees.ts';

type NewFee = {
  loan_id: string;
  fee_type: string;
  amount: string;
  description?: string | null | undefined;
  effective_date?: string | null | undefined;
  due_date?: string | null | undefined;
};

/** Assesses a fee manually, owed from its date. Emits an event to subscribers. */
export async function addFee(work: Work, input: NewFee): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const on = input.effective_date ?? work.today;
  assertInHistory(work, loan, 'effective_date', on);
  assertFeesAllowed(loan, on);
  const event = await assessFee(work, loan.row, {
    fee_type: input.fee_type,
    amount: input.amount,
    on,
    description: input.description ?? null,
    ...(input.due_date && { due_date: input.due_date }),
  });
  await recordEvents(work, loan, [event]);
  return event.fee_id ?? event.id;
}

export const FeeWaiver = z.object({
  amount: positiveMoney
    .nullish()
    .describe('Default: the whole fee. Amounts already paid on it are reapplied.'),
  reason: requiredFreeText.describe('Why the fee is waived. Kept with the fee.'),
});

/** In other statuses the fee is already settled with another party. */
const WAIVABLE_ON: readonly LoanStatus[] = ['active', 'paid_off', 'charged_off'];

/**
 * Waives a fee, or part of it, as of its assessment date. The waiver reverses the income and the
 * receivable. Money that paid the fee is reapplied to other dues.
 */
export async function waiveFee(work: Work, id: string, input: z.output<typeof FeeWaiver>) {
  const loan = await openInService(work, await loanIdOf(work.tx, 'fees', id), WAIVABLE_ON);
  const fee = loan.state.fees.find(({ fee_id }) => fee_id === id);
  const waivable = parseMoney(fee?.outstanding_amount ?? '0.00').plus(fee?.amount_paid ?? '0.00');
  if (waivable.eq(0)) throw nothingToWaive();
  const amount = input.amount ?? money(waivable);
  if (waivable.lt(amount))
    throw exceedsWaivable({
      outstanding_amount: fee?.outstanding_amount,
      waivable_amount: money(waivable),
    });
  await fees.markWaived(work.tx, id, { by: work.actor.id, reason: input.reason });
  const waiver = newEvent({ kind: 'fee_waiver', effective_date: work.today, fee_id: id, amount });
  const state = await recordEvents(work, loan, [waiver]);
  // The fee was deducted from the disbursement and therefore never owed.
  if (!state.allocations.some(({ event_id }) => event_id === waiver.id)) throw nothingToWaive();
}

export const nothingToWaive = () =>
  new Conflict('The fee has no unpaid amount left to waive.', 'nothing_to_waive', {
    outstanding_amount: '0.00',
  });

export const exceedsWaivable = (details: Record<string, unknown>) =>
  new Conflict(
    'The amount exceeds the part of the fee that can be waived. See waivable_amount.',
    'exceeds_outstanding',
    details,
  );
