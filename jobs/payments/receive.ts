import { z } from 'zod';
import { newId } from '../../sql/new-id.ts';
import * as payments from '../../sql/payments/payments.ts';
import { date, externalId, flag, positiveMoney, prose, text, uuid } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';
import { addDays } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import { COMPONENTS } from '../loans/arithmetic/terms.ts';
import { eventsInForce } from '../loans/engine/event-order.ts';
import { PAYMENT_TYPES, type LoanEvent, type PaymentType } from '../loans/engine/events.ts';
import { explainSplit } from '../loans/history/differences.ts';
import { residueWriteOff } from '../loans/agreed/scheduled-payment.ts';
import { isClosed } from '../loans/history/closed-loans.ts';
import { openLoan, type OpenLoan } from '../loans/history/open-loan.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import { newEvent, newEvents } from '../loans/history/new-event.ts';
import { assertAllowed } from '../loans/history/statuses.ts';
import { refusalDetails } from '../loans/products/refusals.ts';
import { assertAdmin } from '../users/assert-admin.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import * as bank from './nacha/bank-order.ts';
import { assessPenaltyIncludedIn } from './payoff-penalty.ts';

export const PAYMENT_METHODS = [
  'ach',
  'debit_card',
  'check',
  'cash',
  'wire',
  'money_order',
  'internal',
  'external',
] as const;
export const PAYMENT_SOURCES = ['staff', 'portal', 'autopay', 'import', 'webhook'] as const;

export const NewPayment = z.object({
  amount: positiveMoney,
  payment_date: date.nullish(),
  effective_date: date.nullish(),
  payment_instrument_id: uuid.nullish(),
  payment_method: z.enum(PAYMENT_METHODS).nullish(),
  payment_type: z.enum(PAYMENT_TYPES).default('regular'),
  allocation_override: z
    .array(z.object({ component: z.enum(COMPONENTS), amount: positiveMoney }))
    .max(10)
    .nullish(),
  external_id: externalId.nullish(),
  reference_number: text.nullish(),
  notes: prose.nullish(),
  hold_until: date
    .nullish()
    .describe(
      'Until this day, at most 90 days after the payment, the money cannot be refunded. On this day, the payment becomes settled.',
    ),
  waive_returned_fee: flag
    .nullish()
    .describe('Whether no fee is charged if the bank returns the payment.'),
});
export type NewPayment = z.output<typeof NewPayment> & {
  source?: (typeof PAYMENT_SOURCES)[number];
  autopay_plan_id?: string;
  /** The payment plan that schedules the payment. */
  payment_plan_id?: string;
  /** The borrower's authorization of the draw. */
  consent_id?: string;
  /** The owner of the account, if that is not the borrower. */
  payer_id?: string;
  /** Where an amount above the due amount goes. Default: as the loan's terms say. */
  extra_payment_to?: 'principal' | 'next_installment';
};

/** The API's payment types include `reimbursement`, which is not a payment received. */
type PaymentInput = Omit<NewPayment, 'payment_type'> & {
  payment_type: PaymentType | 'reimbursement';
};

/**
 * Receives a payment and returns its id. A payment dated today or earlier is allocated, posted and reported
 * to subscribers immediately. A later date schedules the payment for the close of that day.
 */
export async function receivePayment(
  work: Work,
  loanId: string,
  request: PaymentInput,
): Promise<string> {
  const loan = await openLoan(work, loanId);
  const payment = await checkPayment(work, loan, request);
  if (payment.payment_date <= work.today) return postPayment(work, loan, newId(), payment);
  const id = await schedule(work, loan, payment);
  await recordEvents(work, loan, [], { hasNewAgreement: true });
  return id;
}

/** Receives the payments of a payment plan. The loan is refolded once for all future ones. */
export async function receivePlanPayments(
  work: Work,
  loanId: string,
  requests: readonly (NewPayment & { payment_date: string })[],
) {
  const loan = await openLoan(work, loanId);
  const later = requests.filter(({ payment_date }) => payment_date > work.today);
  for (const request of later) await schedule(work, loan, await checkPayment(work, loan, request));
  if (later.length > 0) await recordEvents(work, loan, [], { hasNewAgreement: true });
  for (const request of requests)
    if (!later.includes(request)) await receivePayment(work, loanId, request);
}

