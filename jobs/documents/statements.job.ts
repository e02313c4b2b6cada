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

/** Statements that get their documents in one transaction. */
const CHUNK = 500;

/**
 * Gives each statement of a month its document, to be rendered by the documents pool. The figures
 * are frozen when the month is billed, so it does not matter when this runs, or how often.
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
 * Bills the lines whose cycle ended with the day before, in the transaction that moves the date; it counts
 * for the month of that day. They are few, and nobody can pay in between. A line whose relief is still to be ended
 * is billed with its end.
 */
export async function billEndedCycles(work: Work) {
  const month = monthStart(addDays(work.today, -1));
  const sender = await loadStatementSender(work);
  const among = statements.withoutEndedRelief(work.today);
  await statements.billStatements((steps) => steps(work.tx), month, sender, 'cycle', among);
  await enqueueStatements(work, month);
}

/**
 * Bills loans in the transaction that ended their reliefs, on the morning after: for the month, if it ended, and for
 * a cycle that ended.
 */
export async function billAfterRelief(
  work: Work,
  ids: readonly string[],
  unbilledMonth: string | null,
) {
  const [sender, among] = [await loadStatementSender(work), statements.loansWithIds(ids)];
  const bill = (month: string, whom: 'cycle' | 'month_after_relief') =>
    statements.billStatements((steps) => steps(work.tx), month, sender, whom, among);
  if (unbilledMonth !== null) await bill(unbilledMonth, 'month_after_relief');
  const month = monthStart(addDays(work.today, -1));
  await bill(month, 'cycle');
  await enqueueStatements(work, month);
}

export const enqueueStatements = ({ tx, tenant_id }: Work, statement_month: string) =>
  enqueue(tx, issueStatements, { tenant_id, statement_month });

/** Who sends a month's statements, and in which words. */
export const loadStatementSender = async (work: Work) => ({
  letter: await loadSender(work),
  loan_values: LOAN_VALUES,
  languageFor: (wanted: string) => documentLanguage('monthly_statement', wanted),
});

/**
 * Bills a loan before anything happens to it, if the month that ended is not billed for it yet: what it
 * owed at the beginning of the day is what its statement says, whenever its turn comes.
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

/** All in the transaction that it is given. */
export async function billMonth(
  work: Work,
  month: string,
  among?: Parameters<typeof statements.billStatements>[4],
) {
  const sender = await loadStatementSender(work);
  await statements.billStatements((steps) => steps(work.tx), month, sender, 'month', among);
}
