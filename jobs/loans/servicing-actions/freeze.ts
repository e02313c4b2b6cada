import { z } from 'zod';
import * as flags from '../../../sql/loans/flags.ts';
import { date, prose } from '../../../sql/types.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { recordEvents, openLoan } from '../history/record-events.ts';
import { fundingDate, resumeAccrualFrom, stopAccrualFrom } from '../history/accrual-stops.ts';

export const FREEZE_REASONS = [
  'scra',
  'dispute',
  'fraud',
  'bankruptcy',
  'deceased',
  'legal',
  'disaster',
  'other',
] as const;

export const Freeze = z.object({
  reason: z.enum(FREEZE_REASONS).nullish(),
  effective_date: date.nullish(),
  until_date: date.nullish().describe('Accrual goes on by itself from this day.'),
  notes: prose.nullish(),
});
export const Unfreeze = z.object({ effective_date: date.nullish(), notes: prose.nullish() });

/**
 * Stops accrual, whatever the loan's status; money is still taken. A frozen loan stays as it is.
 * Before funding only the flag is set: the rest begins when there is something to accrue.
 */
export async function freeze(work: Work, loanId: string, input: z.output<typeof Freeze>) {
  const loan = await openLoan(work, loanId);
  if (loan.row.is_frozen) return;
  if (input.until_date && input.until_date <= work.today) {
    throw new Invalid({ until_date: 'Must be after the business date.' });
  }
  const on = input.effective_date ?? work.today;
  const rest = stopAccrualFrom(work, loan, on, { reason: 'freeze' });
  await flags.freeze(work.tx, loanId, input.reason ?? null, input.until_date ?? null);
  if (fundingDate(loan) !== null) await recordEvents(work, loan, [rest]);
}

/** Lets accrual go on; the days of the freeze earn nothing. What is not frozen stays as it is. */
export async function unfreeze(work: Work, loanId: string, input: z.output<typeof Unfreeze>) {
  const loan = await openLoan(work, loanId);
  if (!loan.row.is_frozen) return;
  const on = input.effective_date ?? work.today;
  const end = resumeAccrualFrom(work, loan, on, { reason: 'freeze' });
  await flags.unfreeze(work.tx, loanId);
  if (fundingDate(loan) !== null) await recordEvents(work, loan, [end]);
}
