import { z } from 'zod';
import * as tasks from '../../../sql/borrowers/tasks.ts';
import { withSavepoint } from '../../../sql/database/db.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { lockPayment } from '../../../sql/payments/payments.ts';
import * as entries from '../../../sql/payments/sent-entries.ts';
import { insert } from '../../../sql/write.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { classifyReturnCode, returnReason, RETURN_CODES } from '../../banks/return-codes.ts';
import { applyReturnCode } from '../return-effects.ts';
import { returnPayment } from '../return.ts';
import { recordChangeNotice } from './change-notices.ts';
import { parseCorrection, isRefusedChangeCode, type Correction } from './corrections.ts';
import { isAsWritten } from './render-file.ts';
import { readReturns, type ReturnedEntry } from './parse-returns.ts';
import { returnSentEntry } from './settle-files.ts';

export const ReturnFile = z.object({
  file: z.string().min(1).max(1_000_000).describe('The text of the return file.'),
});

export const RETURN_OUTCOMES = [
  'returned',
  'already_returned',
  'change_notice',
  'unknown',
  'amount_differs',
  'receiver_differs',
  'refused',
  'no_return',
  'change_refused',
  'dishonored',
  'contested',
] as const;
type Outcome = {
  trace_number: string;
  code: string | null;
  payment_id: string | null;
  disbursement_id: string | null;
  draw_id: string | null;
  status: (typeof RETURN_OUTCOMES)[number];
  message: string;
};

/**
 * Processes a bank's return file in one transaction. If an entry cannot be booked, only that entry is
 * rolled back, and a task asks staff to handle it. Safe to repeat: processing the same file again returns
 * nothing twice.
 */
export const processReturnFile = (
  work: Work,
  { file }: z.output<typeof ReturnFile>,
): Promise<Outcome[]> => processEntries(work, readReturns(file));

async function processEntries(
  work: Work,
  reported: ReturnType<typeof readReturns>,
): Promise<Outcome[]> {
  const traces = reported.flatMap((entry) =>
    entry.code === null ? [] : [entry.original_trace_number],
  );
  const known = await entries.findByTraceNumbers(work.tx, traces);
  const loanIds = new Set([...known.values()].map(({ loan_id }) => loan_id));
  if (loanIds.size > 0) await loans.acquireLoanLocks(work.tx, [...loanIds]);
  const outcomes: Outcome[] = [];
  for (const entry of reported) {
    if (entry.code === null) {
      const message = 'This entry reports no return and no change. Nothing was booked.';
      outcomes.push({ ...NOTHING, trace_number: entry.trace_number, status: 'no_return', message });
      continue;
    }
    const sent = matchSentEntry(known, entry);
    outcomes.push(
      sent === null
        ? buildOutcome(entry, null, 'unknown', 'We sent no entry with this trace number.')
        : await processEntry(work, sent.id, entry),
    );
  }
  return outcomes;
}

/**
 * Finds the entry that the bank reports on. Companies at the same bank may use the same trace numbers, so
 * the company id must match too.
 */
function matchSentEntry(known: ReadonlyMap<string, Sent>, entry: ReturnedEntry): Sent | null {
  const sent = known.get(entry.original_trace_number) ?? null;
  return sent !== null && isAsWritten(entry.company_id, sent.company_id, 10) ? sent : null;
}

/** Processes one entry. If its loan refuses it, rolls back only this entry and creates a task. */
async function processEntry(work: Work, id: string, entry: ReturnedEntry): Promise<Outcome> {
  const taken = await withSavepoint(work.tx, () => processReturn(work, id, entry));
  if ('result' in taken) return taken.result;
  const { error } = taken;
  if (!(error instanceof Conflict || error instanceof Invalid)) throw error;
  const sent = await entries.lockSentEntry(work.tx, id);
  await createBankTask(
    work,
    sent,
    `Return ${entry.code} could not be booked: book it manually`,
    entry,
  );
  return buildOutcome(entry, sent, 'refused', error.message);
}

/**
 * Summarizes a file for the person who approves it. Shows only the last four digits of corrected account
 * numbers.
 */
export async function describeReturnFile({ tx }: Work, { file }: z.output<typeof ReturnFile>) {
  const reported = readReturns(file).filter((entry) => entry.code !== null);
  const traces = reported.map((entry) => entry.original_trace_number);
  const known = await entries.findByTraceNumbers(tx, traces);
  const returns = reported.map((entry) => {
    const { original_trace_number: trace_number, code, amount, information } = entry;
    const sent = matchSentEntry(known, entry);
    const { payment_id = null, disbursement_id = null, draw_id = null } = sent ?? {};
    const ordered = { trace_number, code, amount, payment_id, disbursement_id, draw_id };
    const corrected = parseCorrection(code, information.slice(0, 29));
    return corrected === null ? ordered : { ...ordered, corrected: shownCorrection(corrected) };
  });
  return { returns };
}