/** Returns the payment with its payer and dates. Throws if the loan or the account does not accept it. */
async function checkPayment(work: Work, loan: OpenLoan, request: PaymentInput): Promise<Dated> {
  const input = { ...request, payment_type: toPaymentType(request.payment_type) };
  if (input.allocation_override) assertAdmin(work, 'override the allocation of a payment');
  assertAllowed(loan.row, 'payments');
  const payment_date = input.payment_date ?? work.today;
  assertArrived(work, loan, { ...input, payment_date });
  const effective_date = input.effective_date ?? payment_date;
  assertDates(work, loan, payment_date, effective_date);
  assertHold(payment_date, input.hold_until);
  assertDrawable(work, { ...input, payment_date });
  const payer_id = await bank.assertPaymentOrder(work, loan.row, input);
  return { ...input, payer_id, payment_date, effective_date };
}

/**
 * A closed loan accepts only money that has already arrived. It takes no bank orders and no scheduled
 * payments.
 */
function assertArrived(
  { today }: Work,
  loan: OpenLoan,
  input: Pick<NewPayment, 'payment_instrument_id'> & { payment_date: string },
) {
  const { row } = loan;
  if (input.payment_instrument_id && wasReceivedBefore(loan, input.payment_date))
    throw new Invalid({
      payment_instrument_id:
        'The previous servicer received payments of this day. Leave the instrument out, or date the payment later.',
    });
  const hasArrived = !input.payment_instrument_id && input.payment_date <= today;
  if (hasArrived || !isClosed(row.status)) return;
  const status = row.status.replaceAll('_', ' ');
  const message = `A loan that is ${status} is no longer owed. Record only money that has arrived, without a payment instrument.`;
  throw new Conflict(message, 'invalid_transition', refusalDetails(row));
}

/** A scheduled payment by ACH is drawn by us. Without an account, it would fail on its day. */
function assertDrawable(
  { today }: Work,
  input: Pick<NewPayment, 'payment_instrument_id' | 'payment_method'> & { payment_date: string },
) {
  if (input.payment_date <= today || input.payment_method !== 'ach' || input.payment_instrument_id)
    return;
  throw new Invalid({
    payment_instrument_id:
      'Is required for an ACH payment on a later day. Name the account to draw on, or record the payment on the day on which the money arrives.',
  });
}

function toPaymentType(type: PaymentInput['payment_type']): PaymentType {
  if (type === 'reimbursement')
    throw new Invalid({
      payment_type: 'Use POST /loans/{id}/payments/reimbursement for a refund.',
    });
  return type;
}

function assertDates(
  { today }: Work,
  { row, events }: OpenLoan,
  paymentDate: string,
  effectiveDate: string,
) {
  if (effectiveDate > paymentDate)
    throw new Invalid({ effective_date: 'Must not be after the payment date.' });
  const boarding = events.find(({ kind }) => kind === 'boarding')?.effective_date;
  if (boarding && effectiveDate < boarding) {
    throw new Conflict(
      'History before the boarding date belongs to the previous servicer.',
      'before_boarding',
      { boarding_date: boarding },
    );
  }
  const start = boarding ?? row.disbursement_date;
  if (start && effectiveDate < start)
    throw new Invalid({ effective_date: 'Must not be before the loan was disbursed.' });
  if (paymentDate > today.replace(/^\d{4}/, (year) => String(Number(year) + 1))) {
    throw new Invalid({ payment_date: 'Must be within a year.' });
  }
}

/** The previous servicer of a loan that brought its history received the money. */
const wasReceivedBefore = ({ events }: Pick<OpenLoan, 'events'>, payment_date: string): boolean =>
  events.some((event) => event.kind === 'boarding' && payment_date < (event.takeover?.on ?? ''));

/** Longer than any bank takes to return a payment for insufficient funds. */
const HOLD_DAYS_MAX = 90;

function assertHold(paymentDate: string, until: string | null | undefined) {
  if (!until) return;
  if (until > paymentDate && until <= addDays(paymentDate, HOLD_DAYS_MAX)) return;
  const message = `Must be within ${HOLD_DAYS_MAX} days after the payment date.`;
  throw new Invalid({ hold_until: message });
}

type Dated = NewPayment & { payment_date: string; effective_date: string };

