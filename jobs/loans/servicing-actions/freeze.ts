import { z } from 'zod';
import * as flags from '../../../sql/loans/flags.ts';
import { date, prose } from '../../../sql/types.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { fundingDate } from '../agreed/resume-accrual.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { resumeAccrualFrom, stopAccrualFrom } from '../history/accrual-stops.ts';

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
  reason: z
    .enum(FREEZE_REASONS)
    .nullish()
    .describe(
      'Why the loan is frozen. Shown as `freeze_reason`. `disaster` is reported to the credit bureaus.',
    ),
  effective_date: date
    .nullish()
    .describe(
      'The first day without interest. Default: the business date. Can be an earlier day since the loan was funded.',
    ),
  until_date: date.nullish().describe('Accrual resumes automatically on this day.'),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});
export const Unfreeze = z.object({
  effective_date: date
    .nullish()
    .describe('The day on which accrual resumes. Default: the business date.'),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});

/**
 * Stops accrual in any loan status. The loan still accepts payments. Before funding, only the flag is set,
 * and accrual stops when the loan is funded. Freezing a frozen loan does nothing.
 */
export async function freeze(work: Work, loanId: string, input: z.output<typeof Freeze>) {
  const loan = await openLoan(work, loanId);
  if (loan.row.is_frozen) return;
  if (input.until_date && input.until_date <= work.today) {
    throw new Invalid({ until_date: 'Must be after the business date.' });
  }
  const on = input.effective_date ?? work.today;
  const rest = stopAccrualFrom(work, loan, on, { reason: 'freeze' });
  await flags.markFrozen(work.tx, loanId, input.reason ?? null, input.until_date ?? null);
  if (fundingDate(loan) === null) return;
  const frozen = withFreezeUntil(loan, input.until_date ?? null);
  await recordEvents(work, frozen, [rest], { hasNewAgreement: true });
}

const withFreezeUntil = ({ row, ...loan }: OpenLoan, freeze_until: string | null): OpenLoan => ({
  ...loan,
  row: {
    ...row,
    late_fee_facts: row.late_fee_facts && { ...row.late_fee_facts, freeze_until },
  },
});

/** Resumes accrual. The frozen days earn no interest. Unfreezing a loan that is not frozen does nothing. */
export async function unfreeze(work: Work, loanId: string, input: z.output<typeof Unfreeze>) {
  const loan = await openLoan(work, loanId);
  if (!loan.row.is_frozen) return;
  const on = input.effective_date ?? work.today;
  const end = resumeAccrualFrom(work, loan, on, { reason: 'freeze' });
  await flags.markUnfrozen(work.tx, loanId);
  if (fundingDate(loan) !== null) await recordEvents(work, loan, end);
}
