import { z } from 'zod';
import * as loans from '../../sql/loans/loans.ts';
import { insert } from '../../sql/write.ts';
import { date, positiveMoney } from '../../sql/types.ts';
import { Conflict, Invalid } from '../errors.ts';
import { money, parseMoney } from '../money.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { changeStatus } from './changes.ts';
import { assessOriginationFees } from './origination-fees.ts';
import type { LoanEvent } from './events.ts';
import { isTooFarOff } from './due-dates.ts';
import { happen, newEvent, openLoan, type OpenLoan } from './happen.ts';
import { planOf } from './plan.ts';
import { assertAllowed } from './statuses.ts';

export const DISBURSEMENT_METHODS = ['ach', 'wire', 'check', 'internal', 'external'] as const;
export const Disbursement = z.object({
  disbursement_date: date.nullish(),
  amount: positiveMoney.nullish(),
  method: z.enum(DISBURSEMENT_METHODS).nullish(),
  first_payment_date: date.nullish(),
});
type Disbursement = z.output<typeof Disbursement>;

/**
 * Funds an approved loan: its schedule, the ledger entry, the origination fees, the new status and
 * the events are written together or not at all.
 */
export async function disburse(work: Work, loanId: string, input: Disbursement) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  const on = input.disbursement_date ?? work.today;
  assertAllowed(row.status, 'disburse');
  if (row.is_archived) throw new Conflict('An archived loan cannot be disbursed.', 'archived');
  const rest = parseMoney(row.principal_amount).minus(row.disbursed_amount);
  const amount =
    input.amount === null || input.amount === undefined ? rest : parseMoney(input.amount);
  if (rest.lte(0) || amount.gt(rest)) {
    throw new Conflict('The approved amount is disbursed already.', 'exceeds_commitment', {
      available: money(rest),
    });
  }
  if (row.status === 'active')
    throw new Conflict('The loan is disbursed already.', 'already_disbursed', {
      current_status: row.status,
    });
  if (on > work.today) throw new Invalid({ disbursement_date: 'Must not be in the future.' });
  if (input.first_payment_date && input.first_payment_date <= on) {
    throw new Invalid({ first_payment_date: 'Must be after the disbursement.' });
  }
  if (input.first_payment_date && isTooFarOff(input.first_payment_date, on)) {
    throw new Invalid({ first_payment_date: 'Must be within 40 years of the disbursement.' });
  }

  const plan = planOf(row, {
    amount: money(amount),
    on,
    first_payment_date: input.first_payment_date ?? null,
  });
  await loans.activate(
    work.tx,
    loanId,
    on,
    plan[0]?.due_date ?? null,
    plan[0]?.payment_amount ?? null,
  );
  await loans.addDisbursed(work.tx, loanId, money(amount));
  const disbursement_id = await insert(work.tx, 'disbursements', {
    loan_id: loanId,
    amount: money(amount),
    net_amount: money(amount),
    disbursement_date: on,
    method: input.method ?? 'external',
  });
  const funding = newEvent({
    kind: 'disbursement',
    effective_date: on,
    amount: money(amount),
    disbursement_id,
  });
  const fees = await assessOriginationFees(work, row, {
    on,
    amount: money(amount),
    isFirst: true,
  });
  // A loan whose first disbursement was taken back has a plan, which this one takes the place of.
  const isAgain = row.schedule_version > 0;
  const replaced = { kind: 'schedule_replaced', effective_date: on, schedule: plan };
  const state = await happen(
    work,
    { ...loan, row: { ...row, status: 'active' } },
    [
      funding,
      ...(isAgain ? [newEvent({ ...replaced, disbursement_id })] : []),
      ...fees,
      ...flagsOf(row, on),
    ],
    isAgain ? undefined : plan,
  );
  await changeStatus(work, row, 'active', 'disburse');
  await emit(work, 'loan.disbursed', {
    loan_id: loanId,
    loan_number: row.loan_number,
    disbursement_id,
    amount: money(amount),
    disbursement_date: on,
    principal_balance: state.principal_balance,
    first_payment_date: plan[0]?.due_date ?? null,
  });
}

/** What was decided of the loan before it was funded takes effect with it. */
function flagsOf({ is_frozen, is_accelerated }: OpenLoan['row'], on: string): LoanEvent[] {
  return [
    ...(is_frozen
      ? [newEvent({ kind: 'accrual_stop', effective_date: on, reason: 'freeze' })]
      : []),
    ...(is_accelerated ? [newEvent({ kind: 'acceleration', effective_date: on })] : []),
  ];
}
