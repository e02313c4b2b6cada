import { z } from 'zod';
import * as flags from '../../../sql/loans/flags.ts';
import { date, flag, prose } from '../../../sql/types.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { resumeAccrualFrom, stopAccrualFrom } from '../history/accrual-stops.ts';
import { assertAllowed } from '../history/statuses.ts';

export const NON_ACCRUAL_REASONS = ['dpd_90', 'bankruptcy', 'management', 'collateral'] as const;

export const NonAccrual = z.object({
  enabled: flag
    .nullish()
    .describe('True stops accrual, false resumes it. Default: the opposite of the current state.'),
  effective_date: date
    .nullish()
    .describe('The day on which accrual stops or resumes. Default: the business date.'),
  reason: z
    .enum(NON_ACCRUAL_REASONS)
    .nullish()
    .describe('Why the loan is placed on non-accrual. Kept in the history of the loan.'),
  reverse_accrued: flag
    .default(true)
    .describe(
      'Whether unpaid interest is taken out of income. Only if `accounting.reverse_interest_on_non_accrual` is on in the settings. The borrower still owes it.',
    ),
  catch_up: flag
    .default(false)
    .describe(
      'When accrual resumes: whether the borrower also owes interest for the days on non-accrual.',
    ),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});
type NonAccrual = z.output<typeof NonAccrual>;

/**
 * Puts a loan on non-accrual or returns it to accrual. On non-accrual, no interest accrues and payments
 * cover principal first. Unpaid interest that was booked as income is reversed, although the borrower still
 * owes it. Returning to accrual books that interest again, and with `catch_up` also the interest of the
 * days between.
 */
export async function setNonAccrual(work: Work, loanId: string, input: NonAccrual) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  assertAllowed(row, 'non-accrual');
  const enabled = input.enabled ?? !row.is_non_accrual;
  if (enabled === row.is_non_accrual) return;
  const on = input.effective_date ?? work.today;
  const reason = 'non_accrual' as const;
  if (!enabled) {
    const end = resumeAccrualFrom(work, loan, on, { reason, catch_up: input.catch_up });
    await flags.markNonAccrual(work.tx, loanId, null);
    await recordEvents(work, loan, end);
    return;
  }
  const { accounting } = await settingsOf(work.tx);
  const reverses_accrued = input.reverse_accrued && accounting.reverse_interest_on_non_accrual;
  const rest = stopAccrualFrom(work, loan, on, { reason, reverses_accrued });
  await flags.markNonAccrual(work.tx, loanId, on);
  await recordEvents(work, loan, [rest]);
}
