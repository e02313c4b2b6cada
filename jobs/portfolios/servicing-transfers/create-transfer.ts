import { z } from 'zod';
import * as portfolios from '../../../sql/portfolios/portfolios.ts';
import * as transfers from '../../../sql/portfolios/servicing-transfers.ts';
import { date, prose, requiredText, uuid } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { enqueue } from '../../job.ts';
import { settingsOf, type Settings } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { LOANS_MAX, loanIds } from '../assign.ts';
import { protectLoans } from './protect-loans.job.ts';

/** Why the borrowers are not notified before the transfer: 12 CFR 1024.33(b)(3)(ii), or one letter of both servicers. */
export const LATE_NOTICE_REASONS = [
  'terminated_for_cause',
  'servicer_bankruptcy',
  'servicer_conservatorship',
  'combined_notice',
] as const;
/** Days after the transfer for the notice, if one of these reasons applies. */
const LATE_NOTICE_DAYS = 30;
const DIRECTIONS = ['out', 'in'] as const;

export const transferFields = {
  direction: z
    .enum(DIRECTIONS)
    .describe('`out`: another servicer takes the loans over. `in`: they come from one.'),
  effective_date: date.describe(
    '`out`: the loans leave at the close of this day. Must leave time for the letters, by default 15 days. `in`: when the servicing came here. Must not be in the future.',
  ),
  servicer_name: requiredText.describe('The other servicer, as the letters name it.'),
  servicer_address_line_1: requiredText.describe('Where the other servicer gets payments.'),
  servicer_address_line_2: requiredText.describe('City, state and ZIP code of the other servicer.'),
  servicer_phone: requiredText.describe(
    'The toll-free number of the other servicer for questions about the transfer.',
  ),
  last_payment_date: date
    .optional()
    .describe(
      'The last day on which the old servicer accepts payments. Default: `effective_date` for `out`, the day before it for `in`.',
    ),
  first_payment_date: date
    .optional()
    .describe(
      'The first day on which the new servicer accepts payments: the day of `last_payment_date`, or the next day, which is the default.',
    ),
  insurance_note: prose
    .nullish()
    .describe(
      'What the transfer means for life, disability or other optional insurance, and what the borrower must do to keep it. Printed in the letters.',
    ),
  late_notice_reason: z
    .enum(LATE_NOTICE_REASONS)
    .nullish()
    .describe(
      'Allows letters up to 30 days after the transfer: the contract for servicing was terminated for cause, a servicer is bankrupt or in conservatorship. `combined_notice`: both servicers sent one letter in time, so none is sent here.',
    ),
  notes: prose.nullish().describe('Your notes.'),
};

const NewTransfer = z.object({
  ...transferFields,
  loan_ids: loanIds.nullish(),
  portfolio_id: uuid.nullish(),
});
type NewTransfer = z.output<typeof NewTransfer>;

/**
 * Records a transfer of servicing (12 CFR 1024.33). Loans that leave stay in service until the close of the
 * effective date. Loans that came here are protected from it on. Throws Invalid or Conflict if a loan cannot
 * be transferred, or if the letters would be late.
 */
export async function addServicingTransfer(work: Work, input: NewTransfer): Promise<string> {
  const { servicing_transfers: settings } = await settingsOf(work.tx);
  const dates = transferDates(input);
  assertDates(work, input, dates);
  const loans = await lockLoans(work, input);
  const notices_due_on = noticeDeadline(input, settings);
  const covered = loans.map((loan) => ({
    loan,
    isCovered: settings.covers === 'all' || loan.is_mortgage,
  }));
  const mustNotify = covered.some(({ isCovered }) => isCovered) && notices_due_on !== null;
  if (input.direction === 'out' && mustNotify && notices_due_on < work.today)
    throw lateNotice('effective_date', addDays(work.today, settings.goodbye_days), settings);
  const { loan_ids: _, portfolio_id: __, ...columns } = input;
  const id = await insert(work.tx, 'servicing_transfers', {
    ...columns,
    ...dates,
    notices_due_on: mustNotify ? notices_due_on : null,
    created_by: work.actor.type === 'user' ? work.actor.id : null,
  });
  const { effective_date, direction } = input;
  await transfers.addTransferLoans(
    work.tx,
    id,
    covered.map(({ loan, isCovered }) => ({
      loan_id: loan.id,
      is_mortgage: loan.is_mortgage,
      notice_status: mustNotify && isCovered ? 'none' : 'not_required',
      // What the other servicer does with loans that the law does not cover, we cannot promise.
      ...((direction === 'in' ? isCovered : loan.is_mortgage)
        ? {
            protected_from: effective_date,
            protected_until: addDays(effective_date, settings.protected_days - 1),
          }
        : { protected_from: null, protected_until: null }),
      waives_late_fees: direction === 'in' && isCovered && settings.waives_late_fees,
      ...(direction === 'in'
        ? { status: 'transferred' as const, transferred_on: effective_date }
        : { status: 'pending' as const, transferred_on: null }),
    })),
  );
  if (direction === 'in')
    await enqueue(work.tx, protectLoans, { tenant_id: work.tenant_id, transfer_id: id });
  return id;
}

