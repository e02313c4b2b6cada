import { z } from 'zod';
import * as documents from '../../sql/documents/statement-documents.ts';
import * as statements from '../../sql/documents/statements.ts';
import type { Transaction } from '../../sql/database/db.ts';
import { batchByTransaction } from '../../sql/database/batch-by-transaction.ts';
import { date, uuid } from '../../sql/types.ts';
import { documentLanguage } from '../../templates/render-document.ts';
import { LOAN_VALUES } from '../../templates/variables.ts';
import { loadSender } from '../communications/message-figures.ts';
import { addDays, monthStart } from '../dates.ts';
import { enqueue, enqueueAll, job } from '../job.ts';
import type { Work } from '../work.ts';
import { renderDocumentJob } from './render.job.ts';

/** Statements per transaction. */
const CHUNK = 500;

/**
 * Creates the document of each statement of a month and enqueues its rendering. The figures were frozen
 * when the month was billed, so the job can run later or repeatedly.
 */
export const issueStatements = job({
  name: 'issue-statements',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid, statement_month: date }),
  attempts: 10,
  key: ({ tenant_id, statement_month }) => `issue-statements:${tenant_id}:${statement_month}`,

  async run({ tenant_id, statement_month }, outside) {
    for (let after: string | undefined = documents.BEFORE_FIRST_LOAN; after !== undefined;) {
      const since: string = after;
      after = await outside.within(tenant_id, async ({ tx }) => {
        const issued = await documents.insertStatementDocuments(tx, statement_month, since, CHUNK);
        const payloads = issued.map(({ document_id }) => ({ tenant_id, document_id }));
        await enqueueAll(tx, renderDocumentJob, payloads);
        return issued.at(-1)?.loan_id;
      });
    }
  },
});

/**
 * Bills lines of credit whose cycle ended on the previous day, in the transaction that rolls the business
 * date, so that no payment can come in between. The statement counts for the month of that day. A line with
 * a relief still to be ended is billed by `billAfterRelief`.
 */
export async function billEndedCycles(work: Work) {
  const month = monthStart(addDays(work.today, -1));
  const sender = await loadStatementSender(work);
  const among = statements.withoutEndedRelief(work.today);
  await statements.billStatements((steps) => steps(work.tx), month, sender, 'cycle', among);
  await enqueueStatements(work, month);
}

/**
 * Bills loans in the transaction that ended their reliefs: for the month, if it ended, and for an ended
 * cycle.
 */
export async function billAfterRelief(
  work: Work,
  ids: readonly string[],
  unbilledMonth: string | null,
) {
  const [sender, among] = [await loadStatementSender(work), statements.loansWithIds(ids)];
  const bill = (month: string, selection: 'cycle' | 'month_after_relief') =>
    statements.billStatements((steps) => steps(work.tx), month, sender, selection, among);
  if (unbilledMonth !== null) await bill(unbilledMonth, 'month_after_relief');
  const month = monthStart(addDays(work.today, -1));
  await bill(month, 'cycle');
  await enqueueStatements(work, month);
}

export const enqueueStatements = ({ tx, tenant_id }: Work, statement_month: string) =>
  enqueue(tx, issueStatements, { tenant_id, statement_month });

/** The sender and the language function for a month's statements. */
export const loadStatementSender = async (work: Work) => ({
  letter: await loadSender(work),
  loan_values: LOAN_VALUES,
  languageFor: (wanted: string) => documentLanguage('monthly_statement', wanted),
});

/**
 * Bills a loan before an event changes it, if the ended month is not billed yet. Its statement therefore
 * shows the balance at the beginning of the day.
 */
export const billBeforeEvent = batchByTransaction(
  async (_tx: Transaction, due: readonly { work: Work; id: string; month: string }[]) => {
    for (const [month, alike] of Map.groupBy(due, (one) => one.month)) {
      const ids = alike.map(({ id }) => id);
      for (const { work } of alike.slice(0, 1))
        await billMonth(work, month, statements.loansWithIds(ids));
    }
    return due.map(() => undefined);
  },
);

/** Bills a month within the given transaction. */
export async function billMonth(
  work: Work,
  month: string,
  among?: Parameters<typeof statements.billStatements>[4],
) {
  const sender = await loadStatementSender(work);
  await statements.billStatements((steps) => steps(work.tx), month, sender, 'month', among);
}
