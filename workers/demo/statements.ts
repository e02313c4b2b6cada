import { addMonths, monthStart } from '../../jobs/dates.ts';
import { renderDocumentJob } from '../../jobs/documents/render.job.ts';
import { enqueueAll } from '../../jobs/job.ts';
import {
  BEFORE_FIRST_LOAN,
  insertStatementDocuments,
} from '../../sql/documents/statement-documents.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { countIssuedStatements } from '../../sql/summary.ts';
import type { DemoOptions } from './options.ts';
import type { Platform } from './platform.ts';
import type { DemoTenant } from './demo-tenant.ts';

/**
 * Every month is billed for every active loan in any case. Where fewer PDFs are wanted, the job that
 * orders all of them is held back, and the wanted number is ordered here.
 */
export const holdStatements = ({ owner }: Platform, wanted: DemoOptions['statements']) =>
  wanted === 'all'
    ? Promise.resolve()
    : operations.pauseWork(
        owner,
        { task: 'issue-statements' },
        { who: 'demo', why: 'The demo was asked for fewer statements.' },
      );

/** Orders the wanted number after the close of a month's last day; a repeat orders no more. */
export async function orderStatements(
  { within }: Platform,
  { tenant_id }: DemoTenant,
  wanted: DemoOptions['statements'],
  morning: string,
) {
  if (typeof wanted !== 'number' || morning !== monthStart(morning)) return;
  const month = addMonths(morning, -1);
  await within(tenant_id, async ({ tx }) => {
    const missing = wanted - (await countIssuedStatements(tx, month));
    if (missing <= 0) return;
    const ordered = await insertStatementDocuments(tx, month, BEFORE_FIRST_LOAN, missing);
    const payloads = ordered.map(({ document_id }) => ({ tenant_id, document_id }));
    await enqueueAll(tx, renderDocumentJob, payloads);
  });
}
