import { z } from 'zod';
import * as chargeOffs from '../../../sql/loans/charge-offs.ts';
import { date, flag, positiveMoney, prose, freeWords } from '../../../sql/types.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseMoney } from '../../money.ts';
import { settingsOf } from '../../users/settings.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { happen, openLoan, type OpenLoan } from '../history/happen.ts';
import { newEvent } from '../history/new-event.ts';
import { assertInHistory } from '../history/rests.ts';
import { assertAllowed, refusalOf } from '../history/statuses.ts';
import { termsOf } from '../products/terms-of.ts';

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
  charge_off_date: date.nullish(),
  reason: z.enum(CHARGE_OFF_REASONS).default('delinquency'),
  amount: positiveMoney.nullish().describe('The whole principal, which is the default.'),
  waive_fees: flag.default(true),
  reverse_accrued_interest: flag.default(true),
  force: flag.default(false),
  notes: prose.nullish(),
});
type ChargeOff = z.output<typeof ChargeOff>;

/**
 * Takes a loan off the books as a loss. The borrower still owes it: payments from now on are
 * recoveries, and open nothing again.
 */
export async function chargeOff(work: Work, loanId: string, input: ChargeOff) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  assertAllowed(row, 'charge-off');
  const on = input.charge_off_date ?? work.today;
  assertInHistory(work, loan, 'charge_off_date', on);
  await assertDefaulted(work, loan, input);
  const event = newEvent({
    kind: 'charge_off',
    effective_date: on,
    waive_fees: input.waive_fees,
    reverse_accrued_interest: input.reverse_accrued_interest,
  });
  const state = await happen(work, loan, [event], {
    becomes: 'charged_off',
    trigger: 'charge-off',
    reason: input.reason,
  });
  const principal = state.allocations.find(
    ({ event_id, component }) => event_id === event.id && component === 'principal',
  );
  const amount = principal?.amount ?? '0.00';
  if (input.amount && !parseMoney(input.amount).eq(amount)) {
    throw new Invalid({ amount: `Must be the whole principal, ${amount}.` });
  }
  await chargeOffs.markChargedOff(work.tx, loanId, { on, reason: input.reason, amount });
}

/** Where the tenant asks for it, only a loan in default is charged off for being late. */
async function assertDefaulted(
  { tx }: Work,
  { row, state }: OpenLoan,
  { reason, force }: Pick<ChargeOff, 'reason' | 'force'>,
) {
  if (force || reason !== 'delinquency') return;
  const { charge_off } = await settingsOf(tx);
  const isDefaulted =
    row.is_accelerated || state.days_past_due >= termsOf(row).default_dpd_threshold;
  if (!charge_off.require_default || isDefaulted) return;
  throw new Conflict('The loan is not in default.', 'not_defaulted', {
    ...refusalOf(row),
    days_past_due: state.days_past_due,
  });
}

export const ChargeOffReversal = z.object({ reason: freeWords.nullish(), notes: prose.nullish() });

/** Undoes a charge-off as if it had never been, as long as nothing was recovered. */
export async function reverseChargeOff(
  work: Work,
  loanId: string,
  input: z.output<typeof ChargeOffReversal>,
) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  const { total_recovered: recovered_amount } = loan.state;
  assertAllowed(row, 'reverse-charge-off', { recovered_amount });
  const undone = eventsInForce(loan.events, work.today)
    .filter(({ kind }) => kind === 'charge_off')
    .map(({ id }) => newEvent({ kind: 'reversal', effective_date: work.today, reverses: id }));
  await chargeOffs.unmarkChargedOff(work.tx, loanId);
  await happen(work, loan, undone, {
    becomes: 'active',
    trigger: 'reverse-charge-off',
    reason: input.reason,
  });
}
