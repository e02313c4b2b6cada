import { z } from 'zod';
import * as records from '../../../sql/loans/records.ts';
import { newId } from '../../../sql/new-id.ts';
import { requiredFreeText } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import type { CreditTarget, SPONSORS } from '../engine/events.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { immutableConflict, openInService } from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { isSold } from '../history/post-loan-event.ts';
import { assertInHistory } from '../history/accrual-stops.ts';

export const CREDIT_TYPES = [
  'goodwill',
  'promotional',
  'dispute',
  'correction',
  'loyalty',
  'settlement',
] as const;

type NewCredit = {
  loan_id: string;
  amount: string;
  credit_type: (typeof CREDIT_TYPES)[number];
  reason: string;
  apply_to: CreditTarget;
  sponsor?: (typeof SPONSORS)[number] | undefined;
  effective_date?: string | null | undefined;
};

/** Reduces the debt at the sponsor's expense. A credit is not cash, so no payment event is emitted. */
export async function addServiceCredit(work: Work, input: NewCredit): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const effective_date = input.effective_date ?? work.today;
  assertInHistory(work, loan, 'effective_date', effective_date);
  const id = newId();
  const { amount, apply_to, credit_type, reason } = input;
  // An investor pays only for credits that name the lender (here the investor) as the sponsor.
  const sponsor = input.sponsor ?? (isSold(loan.row.terms) ? 'servicer' : 'lender');
  const facts = { amount, apply_to, credit_type, sponsor };
  const credit = newEvent({ id, kind: 'service_credit', effective_date, ...facts });
  const what = { amount, apply_to, credit_type, reason, sponsor, effective_date };
  const created_by = work.actor.id;
  await insert(work.tx, 'service_credits', { id, loan_id: loan.row.id, ...what, created_by });
  const state = await recordEvents(work, loan, [credit]);
  const rest = state.allocations.find(
    ({ event_id, component }) => event_id === id && component === 'unapplied',
  );
  if (rest) {
    throw creditExceedsDebt(rest.amount);
  }
  return id;
}

export const CreditReversal = z.object({
  reason: requiredFreeText
    .nullish()
    .describe('Why the credit is reversed. Kept in the history of the loan.'),
});

/** Reverses a credit as if it had never been given. */
export async function reverseServiceCredit(work: Work, id: string) {
  const loan = await openLoan(work, await records.loanIdOf(work.tx, 'service_credits', id));
  const { status } = await records.lockRecordRow(work.tx, 'service_credits', id);
  if (status !== 'applied') throw immutableConflict('service credit', status);
  await records.setRecordStatus(work.tx, 'service_credits', id, 'reversed');
  const reversal = newEvent({ kind: 'reversal', effective_date: work.today, reverses: id });
  await recordEvents(work, loan, [reversal]);
}

export const creditExceedsDebt = (unapplied_amount: string) =>
  new Conflict(
    'The credit exceeds the amount owed. Reduce it by unapplied_amount.',
    'exceeds_balance',
    {
      unapplied_amount,
    },
  );
