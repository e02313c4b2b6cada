import type { Big } from 'big.js';
import { z } from 'zod';
import { newId } from '../../sql/new-id.ts';
import * as payments from '../../sql/payments/payments.ts';
import { date, positiveMoney, prose, uuid } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import { fold } from '../loans/engine/fold.ts';
import { explainSplit } from '../loans/history/differences.ts';
import { openLoan, type OpenLoan } from '../loans/history/open-loan.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import { newEvent } from '../loans/history/new-event.ts';
import { assertInHistory } from '../loans/history/accrual-stops.ts';
import { refusalDetails } from '../loans/products/refusals.ts';
import { readTerms } from '../loans/products/loan-terms.ts';
import { atLeastZero, min, money, parseMoney, ZERO } from '../money.ts';
import type { Work } from '../work.ts';
import {
  assertBankOrder,
  prepareBankOrder,
  saveOrderAccount,
  defaultMethod,
} from './nacha/bank-order.ts';
import { PAYMENT_METHODS } from './receive.ts';

export const Reimbursement = z.object({
  amount: positiveMoney.describe('The amount to pay back, at most the refundable amount.'),
  payment_id: uuid.nullish().describe('The payment to refund beyond the amount in suspense.'),
  payment_instrument_id: uuid
    .nullish()
    .describe(
      "The borrower's verified bank account. The next Nacha file pays the amount to it. Without it, you pay the money out yourself.",
    ),
  reimbursement_date: date
    .nullish()
    .describe('When the money goes out. Default: the business date. Must not be in the future.'),
  method: z
    .enum(PAYMENT_METHODS)
    .nullish()
    .describe(
      'How the money is paid back. Default: `ach` with an instrument, otherwise `external`.',
    ),
  reason: prose.nullish().describe("Why the money is paid back. Kept as the payment's notes."),
});
type Reimbursement = z.output<typeof Reimbursement>;

/**
 * Refunds money to the borrower, from suspense first. A refund of more than the suspense returns principal
 * that a payment had repaid, so the borrower owes that principal again.
 */
export async function reimburse(work: Work, loanId: string, input: Reimbursement): Promise<string> {
  const loan = await openLoan(work, loanId);
  const on = input.reimbursement_date ?? work.today;
  await assertBankOrder(work, loan.row.borrower_id, withMethod(input), { is_credit: true });
  assertInHistory(work, loan, 'reimbursement_date', on);
  const heldAmount = await payments.heldSuspenseAmount(work.tx, loan.row.id, work.today);
  const availableSuspense = atLeastZero(refundableSuspense(loan, on).minus(heldAmount));
  const repaid = await repaidPrincipal(work, loan, input);
  const refundable = availableSuspense.plus(repaid);
  if (parseMoney(input.amount).gt(refundable))
    throw exceedsRefundable({
      ...refusalDetails(loan.row),
      refundable_amount: money(refundable),
    });
  return recordReimbursement(work, loan, input, on);
}

/** The suspense of a day that is still there today. */
export function refundableSuspense({ row, schedule, events, state }: OpenLoan, on: string): Big {
  const stateThen = fold({ terms: readTerms(row), schedule, events, as_of: on });
  return min(parseMoney(stateThen.suspense_balance), parseMoney(state.suspense_balance));
}

/** The principal that the given payment repaid, minus earlier refunds. */
async function repaidPrincipal(work: Work, { row }: OpenLoan, { payment_id }: Reimbursement) {
  if (!payment_id) return ZERO;
  const payment = await payments.findRefundable(work.tx, payment_id);
  if (payment === null || payment.loan_id !== row.id)
    throw new Invalid({ payment_id: 'Is not a payment of this loan.' });
  if (payment.hold_until && payment.hold_until > work.today && payment.status === 'completed') {
    const { hold_until } = payment;
    throw fundsHeld({ ...refusalDetails(row), hold_until });
  }
  // A refund does not reopen a charged-off or settled debt.
  const isOpen = ['active', 'paid_off'].includes(row.status);
  const isKept = ['completed', 'settled'].includes(payment.status);
  if (!isOpen || !isKept) return ZERO;
  return atLeastZero(parseMoney(payment.principal_applied).minus(payment.refunded_principal));
}

const withMethod = ({ payment_instrument_id, method = null }: Reimbursement) => ({
  payment_instrument_id,
  method,
});

async function recordReimbursement(work: Work, loan: OpenLoan, input: Reimbursement, on: string) {
  const id = newId();
  const { amount, payment_id, payment_instrument_id, method, reason } = input;
  const { send_by, transit } = await prepareBankOrder(work, withMethod(input));
  const facts = { amount, ...(payment_id && { payment_id }), ...transit };
  const event = newEvent({ id, kind: 'reimbursement', effective_date: on, ...facts });
  const state = await recordEvents(work, loan, [event]);
  const { id: _, ...split } = explainSplit(state, id);
  await insert(work.tx, 'payments', {
    id,
    amount,
    ...split,
    payment_instrument_id,
    notes: reason,
    loan_id: loan.row.id,
    borrower_id: loan.row.borrower_id,
    receipt_number: `R-${id.replaceAll('-', '').slice(-12).toUpperCase()}`,
    payment_type: 'reimbursement',
    payment_method: defaultMethod(payment_instrument_id, method),
    payment_date: on,
    effective_date: on,
    reverses_payment_id: payment_id,
    remaining_balance: state.total_balance,
    status: 'completed',
    send_by,
    posted_at: new Date().toISOString(),
  });
  await saveOrderAccount(work, { payment_id: id }, withMethod(input));
  return id;
}

type Details = ReturnType<typeof refusalDetails>;
export const exceedsRefundable = (details: Details & { refundable_amount: string }) =>
  new Conflict(
    'The refund exceeds the refundable amount. See refundable_amount.',
    'exceeds_refundable',
    details,
  );
export const fundsHeld = (details: Details & { hold_until: string }) =>
  new Conflict(`The money is held until ${details.hold_until}.`, 'funds_held', details);
