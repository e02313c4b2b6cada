import { z } from 'zod';
import * as loans from '../../../sql/loans/loans.ts';
import { lock as lockPayment } from '../../../sql/payments/payments.ts';
import * as entries from '../../../sql/payments/sent-entries.ts';
import { insert } from '../../../sql/write.ts';
import { record } from '../../audit.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Within, Work } from '../../work.ts';
import { reasonOf } from '../return-codes.ts';
import { returnPayment } from '../return.ts';
import { readReturns, type ReturnedEntry } from './returns.ts';
import { takeBackEntry } from './settle-files.ts';

export const ReturnFile = z.object({
  file: z.string().min(1).max(1_000_000).describe('The text of the return file.'),
});

export const OUTCOMES = [
  'returned',
  'already_returned',
  'change_notice',
  'unknown',
  'amount_differs',
  'refused',
] as const;
type Outcome = {
  trace_number: string;
  code: string;
  payment_id: string | null;
  disbursement_id: string | null;
  draw_id: string | null;
  status: (typeof OUTCOMES)[number];
  message: string;
};

/**
 * Takes in what the bank sent back, entry by entry, each in a transaction of its own: one that cannot
 * be handled stops no other. A file that is taken in twice returns nothing twice.
 */
export async function takeReturns(
  within: Within,
  tenantId: string,
  { file }: z.output<typeof ReturnFile>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const entry of readReturns(file)) {
    outcomes.push(
      await within(tenantId, (work) => takeReturn(work, entry)).catch((error: unknown) => {
        if (error instanceof Conflict || error instanceof Invalid)
          return outcome(entry, null, 'refused', error.message);
        throw error;
      }),
    );
  }
  return outcomes;
}

async function takeReturn(work: Work, entry: ReturnedEntry): Promise<Outcome> {
  const { tx, today } = work;
  const known = await entries.ofTrace(tx, entry.original_trace_number);
  if (known === null) return outcome(entry, null, 'unknown', 'We sent no entry of this number.');
  await loans.lock(tx, known.loan_id);
  const sent = await entries.lock(tx, known.id);
  if (entry.code.startsWith('C')) {
    await ask(work, sent, `Bank account: correct it as the bank says (${entry.code})`, entry);
    return outcome(entry, sent, 'change_notice', 'A task asks for the correction.');
  }
  if (sent.return_code !== null)
    return outcome(entry, sent, 'already_returned', 'It has been returned before.');
  if (sent.amount !== entry.amount)
    return outcome(entry, sent, 'amount_differs', `We sent ${sent.amount}.`);
  await takeBackEntry(work, sent, entry.code, today);
  await takeBackOrder(work, sent, entry);
  return outcome(entry, sent, 'returned', reasonOf(entry.code));
}

/** What the entry collected or paid has not happened; what we had taken back ourselves stays so. */
async function takeBackOrder(work: Work, sent: Sent, entry: ReturnedEntry) {
  const [what, wasStanding] = await failedOrder(work, sent, entry.code);
  if (!sent.is_credit || !wasStanding) return;
  await ask(work, sent, `${what} came back (${entry.code}): pay it otherwise`, entry);
}

async function failedOrder(
  work: Work,
  sent: Sent,
  return_code: string,
): Promise<[what: string, wasStanding: boolean]> {
  const { payment_id, disbursement_id, draw_id } = sent;
  if (disbursement_id !== null)
    return ['Disbursement', await entries.markFailed(work.tx, 'disbursements', disbursement_id)];
  if (draw_id !== null) return ['Draw', await entries.markFailed(work.tx, 'draws', draw_id)];
  const payment = payment_id && (await lockPayment(work.tx, payment_id));
  const isStanding = payment ? ['completed', 'settled'].includes(payment.status) : false;
  if (payment && isStanding)
    await returnPayment(work, payment.id, { return_code, waive_fee: false });
  return ['Refund', isStanding];
}

type Sent = entries.Sent;

const outcome = (
  { code, original_trace_number: trace_number }: ReturnedEntry,
  sent: Sent | null,
  status: Outcome['status'],
  message: string,
): Outcome => ({
  trace_number,
  code,
  payment_id: sent?.payment_id ?? null,
  disbursement_id: sent?.disbursement_id ?? null,
  draw_id: sent?.draw_id ?? null,
  status,
  message,
});

/** Somebody sees to it. What the bank wrote may be an account number: it is not copied into a task. */
async function ask(work: Work, sent: Sent, title: string, { code }: ReturnedEntry) {
  const id = await insert(work.tx, 'tasks', {
    borrower_id: sent.borrower_id,
    loan_id: sent.loan_id,
    title,
    task_type: 'review',
    due_date: work.today,
    source: 'system',
    related_type: 'nacha_entry',
    related_id: sent.id,
  });
  const entity = { type: 'tasks', id, borrower_id: sent.borrower_id, loan_id: sent.loan_id };
  await record(work, entity, 'create', { code: { old: null, new: code } });
}
