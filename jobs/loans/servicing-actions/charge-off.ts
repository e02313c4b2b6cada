import { z } from 'zod';
import * as chargeOffs from '../../../sql/loans/charge-offs.ts';
import { date, flag, positiveMoney, prose, requiredFreeText } from '../../../sql/types.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { money, parseMoney, sum } from '../../money.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { fold } from '../engine/fold.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { assertInHistory } from '../history/accrual-stops.ts';
import { assertAllowed } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import { readTerms } from '../products/loan-terms.ts';

export const CHARGE_OFF_REASONS = [
  'delinquency',
  'bankruptcy',
  'deceased',
  'fraud',
  'settlement',
  'repossession',
  'statute_of_limitations',
  'other',
] as const;

export const ChargeOff = z.object({
  charge_off_date: date
    .nullish()
    .describe(
      'The day of the loss. Default: the business date. Can be an earlier day since the loan was funded.',
    ),
  reason: z
    .enum(CHARGE_OFF_REASONS)
    .default('delinquency')
    .describe(
      'Why the loan is charged off. Decides the event code of a form 1099-C. Only `delinquency` needs a loan in default, if the settings require one.',
    ),
  amount: positiveMoney.nullish().describe('The principal to charge off. Default: all of it.'),
  waive_fees: flag
    .default(true)
    .describe(
      'Whether unpaid fees are waived. Otherwise they are part of the charged-off amount. Only for a full charge-off.',
    ),
  reverse_accrued_interest: flag
    .default(true)
    .describe(
      'Whether unpaid interest is waived. Otherwise it is part of the charged-off amount. Only for a full charge-off.',
    ),
  force: flag
    .default(false)
    .describe(
      'Charges off a loan that is not in default although `charge_off.require_default` is on in the settings.',
    ),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});
type ChargeOff = z.output<typeof ChargeOff>;

/**
 * Charges off a loan, or part of its principal, as a loss. The borrower still owes the amount. After a full
 * charge-off, payments count as recoveries and never reopen the loan. After a partial one, the loan
 * continues with the remaining principal.
 */
export async function chargeOff(work: Work, loanId: string, input: ChargeOff) {
  const loan = await openLoan(work, loanId);
  const { row, schedule, events } = loan;
  assertAllowed(row, 'charge-off');
  const on = input.charge_off_date ?? work.today;
  assertInHistory(work, loan, 'charge_off_date', on);
  await assertDefaulted(work, loan, input);
  const then = fold({ terms: readTerms(row), schedule, events, as_of: on });
  if (then.is_paid_off) throw new Invalid({ charge_off_date: 'Nothing was owed on this day.' });
  const rest = parseMoney(then.principal_balance).minus(input.amount ?? then.principal_balance);
  if (rest.lt(0))
    throw new Invalid({ amount: `Must be at most the principal, ${then.principal_balance}.` });
  await (rest.gt(0) ? chargeOffPartially : chargeOffFully)(work, loan, input, on);
}

async function chargeOffFully(work: Work, loan: OpenLoan, input: ChargeOff, on: string) {
  const { waive_fees, reverse_accrued_interest, reason } = input;
  const event = newEvent({
    kind: 'charge_off',
    effective_date: on,
    waive_fees,
    reverse_accrued_interest,
    reason,
  });
  const state = await recordEvents(work, loan, [event], {
    newStatus: 'charged_off',
    trigger: 'charge-off',
    statusReason: reason,
  });
  const lost = state.allocations.filter(
    ({ rule, component }) => rule === 'charge_off' && component === 'principal',
  );
  const amount = money(sum(lost.map((line) => parseMoney(line.amount))));
  await chargeOffs.markChargedOff(work.tx, loan.row.id, { on, reason, amount });
}

/** The charged-off part leaves the books. Bills, interest and arrears continue for the rest. */
async function chargeOffPartially(
  work: Work,
  loan: OpenLoan,
  { amount, reason }: ChargeOff,
  on: string,
) {
  const { id, loan_number } = loan.row;
  const principal_amount = amount ?? '0.00';
  const event = newEvent({ kind: 'charge_off', effective_date: on, principal_amount });
  const state = await recordEvents(work, loan, [event]);
  await chargeOffs.setPartialReason(work.tx, id, reason);
  await emit(work, 'loan.partly_charged_off', {
    loan_id: id,
    loan_number,
    amount: principal_amount,
    charge_off_date: on,
    reason,
    principal_balance: state.principal_balance,
    charge_off_balance: state.charge_off_balance,
  });
}

/** If the tenant's settings require it, a delinquency charge-off needs a loan in default. */
async function assertDefaulted(
  { tx }: Work,
  { row, state }: OpenLoan,
  { reason, force }: Pick<ChargeOff, 'reason' | 'force'>,
) {
  if (force || reason !== 'delinquency') return;
  const { charge_off } = await settingsOf(tx);
  const isDefaulted =
    row.is_accelerated || state.days_past_due >= readTerms(row).default_dpd_threshold;
  if (!charge_off.require_default || isDefaulted) return;
  throw notDefaulted({ ...refusalDetails(row), days_past_due: state.days_past_due });
}

export const notDefaulted = (details: Record<string, unknown>) =>
  new Conflict(
    'The loan is not in default. Accelerate it first, or set force.',
    'not_defaulted',
    details,
  );

export const ChargeOffReversal = z.object({
  reason: requiredFreeText
    .nullish()
    .describe(
      'Why the charge-off is reversed. Kept in the history, and sent with `loan.status_changed`.',
    ),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});

/** Undoes the latest charge-off as if it had never happened. Refused once something has been recovered. */
export async function reverseChargeOff(
  work: Work,
  loanId: string,
  input: z.output<typeof ChargeOffReversal>,
) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  const { total_recovered: recovered_amount } = loan.state;
  assertAllowed(row, 'reverse-charge-off', { recovered_amount });
  const isPart = row.status === 'active';
  const undone = eventsInForce(loan.events, work.today)
    .filter(({ kind }) => kind === 'charge_off')
    .slice(-1)
    .map(({ id }) => newEvent({ kind: 'reversal', effective_date: work.today, reverses: id }));
  await chargeOffs.unmarkChargedOff(work.tx, loanId);
  await recordEvents(work, loan, undone, {
    ...(!isPart && { newStatus: 'active' as const }),
    trigger: 'reverse-charge-off',
    statusReason: input.reason,
  });
}
