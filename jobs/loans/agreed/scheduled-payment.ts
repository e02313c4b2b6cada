import type { Big } from 'big.js';
import { money, parseMoney, ZERO } from '../../money.ts';
import type { EventDraft, EventOf, LoanEvent, PaymentType } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { payoffAmount } from '../engine/projection/payoff-amounts.ts';
import { readTerms } from '../products/loan-terms.ts';
import { prepaymentPenalty } from '../products/prepayment-penalty.ts';
import type { Standing } from './standing.ts';

type Payoff = { payment_type: PaymentType; amount: string; effective_date: string };

/**
 * The prepayment penalty that a payment includes: the full penalty if the payment covers the payoff amount,
 * otherwise zero.
 */
export function penaltyIncludedIn(
  { row, schedule, events }: Pick<Standing, 'row' | 'schedule' | 'events'>,
  { payment_type, amount, effective_date: on }: Payoff,
): Big {
  if (payment_type !== 'payoff') return ZERO;
  const state = fold({ terms: readTerms(row), schedule, events, as_of: on });
  const penalty = prepaymentPenalty(row, state);
  return parseMoney(amount).lt(payoffAmount(state, penalty)) ? ZERO : penalty;
}

/**
 * If a payment leaves at most the product's small balance, the residue is written off. The payment must be
 * the last event.
 */
export function residueWriteOff(
  { row, schedule, events, state }: Standing,
  fresh: readonly LoanEvent[],
): EventDraft[] {
  const payment = fresh.at(-1);
  if (payment?.kind !== 'payment' || payment.payment_type === 'payoff') return [];
  if (row.status !== 'active' || row.loan_type !== 'installment') return [];
  const terms = readTerms(row);
  const tolerance = parseMoney(terms.small_balance_tolerance);
  // A payment that does not cover the principal cannot repay the loan.
  if (parseMoney(payment.amount).plus(tolerance).lt(state.principal_balance)) return [];
  const { as_of } = state;
  const after = fold({ terms, schedule, events: [...events, ...fresh], as_of });
  const residue = parseMoney(after.total_balance);
  if (residue.eq(0) || residue.gt(tolerance)) return [];
  const amount = after.total_balance;
  return [{ kind: 'write_off', effective_date: as_of, amount, payment_id: payment.id }];
}

export type ScheduledPayment = {
  id: string;
  payment_date: string;
  effective_date: string;
  amount: string;
  payment_type: PaymentType;
  allocation_override: EventOf<'payment'>['allocation_override'] | null;
};

/** The events of a scheduled payment on its day: the prepayment penalty, the payment, and a residue. */
export function eventsOfScheduledPayment(
  loan: Standing,
  payment: ScheduledPayment,
  today: string,
): EventDraft[] {
  const { id, amount, allocation_override } = payment;
  const { status } = loan.row;
  if (status !== 'active' && status !== 'charged_off') return [];
  const effective_date = payment.effective_date > today ? today : payment.effective_date;
  const payment_type = status === 'charged_off' ? 'recovery' : payment.payment_type;
  const event: EventOf<'payment'> = {
    id,
    kind: 'payment',
    effective_date,
    amount,
    payment_type,
    ...(allocation_override && { allocation_override }),
  };
  const penalty = penaltyIncludedIn(loan, event as Payoff & typeof event);
  const fees: EventOf<'fee'>[] = penalty.gt(0)
    ? [
        {
          id: `penalty-${id}`,
          kind: 'fee',
          effective_date,
          amount: money(penalty),
          fee_type: 'prepayment_penalty',
          payment_id: id,
        },
      ]
    : [];
  return [...fees, event, ...residueWriteOff(loan, [...fees, event])];
}
