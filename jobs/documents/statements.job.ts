import { z } from 'zod';
import * as statements from '../../sql/documents/statements.ts';
import { date, uuid } from '../../sql/types.ts';
import { documentLanguage } from '../../templates/render-document.ts';
import { LOAN_VALUES } from '../../templates/variables.ts';
import { senderOf } from '../communications/told.ts';
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
    for (let issued = CHUNK; issued === CHUNK;) {
      issued = await outside.within(tenant_id, async ({ tx }) => {
        const ids = await statements.issue(tx, statement_month, CHUNK);
        const payloads = ids.map((document_id) => ({ tenant_id, document_id }));
        await enqueueAll(tx, renderDocumentJob, payloads);
        return ids.length;
      });
    }
  },
});

/**
 * Bills a month: what every active loan owes on the business date, which the close has just moved
 * to the first day after it. In the same transaction as that step, nobody can pay in between, so
 * the figures are the same however often a worker dies.
 */
export const billMonth = (work: Work, statement_month: string) =>
  bill(work, statement_month, 'month');

/** Bills the lines whose cycle ended with the day before, just so; it counts for the month of that day. */
export const billCycles = (work: Work) => bill(work, monthStart(addDays(work.today, -1)), 'cycle');

async function bill(work: Work, statement_month: string, whom: 'month' | 'cycle') {
  const { tx, tenant_id } = work;
  const sender = {
    letter: await senderOf(work),
    loan_values: LOAN_VALUES,
    languageFor: (wanted: string) => documentLanguage('monthly_statement', wanted),
  };
  await statements.bill(tx, statement_month, sender, whom);
  await enqueue(tx, issueStatements, { tenant_id, statement_month });
}
