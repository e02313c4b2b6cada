import type { Big } from 'big.js';
import { z } from 'zod';
import * as quotes from '../../../sql/loans/payoff-quotes.ts';
import { newId } from '../../../sql/new-id.ts';
import { find } from '../../../sql/table.ts';
import { date, flag, positiveMoney, prose, uuid } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { atLeastZero, money, parseMoney, ZERO } from '../../money.ts';
import { assertPaymentOrder } from '../../payments/nacha/bank-order.ts';
import { assessPrepaymentPenalty } from '../../payments/payoff-penalty.ts';
import { NewPayment, PAYMENT_METHODS, postPayment } from '../../payments/receive.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { payoffAmount } from '../engine/projection/payoff-amounts.ts';
import type { LoanState } from '../engine/state.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { assertInHistory } from '../history/accrual-stops.ts';
import { assertAllowed } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import { prepaymentPenalty } from '../products/prepayment-penalty.ts';
import { readTerms } from '../products/loan-terms.ts';

export const PayOffRequest = z.object({
  payoff_date: date
    .nullish()
    .describe(
      'The day of the payoff. Default: the business date. Can be an earlier day since the loan was funded.',
    ),
  payoff_quote_id: uuid
    .nullish()
    .describe('The quote to pay by. Its prepayment penalty applies, even if it is zero.'),
  amount: positiveMoney
    .nullish()
    .describe(
      'The amount received. Default: the payoff amount of that day. A rest up to `payoff.tolerance` of the settings is written off, and an excess goes to suspense.',
    ),
  payment_method: z
    .enum(PAYMENT_METHODS)
    .nullish()
    .describe('How the money was paid. Default: `ach` with an instrument, otherwise `external`.'),
  payment_instrument_id: uuid
    .nullish()
    .describe(
      'The bank account to draw the amount from. Without it, the money has already arrived.',
    ),
  waive_residual: flag
    .default(false)
    .describe(
      'Whether a larger rest is waived as a service credit. Otherwise the answer is 409 `insufficient_payoff`.',
    ),
  notes: prose.nullish().describe('Kept with the payment.'),
});
type PayOffRequest = z.output<typeof PayOffRequest>;

/** How the debt becomes zero: paid, credited and written-off amounts. */
type Closing = { penalty: Big; paid: Big; credited: Big; written_off: Big };

/**
 * Pays off and closes a loan. The debt is received as a payoff payment. A rest within the tolerance is
 * written off, and a waived rest becomes a service credit. Throws `Conflict` if the amount is insufficient.
 */
export async function payOffLoan(work: Work, loanId: string, input: PayOffRequest) {
  const loan = await openLoan(work, loanId);
  assertAllowed(loan.row, 'pay-off');
  const on = input.payoff_date ?? work.today;
  assertInHistory(work, loan, 'payoff_date', on);
  const payer_id = await assertPaymentOrder(work, loan.row, input);
  const quote = await findActiveQuote(work, loan, input.payoff_quote_id);
  const { row, schedule, events } = loan;
  const state = fold({ terms: readTerms(row), schedule, events, as_of: on });
  const penalty = quote
    ? parseMoney(String(quote['prepayment_penalty']))
    : prepaymentPenalty(row, state);
  const closing = await computeClosing(work, loan, { ...input, penalty }, state);
  // Accept the quote first, so that the payoff itself does not supersede it.
  if (quote) await acceptQuote(work, loanId, quote.id);
  const isOver = await recordPayoff(work, loan, { ...input, on, payer_id }, closing);
  // An event after the payoff date left an open amount.
  if (!isOver) {
    const payoff_amount = money(payoffAmount(loan.state));
    throw insufficientPayoff({ ...refusalDetails(loan.row), payoff_amount });
  }
}

/** Returns the loan's active quote. Throws if it belongs to another loan or is no longer active. */
async function findActiveQuote({ tx }: Work, { row }: OpenLoan, id: string | null | undefined) {
  if (!id) return null;
  const quote = await find(tx, quotes.payoffQuotes, id);
  if (quote?.['loan_id'] !== row.id) throw new Invalid({ payoff_quote_id: 'Does not exist.' });
  if (quote['status'] === 'active') return quote;
  throw quoteNotActive({ ...refusalDetails(row), quote_status: String(quote['status']) });
}

