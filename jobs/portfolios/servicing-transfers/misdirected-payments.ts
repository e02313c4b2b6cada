import { z } from 'zod';
import { closeTasks } from '../../../sql/borrowers/tasks.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import * as transfers from '../../../sql/portfolios/servicing-transfers.ts';
import { date, positiveMoney, requiredText, text, uuid } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { composeToAll } from '../../communications/compose-to-all.ts';
import { addDays, latest } from '../../dates.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { eventsInForce } from '../../loans/engine/event-order.ts';
import { fold } from '../../loans/engine/fold.ts';
import { forwardTask } from '../../loans/history/closed-loans.ts';
import { openLoan, type OpenLoan } from '../../loans/history/open-loan.ts';
import { readTerms } from '../../loans/products/loan-terms.ts';
import { receivePayment, NewPayment } from '../../payments/receive.ts';
import { reimburse } from '../../payments/reimburse.ts';
import type { Work } from '../../work.ts';
import { loanIds } from '../assign.ts';
import { waiveLateFee } from './protect-loans.job.ts';
import { noticeFigures } from './send-notices.job.ts';

/** Maximum per request, so that one request stays within its time limit. */
const PAYMENTS_MAX = 500;

export const ForwardPayments = z.object({
  outcome: z
    .enum(['forwarded', 'returned'])
    .describe(
      '`forwarded`: you send the money to the new servicer. `returned`: you pay it back to the sender.',
    ),
  loan_ids: loanIds
    .optional()
    .describe('The loans whose money you send on. Default: all that hold money, up to 500.'),
  reference_number: text.nullish().describe("The bank's reference for the transfer."),
});

export const ForwardedPayments = z.object({
  servicing_transfer_id: uuid.describe('The transfer.'),
  payments: z
    .array(
      z.object({
        loan_id: uuid,
        amount: positiveMoney.describe('The amount that was sent on.'),
        payment_id: uuid.describe('The refund that pays the money out.'),
      }),
    )
    .describe('The money that was sent on, for the list to the new servicer.'),
  skipped: z
    .array(
      z.object({
        loan_id: uuid,
        reason: z
          .enum(['funds_held'])
          .describe(
            'Why nothing was sent on. `funds_held`: the bank may still take the money back.',
          ),
      }),
    )
    .describe('Loans with money that is still held.'),
});

/**
 * Sends on the money that arrived here for transferred loans: to the new servicer, or back to the sender (12 CFR
 * 1024.33(c)(2)). Pays it out of suspense, tells the borrower where to pay, and completes the tasks.
 */
export async function forwardPayments(
  work: Work,
  id: string,
  { outcome, loan_ids, reference_number }: z.output<typeof ForwardPayments>,
): Promise<z.output<typeof ForwardedPayments>> {
  const transfer = await transfers.lockTransfer(work.tx, id);
  if (transfer === null) throw new NotFound();
  if (transfer.direction !== 'out') throw servicedHere();
  const held = await transfers.listHeldMoney(work.tx, id, loan_ids ?? null);
  if (loan_ids && held.length < loan_ids.length)
    throw new Invalid({ loan_ids: 'Contains a loan that holds no money for the new servicer.' });
  const payments = [];
  const skipped = [];
  for (const { loan_id, amount } of held.slice(0, PAYMENTS_MAX)) {
    const payment_id = await payOut(work, transfer, { loan_id, amount, outcome });
    if (payment_id === null) {
      skipped.push({ loan_id, reason: 'funds_held' as const });
      continue;
    }
    await insert(work.tx, 'misdirected_payments', {
      servicing_transfer_id: id,
      loan_id,
      outcome,
      amount,
      payment_id,
      reference_number,
      created_by: work.actor.type === 'user' ? work.actor.id : null,
    });
    payments.push({ loan_id, amount, payment_id });
  }
  return { servicing_transfer_id: id, payments, skipped };
}

type Outgoing = { loan_id: string; amount: string; outcome: 'forwarded' | 'returned' };

/** Returns the refund's id, or null if the bank may still take the money back. */
async function payOut(
  work: Work,
  transfer: transfers.ServicingTransfer,
  { loan_id, amount, outcome }: Outgoing,
): Promise<string | null> {
  const { row } = await openLoan(work, loan_id);
  const reason =
    outcome === 'forwarded' ? `Forwarded to ${transfer.servicer_name}` : 'Returned to the sender';
  try {
    const id = await reimburse(work, loan_id, { amount, reason, method: 'external' });
    await closeTasks(work.tx, loan_id, [forwardTask(row)], 'completed');
    await tellBorrower(work, transfer, row, { amount, outcome });
    return id;
  } catch (error) {
    if (error instanceof Conflict && error.code === 'exceeds_refundable') return null;
    throw error;
  }
}

/** A message that cannot be sent must not hold back the money. */
async function tellBorrower(
  work: Work,
  transfer: transfers.ServicingTransfer,
  { id, borrower_id }: RawLoan,
  { amount, outcome }: Pick<Outgoing, 'amount' | 'outcome'>,
) {
  const request = {
    borrower_id,
    loan_id: id,
    template_type: 'payment_misdirected' as const,
    context: {
      transfer: await noticeFigures(work, transfer),
      payment: { amount, date: work.today },
      was_returned: outcome === 'returned',
    },
    triggered_by: 'system' as const,
  };
  try {
    await composeToAll(work, request);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
  }
}

