import type { Big } from 'big.js';
import { z } from 'zod';
import * as loans from '../../../sql/loans/loans.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { date, positiveMoney } from '../../../sql/types.ts';
import { followConditions } from '../../cases/conditions-changed.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import { NO_BANK_ORDER } from '../../payments/nacha/bank-order.ts';
import type { Work } from '../../work.ts';
import { isFirstPaymentTooLate } from '../arithmetic/due-dates.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { LoanEvent } from '../engine/events.ts';
import { assessOriginationFees } from '../fees/origination-fees.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { assertAllowed } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import type { Funding } from '../origination/cost.ts';
import { assertRescissionOver, rescissionDetails } from '../origination/rescission.ts';
import { firstSchedule } from '../schedule/first-schedule.ts';
import { readTerms } from '../products/loan-terms.ts';
import { discloseFunding } from './funding-disclosure.ts';
import { emitDisbursed, writeDisbursement, type PayoutEvent } from './write-disbursement.ts';

export const DISBURSEMENT_METHODS = ['ach', 'wire', 'check', 'internal', 'external'] as const;
export const Disbursement = z.object({
  disbursement_date: date
    .nullish()
    .describe('When the money went out. Default: the business date. Must not be in the future.'),
  amount: positiveMoney
    .nullish()
    .describe(
      'The amount to disburse. Default: all of the approved amount that is left. More is refused with 409 `exceeds_commitment`.',
    ),
  method: z
    .enum(DISBURSEMENT_METHODS)
    .nullish()
    .describe(
      'How you paid the money out, for your records. To order an ACH payout, use `POST /loans/{id}/disbursements`. Default: `external`.',
    ),
  first_payment_date: date
    .nullish()
    .describe(
      'The first due date. Must be after the disbursement. Default: the agreed date, otherwise according to the product. Only for the first disbursement.',
    ),
});
type Disbursement = z.output<typeof Disbursement>;

/**
 * Funds an approved loan. Writes the schedule, the ledger entry, the origination fees, the new status and
 * the events in one transaction.
 */
export async function disburse(
  work: Work,
  loanId: string,
  input: Disbursement,
  order = NO_BANK_ORDER,
) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  assertPlanned(row, input);
  const funding = resolveFunding(work, row, input);
  const { amount, on } = funding;
  const fees = await assessOriginationFees(work, row, { on, amount, isFirst: true });
  const schedule = firstSchedule(readTerms(row), {
    principal: parseMoney(amount).plus(fees.capitalized),
    on,
    first_payment_date: funding.first_payment_date,
    spread_fees: fees.spread,
  });
  const { due_date = null, payment_amount = null } = schedule[0] ?? {};
  await loans.markFunded(work.tx, loanId, on, due_date, payment_amount);
  const payout = { amount, on, method: input.method ?? 'external' };
  const lending = await writeDisbursement(work, loanId, payout, fees, order);
  // If the first disbursement was reversed, the loan already has a schedule, which the new one replaces.
  const isAgain = row.schedule_version > 0;
  const agreed = isAgain ? [agreeSchedule(lending, schedule)] : [];
  const events = [lending, ...agreed, ...fees.owed, ...flagsOf(row, on)];
  const { principal_balance } = await recordEvents(work, loan, events, {
    ...(!isAgain && { firstSchedule: schedule }),
    newStatus: 'active',
    trigger: 'disburse',
  });
  const after = { principal_balance, first_payment_date: due_date };
  await emitDisbursed(work, row, lending, fees, after);
  await discloseFunding(work, row, funding);
  await followConditions(work, loanId);
}

const agreeSchedule = (
  { effective_date, disbursement_id }: PayoutEvent,
  rows: readonly ScheduleRow[],
) =>
  newEvent({
    kind: 'schedule_agreed',
    effective_date,
    agreement: { rule: 'written', rows },
    disbursement_id,
  });

/**
 * The amount and dates of a first disbursement. Throws if the loan cannot be funded that way. Default first
 * payment date: the agreed one.
 */
export function resolveFunding(work: Work, row: RawLoan, input: Disbursement): Funding {
  const on = input.disbursement_date ?? work.today;
  const amount = money(amountOf(row, input));
  assertDates(work, on, input.first_payment_date);
  assertRescissionOver(row, on);
  const first_payment_date = input.first_payment_date ?? row.first_payment_date;
  if (first_payment_date !== null && first_payment_date <= on) {
    const message = `The agreed date ${first_payment_date} is not after the disbursement. Give a later date.`;
    throw new Invalid({ first_payment_date: message });
  }
  return { amount, on, first_payment_date };
}

/** The requested amount, or all of the approved amount that is left. */
function amountOf(row: RawLoan, { amount: wanted }: Disbursement): Big {
  assertAllowed(row, 'disburse', rescissionDetails(row));
  const rest = parseMoney(row.principal_amount).minus(row.disbursed_amount);
  const amount = wanted === null || wanted === undefined ? rest : parseMoney(wanted);
  if (amount.gt(rest)) {
    throw new Conflict(
      'The amount exceeds the approved amount. See available.',
      'exceeds_commitment',
      {
        ...refusalDetails(row),
        available: money(rest),
      },
    );
  }
  // A concurrent request has already disbursed part of the amount.
  if (row.status === 'active')
    throw new Conflict('The loan is already disbursed.', 'already_disbursed', refusalDetails(row));
  return amount;
}

function assertDates(work: Work, on: string, first: string | null | undefined) {
  if (on > work.today) throw new Invalid({ disbursement_date: 'Must not be in the future.' });
  if (first && first <= on) {
    throw new Invalid({ first_payment_date: 'Must be after the disbursement.' });
  }
  if (first && isFirstPaymentTooLate(first, on)) {
    throw new Invalid({ first_payment_date: 'Must be within 40 years of the disbursement.' });
  }
}

function assertPlanned(row: OpenLoan['row'], { first_payment_date }: Disbursement) {
  if (!first_payment_date || !isBilledByCycle(readTerms(row))) return;
  throw new Invalid({
    first_payment_date: 'Not allowed for a line of credit with billing cycles. Leave it out.',
  });
}

/** A freeze or acceleration decided before funding takes effect with it. */
function flagsOf({ is_frozen, is_accelerated }: OpenLoan['row'], on: string): LoanEvent[] {
  return [
    ...(is_frozen
      ? [newEvent({ kind: 'accrual_stop', effective_date: on, reason: 'freeze' })]
      : []),
    ...(is_accelerated ? [newEvent({ kind: 'acceleration', effective_date: on })] : []),
  ];
}