export const paymentColumns = (loan: OpenLoan, id: string, input: Dated) => ({
  id,
  loan_id: loan.row.id,
  borrower_id: input.payer_id ?? loan.row.borrower_id,
  receipt_number: `R-${id.replaceAll('-', '').slice(-12).toUpperCase()}`,
  amount: input.amount,
  payment_date: input.payment_date,
  effective_date: input.effective_date,
  payment_method: bank.defaultMethod(input.payment_instrument_id, input.payment_method),
  payment_type: input.payment_type,
  payment_instrument_id: input.payment_instrument_id ?? null,
  allocation_override: input.allocation_override ?? null,
  external_id: input.external_id ?? null,
  reference_number: input.reference_number ?? null,
  notes: input.notes ?? null,
  hold_until: input.hold_until ?? null,
  waive_returned_fee: input.waive_returned_fee ?? false,
  source: input.source ?? 'staff',
  autopay_plan_id: input.autopay_plan_id ?? null,
  payment_plan_id: input.payment_plan_id ?? null,
  consent_id: input.consent_id ?? null,
});

async function schedule(work: Work, loan: OpenLoan, input: Dated) {
  const row = paymentColumns(loan, newId(), input);
  await insert(work.tx, 'payments', { ...row, status: 'scheduled' });
  await bank.saveOrderAccount(work, { payment_id: row.id }, { ...row, method: row.payment_method });
  return row.id;
}

/**
 * Payments after a charge-off are recoveries. A payment dated before the charge-off and recorded later
 * still pays the debt as it was on that date.
 */
export function effectivePaymentType(
  { row, events, state }: OpenLoan,
  date: string,
  requestedType: PaymentType,
) {
  // A closed loan cannot be paid off again, so there is no prepayment penalty.
  if (requestedType === 'payoff' && isClosed(row.status)) return 'regular';
  if (row.status !== 'charged_off') return requestedType;
  const chargeOff = eventsInForce(events, state.as_of).find(isFullChargeOff);
  return chargeOff && date < chargeOff.effective_date ? requestedType : 'recovery';
}

/** A partial charge-off leaves the loan in service. */
const isFullChargeOff = (event: LoanEvent) =>
  event.kind === 'charge_off' && event.principal_amount === undefined;

/** Allocates and posts a payment whose date has come, together with `otherEvents`. */
export async function postPayment(
  work: Work,
  loan: OpenLoan,
  id: string,
  input: Dated,
  {
    otherEvents,
    trigger,
  }: { otherEvents?: readonly LoanEvent[]; trigger?: string | undefined } = {},
): Promise<string> {
  const payment_type = effectivePaymentType(loan, input.effective_date, input.payment_type);
  const { payment_instrument_id, payment_method: method = null } = input;
  const order = await bank.prepareBankOrder(work, { payment_instrument_id, method });
  const isReplayed = wasReceivedBefore(loan, input.payment_date);
  const event = paymentEvent(id, input, {
    payment_type,
    ...order.transit,
    ...(isReplayed && { is_replayed: true as const }),
  });
  const before =
    otherEvents ?? (await assessPenaltyIncludedIn(work, loan, { ...input, id, payment_type }));
  const events = [...before, event];
  const allEvents = [...events, ...newEvents(residueWriteOff(loan, events))];
  const state = await recordEvents(work, loan, allEvents, { trigger });
  const { id: _, ...split } = explainSplit(state, id);
  await payments.addPayment(work.tx, {
    ...paymentColumns(loan, id, input),
    payment_type,
    ...split,
    remaining_balance: state.total_balance,
    status: 'completed',
    send_by: order.send_by,
    // Empty if the money is not ours: it does not count as received here.
    posted_at: isReplayed ? null : new Date().toISOString(),
  });
  await bank.saveOrderAccount(work, { payment_id: id }, { payment_instrument_id, method });
  await emit(work, 'payment.received', {
    payment_id: id,
    loan_id: loan.row.id,
    amount: input.amount,
    payment_date: input.payment_date,
    effective_date: input.effective_date,
    principal_applied: split.principal_applied,
    interest_applied: split.interest_applied,
    fees_applied: split.fees_applied,
    remaining_balance: state.total_balance,
  });
  return id;
}

const paymentEvent = (
  id: string,
  { effective_date, amount, extra_payment_to, allocation_override }: Dated,
  facts: { payment_type: PaymentType; is_in_transit?: true; is_replayed?: true },
) =>
  newEvent({
    id,
    kind: 'payment',
    effective_date,
    amount,
    ...facts,
    ...(extra_payment_to && { extra_payment_to }),
    ...(allocation_override && { allocation_override }),
  });