const shownCorrection = ({ account_number, ...corrected }: Correction) => ({
  ...corrected,
  account_number_last_four: account_number?.slice(-4) ?? null,
});

async function processReturn(work: Work, id: string, entry: ReturnedEntry): Promise<Outcome> {
  const sent = await entries.lockSentEntry(work.tx, id);
  if (!isAsWritten(entry.individual_id, sent.individual_id, 15)) {
    await createBankTask(
      work,
      sent,
      `${entry.code} names a different receiver: ask the bank`,
      entry,
    );
    const message = `We sent this entry for ${sent.individual_id}. Nothing was booked.`;
    return buildOutcome(entry, sent, 'receiver_differs', message);
  }
  if (entry.code.startsWith('C')) return processChangeNotice(work, sent, entry);
  const kind = classifyReturnCode(entry.code);
  if (kind !== 'return') return processDispute(work, sent, entry, kind);
  if (sent.return_code !== null)
    return buildOutcome(entry, sent, 'already_returned', 'The entry was already returned.');
  if (sent.amount !== entry.amount) {
    await createBankTask(
      work,
      sent,
      `Return ${entry.code} has a different amount: ask the bank`,
      entry,
    );
    return buildOutcome(entry, sent, 'amount_differs', `We sent ${sent.amount}.`);
  }
  await returnSentEntry(work, sent, entry.code, work.today);
  await undoOrder(work, sent, entry);
  if (sent.payment_instrument_id !== null)
    await applyReturnCode(work, sent.payment_instrument_id, entry.code);
  if (RETURN_CODES[entry.code] === undefined)
    await createBankTask(
      work,
      sent,
      `Return code ${entry.code} is not known: ask the bank what it means`,
      entry,
    );
  return buildOutcome(entry, sent, 'returned', returnReason(entry.code));
}

async function processChangeNotice(work: Work, sent: Sent, entry: ReturnedEntry): Promise<Outcome> {
  if (isRefusedChangeCode(entry.code)) {
    await createBankTask(
      work,
      sent,
      `A notice of change was refused (${entry.code}): ask the bank`,
      entry,
    );
    return buildOutcome(entry, sent, 'change_refused', 'A task has been created.');
  }
  const noticeState = await recordChangeNotice(work, sent, entry);
  const messages = {
    applied: 'The account is corrected.',
    asked: 'A task asks for the correction.',
  };
  const message = noticeState === null ? 'The notice was already recorded.' : messages[noticeState];
  return buildOutcome(entry, sent, 'change_notice', message);
}

const DISPUTES = {
  dishonored: 'The return of an entry is dishonored',
  contested: 'The receiving bank contests a dishonored return',
} as const;

/** Banks settle disputes about a return between themselves. The bookings of the return stay until then. */
async function processDispute(
  work: Work,
  sent: Sent,
  entry: ReturnedEntry,
  kind: 'dishonored' | 'contested',
): Promise<Outcome> {
  await createBankTask(
    work,
    sent,
    `${DISPUTES[kind]} (${entry.code}): ask the bank who keeps the money`,
    entry,
  );
  return buildOutcome(entry, sent, kind, 'Nothing was booked. A task has been created.');
}

/** Undoes the order of a returned entry, unless staff have already reversed it. */
async function undoOrder(work: Work, sent: Sent, entry: ReturnedEntry) {
  const [failedRecord, wasStanding] = await failedOrder(work, sent, entry.code);
  if (!sent.is_credit || !wasStanding) return;
  await createBankTask(
    work,
    sent,
    `${failedRecord} came back (${entry.code}): pay it in another way`,
    entry,
  );
}

async function failedOrder(
  work: Work,
  sent: Sent,
  return_code: string,
): Promise<[what: string, wasStanding: boolean]> {
  const { payment_id, disbursement_id, draw_id } = sent;
  if (disbursement_id !== null)
    return [
      'Disbursement',
      await entries.markPayoutFailed(work.tx, 'disbursements', disbursement_id),
    ];
  if (draw_id !== null) return ['Draw', await entries.markPayoutFailed(work.tx, 'draws', draw_id)];
  const payment = payment_id && (await lockPayment(work.tx, payment_id));
  const isStanding = payment ? ['completed', 'settled'].includes(payment.status) : false;
  if (payment && isStanding)
    await returnPayment(work, payment.id, { return_code, waive_fee: false });
  return ['Refund', isStanding];
}

type Sent = entries.SentEntry;

const NOTHING = { code: null, payment_id: null, disbursement_id: null, draw_id: null } as const;

const buildOutcome = (
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

/** Creates a task once. It omits the bank's text, which may contain an account number. */
async function createBankTask(work: Work, sent: Sent, title: string, { code }: ReturnedEntry) {
  if (await tasks.wasEverOpened(work.tx, sent.id, title)) return;
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
  await recordAudit(work, entity, 'create', { code: { old: null, new: code } });
}
