import * as promises from '../../../sql/loans/workouts/promises-to-pay.ts';
import { findLocked } from '../../../sql/table.ts';
import { auditChange } from '../../audit.ts';
import { addDays, earliest } from '../../dates.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import {
  amountPaidBetween,
  firstDayPaid,
  type EvaluationCutoff,
  type Receipt,
} from './receipts.ts';

type Promised = Pick<
  promises.PromiseToPay,
  'promised_on' | 'promised_amount' | 'promised_date' | 'grace_days'
>;

/**
 * Evaluates a promise and the amount paid by the deciding day. A promise is kept as soon as the amount is
 * paid. It is broken or partially kept only after its last day of grace.
 */
export function evaluatePromise(
  promise: Promised,
  receipts: readonly Receipt[],
  known: EvaluationCutoff,
) {
  const { promised_on: from, promised_amount, promised_date, grace_days } = promise;
  const last = addDays(promised_date, grace_days);
  const until = earliest(last, known.paid_through);
  const kept_on = firstDayPaid(receipts, from, parseMoney(promised_amount));
  if (kept_on !== null && kept_on <= until)
    return { status: 'kept', fulfilled_amount: money(amountPaidBetween(receipts, from, kept_on)) };
  if (known.judged_through < last) return { status: 'pending', fulfilled_amount: '0.00' };
  const paid = amountPaidBetween(receipts, from, until);
  return { status: paid.gt(0) ? 'partially_kept' : 'broken', fulfilled_amount: money(paid) };
}

/** Reevaluates decided promises. Returns a sentence for each promise that is no longer kept. */
export async function reevaluatePromises(
  work: Work,
  loanId: string,
  receipts: readonly Receipt[],
  known: EvaluationCutoff,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const promise of await promises.decidedPromises(work.tx, loanId)) {
    const { id, promised_amount, promised_date } = promise;
    const { status, fulfilled_amount } = evaluatePromise(promise, receipts, known);
    if (status === promise.status && fulfilled_amount === promise.fulfilled_amount) continue;
    const before = await findLocked(work.tx, promises.promisesToPay, id);
    await auditChange(work, promises.promisesToPay, 'update', before, async () => {
      await promises.saveOutcome(work.tx, id, status, fulfilled_amount);
      return id;
    });
    if (promise.status !== 'kept') continue;
    sentences.push(
      `The promise of ${promised_amount} by ${promised_date} is ${status.replaceAll('_', ' ')}.`,
    );
  }
  return sentences;
}
