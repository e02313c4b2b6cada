import { z } from 'zod';
import * as fees from '../../../sql/loans/fees.ts';
import { loanOf } from '../../../sql/loans/records.ts';
import { positiveMoney, freeWords } from '../../../sql/types.ts';
import { Conflict } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { happen, openLoan } from '../history/happen.ts';
import { openInService } from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { assertInHistory } from '../history/rests.ts';
import { assessFee } from './origination-fees.ts';

type NewFee = {
  loan_id: string;
  fee_type: string;
  amount: string;
  description?: string | null | undefined;
  effective_date?: string | null | undefined;
  due_date?: string | null | undefined;
};

/** Assesses a fee by hand: it is owed from its day, and subscribers hear of it. */
export async function addFee(work: Work, input: NewFee): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const on = input.effective_date ?? work.today;
  assertInHistory(work, loan, 'effective_date', on);
  const event = await assessFee(work, loan.row, {
    fee_type: input.fee_type,
    amount: input.amount,
    on,
    description: input.description ?? null,
    ...(input.due_date && { due_date: input.due_date }),
  });
  await happen(work, loan, [event]);
  return event.kind === 'fee' ? (event.fee_id ?? event.id) : event.id;
}

export const Waiver = z.object({
  amount: positiveMoney.nullish().describe('All that is still owed of it, which is the default.'),
  reason: freeWords,
});

/** Waives what is still owed of a fee, or a part: the income is taken back with the receivable. */
export async function waiveFee(work: Work, id: string, input: z.output<typeof Waiver>) {
  const loan = await openLoan(work, await loanOf(work.tx, 'fees', id));
  const fee = loan.state.fees.find(({ fee_id }) => fee_id === id);
  const outstanding = parseMoney(fee?.outstanding_amount ?? '0.00');
  const details = { outstanding_amount: money(outstanding) };
  if (outstanding.eq(0))
    throw new Conflict('Nothing is owed of the fee.', 'nothing_to_waive', details);
  const amount = input.amount ?? money(outstanding);
  if (outstanding.lt(amount))
    throw new Conflict('Less than that is owed of the fee.', 'exceeds_outstanding', details);
  await fees.markWaived(work.tx, id, { by: work.actor.id, reason: input.reason });
  const waiver = newEvent({ kind: 'fee_waiver', effective_date: work.today, fee_id: id, amount });
  await happen(work, loan, [waiver]);
}