export const ReceivedPayments = z.object({
  payments: z
    .array(
      z.object({
        loan_id: uuid.describe('A loan that came with this transfer.'),
        amount: positiveMoney.describe('The amount that the borrower paid.'),
        received_on: date.describe(
          'When the previous servicer received it. The payment counts from this day.',
        ),
        reference_number: requiredText
          .max(100)
          .describe(
            'The reference of the previous servicer. It can be used once for each loan, so that a repeated request does not book the money twice.',
          ),
      }),
    )
    .min(1)
    .max(PAYMENTS_MAX)
    .describe('The payments that the previous servicer forwarded.'),
});

export const ReceivedResult = z.object({
  servicing_transfer_id: uuid.describe('The transfer.'),
  payments: z
    .array(
      z.object({
        loan_id: uuid,
        payment_id: uuid.describe('The recorded payment.'),
        effective_date: date.describe('The day from which it counts.'),
        waived_fee_count: z.int().describe('Late fees that were waived because it was on time.'),
      }),
    )
    .describe('The payments in the order of the request.'),
});

/**
 * Records payments that the previous servicer received and forwarded. They count from the day on which it received
 * them (12 CFR 1024.33(c)(1)), and late fees that they make unjustified are waived.
 */
export async function recordReceivedPayments(
  work: Work,
  id: string,
  { payments }: z.output<typeof ReceivedPayments>,
): Promise<z.output<typeof ReceivedResult>> {
  const transfer = await transfers.lockTransfer(work.tx, id);
  if (transfer === null) throw new NotFound();
  if (transfer.direction !== 'in') throw servicedElsewhere();
  await assertReceivable(work, id, payments);
  const recorded = [];
  for (const { loan_id, amount, received_on, reference_number } of payments) {
    const loan = await openLoan(work, loan_id);
    const boarding = loan.events.find(({ kind }) => kind === 'boarding');
    const effective_date = latest(received_on, boarding?.effective_date ?? received_on);
    const request = { amount, payment_date: work.today, effective_date, reference_number };
    const payment_id = await receivePayment(work, loan_id, {
      ...NewPayment.parse({ ...request, payment_method: 'external' }),
      source: 'import',
    });
    const waived_fee_count = await waiveUnjustifiedLateFees(work, loan_id, effective_date);
    await insert(work.tx, 'misdirected_payments', {
      servicing_transfer_id: id,
      loan_id,
      outcome: 'received',
      amount,
      received_on,
      payment_id,
      reference_number,
      waived_fee_count,
      created_by: work.actor.type === 'user' ? work.actor.id : null,
    });
    recorded.push({ loan_id, payment_id, effective_date, waived_fee_count });
  }
  return { servicing_transfer_id: id, payments: recorded };
}

type Received = z.output<typeof ReceivedPayments>['payments'];

async function assertReceivable(work: Work, id: string, payments: Received) {
  const errors: Record<string, string> = {};
  const used = new Set<string>();
  const known = new Set(await transfers.listTransferLoans(work.tx, id, ['transferred']));
  const earlier = await transfers.listReceivedReferences(work.tx, id);
  for (const { loan_id, reference_number } of earlier) used.add(`${loan_id} ${reference_number}`);
  for (const [index, { loan_id, received_on, reference_number }] of payments.entries()) {
    const at = (field: string) => `payments[${index}].${field}`;
    if (!known.has(loan_id)) errors[at('loan_id')] = 'Did not come with this transfer.';
    if (received_on > work.today) errors[at('received_on')] = 'Must not be in the future.';
    const key = `${loan_id} ${reference_number}`;
    if (used.has(key)) errors[at('reference_number')] = 'Is already recorded for this loan.';
    used.add(key);
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/**
 * Waives late fees of installments that were paid in time, given the payments known now. Returns their number. A
 * payment to the wrong servicer is the exception to the rule that a late fee stays.
 */
async function waiveUnjustifiedLateFees(work: Work, loanId: string, since: string) {
  const loan = await openLoan(work, loanId);
  let count = 0;
  for (const event of eventsInForce(loan.events, work.today)) {
    if (event.kind !== 'fee' || event.fee_type !== 'late' || event.effective_date <= since)
      continue;
    const fee = loan.state.fees.find(({ fee_id }) => fee_id === (event.fee_id ?? event.id));
    const isOwed = fee && (Number(fee.outstanding_amount) > 0 || Number(fee.amount_paid) > 0);
    if (
      !isOwed ||
      !wasPaidInTime(loan, event.installment_number, addDays(event.effective_date, -1))
    )
      continue;
    if (await waiveLateFee(work, event.fee_id ?? event.id)) count += 1;
  }
  return count;
}

/**
 * Whether the installment was covered on its last day without a late fee. Its due date is the one of that day, which a
 * deferment or another due day may have moved.
 */
function wasPaidInTime(
  { row, schedule, events }: OpenLoan,
  number: number | undefined,
  day: string,
) {
  const then = fold({ terms: readTerms(row), schedule, events, as_of: day });
  const { installments, oldest_unpaid_due_date: oldest } = then;
  const installment = installments.find(({ period_number }) => period_number === number);
  if (installment === undefined) return false;
  return oldest === null || oldest > installment.due_date;
}

export const servicedHere = () =>
  new Conflict('The loans of this transfer are serviced here.', 'wrong_direction');

export const servicedElsewhere = () =>
  new Conflict('The loans of this transfer are serviced elsewhere.', 'wrong_direction');