export function quoteNotActive(
  details: ReturnType<typeof refusalDetails> & { quote_status: string },
) {
  const { quote_status } = details;
  const why = quote_status === 'superseded' ? ' because the payoff amount has changed' : '';
  const message = `The quote is ${quote_status}${why}. Request a new quote.`;
  return new Conflict(message, 'quote_not_active', details);
}

async function acceptQuote(work: Work, loan_id: string, id: string) {
  await quotes.acceptQuote(work.tx, id);
  const entity = { type: 'payoff_quotes', id, loan_id };
  await recordAudit(work, entity, 'update', { status: { old: 'active', new: 'accepted' } });
}

async function computeClosing(
  { tx }: Work,
  loan: OpenLoan,
  { amount, waive_residual, penalty }: PayOffRequest & { penalty: Big },
  state: LoanState,
): Promise<Closing> {
  const owed = payoffAmount(state, penalty);
  const tolerance = parseMoney((await settingsOf(tx)).payoff.tolerance);
  const nothing = { penalty, paid: ZERO, credited: ZERO, written_off: ZERO };
  if (!amount && owed.lte(tolerance)) return { ...nothing, written_off: owed };
  const paid = amount ? parseMoney(amount) : owed;
  const residual = atLeastZero(owed.minus(paid));
  if (residual.lte(tolerance)) return { ...nothing, paid, written_off: residual };
  if (!waive_residual)
    throw insufficientPayoff({ ...refusalDetails(loan.row), payoff_amount: money(owed) });
  return { ...nothing, paid, credited: residual };
}

export const insufficientPayoff = (details: Record<string, unknown>) =>
  new Conflict(
    'This does not pay off the loan. See payoff_amount for the required amount.',
    'insufficient_payoff',
    details,
  );

/** Records the payoff. Returns whether the loan is now paid off. */
async function recordPayoff(
  work: Work,
  loan: OpenLoan,
  input: PayOffRequest & { on: string; payer_id: string },
  { penalty, paid, credited, written_off }: Closing,
): Promise<boolean> {
  const { on } = input;
  const id = newId();
  const paymentReference = paid.gt(0) ? { payment_id: id } : {};
  const otherEvents: LoanEvent[] = [];
  if (penalty.gt(0)) {
    const fee = { amount: money(penalty), on, ...paymentReference };
    otherEvents.push(await assessPrepaymentPenalty(work, loan.row, fee));
  }
  if (credited.gt(0)) otherEvents.push(await waiveRemainder(work, loan, on, money(credited), id));
  if (paid.eq(0)) otherEvents.push(...suspenseOf(loan, on));
  if (written_off.gt(0) || paid.eq(0)) {
    const amount = money(written_off);
    otherEvents.push(
      newEvent({ kind: 'write_off', effective_date: on, amount, ...paymentReference }),
    );
  }
  const trigger = 'pay-off';
  if (paid.eq(0)) return (await recordEvents(work, loan, otherEvents, { trigger })).is_paid_off;
  const payment = NewPayment.parse({ amount: money(paid), payment_type: 'payoff' });
  const { payment_method, payment_instrument_id, notes, payer_id } = input;
  const details = { payment_method, payment_instrument_id, notes, payer_id };
  const dates = { payment_date: on, effective_date: on };
  await postPayment(work, loan, id, { ...payment, ...details, ...dates }, { otherEvents, trigger });
  return (await openLoan(work, loan.row.id)).state.is_paid_off;
}

/** A waived rest is recorded as a service credit sponsored by the lender. */
async function waiveRemainder(
  work: Work,
  { row }: OpenLoan,
  effective_date: string,
  amount: string,
  payment_id: string,
) {
  const credit = { amount, credit_type: 'settlement', apply_to: 'waterfall' } as const;
  const id = await insert(work.tx, 'service_credits', {
    ...credit,
    effective_date,
    loan_id: row.id,
    reason: 'Residual waived at payoff',
    sponsor: 'lender',
    created_by: work.actor.id,
  });
  return newEvent({ id, kind: 'service_credit', effective_date, ...credit, payment_id });
}

/** Without a payment, suspense money pays its part of the debt. */
function suspenseOf({ state }: OpenLoan, on: string): LoanEvent[] {
  if (parseMoney(state.suspense_balance).eq(0)) return [];
  return [
    newEvent({
      kind: 'suspense_application',
      effective_date: on,
      amount: 'all',
      payment_type: 'payoff',
    }),
  ];
}
