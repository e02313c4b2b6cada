import { Big } from 'big.js';
import { z } from 'zod';
import * as promises from '../../../sql/loans/workouts/promises-to-pay.ts';
import { date, positiveMoney } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { sum } from '../../money.ts';
import type { Work } from '../../work.ts';
import { evaluatePromise } from '../outcomes/promises.ts';
import { endOfDayCutoff, listReceipts } from '../outcomes/receipts.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { openLoan } from '../history/open-loan.ts';
import { openInService } from '../history/loan-records.ts';

export const PROMISE_CHANNELS = ['phone', 'email', 'sms', 'portal', 'in_person'] as const;
export const PROMISED_INSTALLMENTS_MAX = 24;
export const PROMISE_METHODS = ['autopay', 'ach', 'card', 'check', 'cash', 'other'] as const;
/** Days after the due date of a part, for promises and payment plans. */
export const GRACE_DAYS_MAX = 30;
export const PROMISE_STATUSES = [
  'pending',
  'kept',
  'partially_kept',
  'broken',
  'canceled',
] as const;

export const PromisedInstallment = z.object({
  due_date: date.describe('When this part is promised. Must be between today and `promised_date`.'),
  amount: positiveMoney.describe(
    'The amount of this part. The parts must add up to `promised_amount`.',
  ),
});

type NewPromise = {
  loan_id: string;
  promised_amount: string;
  promised_date: string;
  payment_method?: string | null | undefined;
  channel: string;
  contact_note?: string | null | undefined;
  grace_days: number;
  installments: readonly z.output<typeof PromisedInstallment>[];
};

/** Records a borrower's promise to pay. Close of business evaluates whether the borrower kept it. */
export async function addPromise(work: Work, input: NewPromise): Promise<string> {
  const loan = await openInService(work, input.loan_id, ['active', 'charged_off']);
  const { promised_amount, promised_date, installments } = input;
  if (promised_date < work.today)
    throw new Invalid({ promised_date: 'Must not be before the business date.' });
  if (installments.length > 0) {
    const total = sum(installments.map(({ amount }) => new Big(amount)));
    if (!total.eq(promised_amount))
      throw new Invalid({ installments: 'Must add up to the promised amount.' });
    if (installments.some(({ due_date }) => due_date < work.today || due_date > promised_date))
      throw new Invalid({ installments: 'Must be due by the promised date.' });
  }
  const { payment_method, channel, contact_note, grace_days } = input;
  return insert(work.tx, 'promises_to_pay', {
    loan_id: loan.row.id,
    promised_amount,
    promised_date,
    payment_method,
    channel,
    contact_note,
    grace_days,
    installments,
    created_by: work.actor.id,
  });
}

/** Evaluates the loan's pending promises at close of business, when the day's payments are recorded. */
export async function evaluatePromises(work: Work, loanId: string) {
  const { events } = await openLoan(work, loanId);
  const receipts = listReceipts(events, eventsInForce(events, work.today));
  for (const promise of await promises.pendingPromises(work.tx, loanId)) {
    const { status, fulfilled_amount } = evaluatePromise(
      promise,
      receipts,
      endOfDayCutoff(work.today),
    );
    if (status !== 'pending')
      await promises.saveOutcome(work.tx, promise.id, status, fulfilled_amount);
  }
}