/** The default dates on which one servicer stops and the other begins to accept payments. */
function transferDates({
  direction,
  effective_date,
  last_payment_date,
  first_payment_date,
}: NewTransfer) {
  const last =
    last_payment_date ??
    (first_payment_date === undefined
      ? direction === 'out'
        ? effective_date
        : addDays(effective_date, -1)
      : addDays(first_payment_date, -1));
  return { last_payment_date: last, first_payment_date: first_payment_date ?? addDays(last, 1) };
}

function assertDates(
  { today }: Work,
  { direction, effective_date }: NewTransfer,
  { last_payment_date, first_payment_date }: ReturnType<typeof transferDates>,
) {
  const errors: Record<string, string> = {};
  if (direction === 'out' && effective_date < today)
    errors['effective_date'] = 'Must not be before the business date.';
  if (direction === 'in' && effective_date > today)
    errors['effective_date'] = 'Must not be in the future. Record the transfer once it happened.';
  if (direction === 'in' && effective_date < addDays(today, -366))
    errors['effective_date'] = 'Must be within the last year.';
  if (direction === 'out' && effective_date > addDays(today, 366))
    errors['effective_date'] = 'Must be within a year.';
  // 12 CFR 1024.33(b)(4)(iv).
  if (![last_payment_date, addDays(last_payment_date, 1)].includes(first_payment_date))
    errors['first_payment_date'] = 'Must be the day of last_payment_date or the next day.';
  const isFar = (day: string) =>
    day < addDays(effective_date, -31) || day > addDays(effective_date, 31);
  if (isFar(last_payment_date))
    errors['last_payment_date'] = 'Must be within a month of the effective date.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/** The last day for the letters. Null: none are sent here. */
function noticeDeadline(
  { direction, effective_date, late_notice_reason }: NewTransfer,
  { goodbye_days, hello_days }: Settings['servicing_transfers'],
): string | null {
  if (late_notice_reason === 'combined_notice') return null;
  if (late_notice_reason) return addDays(effective_date, LATE_NOTICE_DAYS);
  return direction === 'out'
    ? addDays(effective_date, -goodbye_days)
    : addDays(effective_date, hello_days);
}

export const lateNotice = (
  field: string,
  earliest: string,
  { goodbye_days }: Settings['servicing_transfers'],
) =>
  new Invalid({
    [field]: `The borrowers must be told at least ${goodbye_days} days before the transfer. Choose ${earliest} or later, or give a late_notice_reason.`,
  });

async function lockLoans(work: Work, { direction, loan_ids, portfolio_id }: NewTransfer) {
  if (!loan_ids === !portfolio_id)
    throw new Invalid({ loan_ids: 'Give either loan_ids or portfolio_id.' });
  if (portfolio_id && (await portfolios.lockPortfolios(work.tx, [portfolio_id])).length === 0)
    throw new Invalid({ portfolio_id: 'Does not exist.' });
  const selection = { loan_ids: loan_ids ?? null, portfolio_id: portfolio_id ?? null };
  const loans = await transfers.lockTransferLoans(work.tx, selection, LOANS_MAX + 1);
  if (loans.length > LOANS_MAX)
    throw new Invalid({ portfolio_id: `Has more than ${LOANS_MAX} loans. Transfer it in parts.` });
  if (loan_ids && loans.length < loan_ids.length)
    throw new Invalid({ loan_ids: 'Contains a loan that does not exist.' });
  if (loans.length === 0)
    throw new Invalid({ portfolio_id: 'Has no active or charged-off loans.' });
  const refuse = (wrong: typeof loans, refusal: LoanRefusal) => {
    if (wrong.length > 0)
      throw loansRefused(
        refusal,
        wrong.map(({ loan_number }) => loan_number),
      );
  };
  refuse(
    loans.filter(({ status }) => !['active', 'charged_off'].includes(status)),
    'not_in_service',
  );
  refuse(
    loans.filter(({ is_taken }) => is_taken),
    'already_planned',
  );
  if (direction === 'in')
    refuse(
      loans.filter(({ is_boarded }) => !is_boarded),
      'not_boarded',
    );
  return loans;
}

const LOAN_REFUSALS = {
  not_in_service: 'A loan is not in service. Transfer only active and charged-off loans.',
  already_planned: 'A loan is already in a planned transfer. Cancel that transfer first.',
  not_boarded: 'A loan was not boarded, so no other servicer had it. Leave it out.',
};
type LoanRefusal = keyof typeof LOAN_REFUSALS;

const loansRefused = (code: LoanRefusal, numbers: readonly string[]) =>
  new Conflict(LOAN_REFUSALS[code], code, {
    loan_numbers: numbers.slice(0, 20),
    loan_count: numbers.length,
  });

export const newTransferConflicts = () =>
  (Object.keys(LOAN_REFUSALS) as LoanRefusal[]).map((code) =>
    loansRefused(code, ['LN-2026-000123']),
  );
