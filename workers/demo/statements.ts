import { addMonths, monthStart } from '../../jobs/dates.ts';
import { renderDocumentJob } from '../../jobs/documents/render.job.ts';
import { enqueueAll } from '../../jobs/job.ts';
import {
  BEFORE_FIRST_LOAN,
  insertStatementDocuments,
} from '../../sql/documents/statement-documents.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { countIssuedStatements } from '../../sql/operations/servicing-totals.ts';
import type { DemoOptions } from './options.ts';
import type { Platform } from './platform.ts';
import type { DemoTenant } from './demo-tenant.ts';

/**
 * The workers always bill every active loan every month. If fewer PDFs are wanted, this pauses the job that
 * orders all of them, and `orderStatements` orders the wanted number.
 */
export const holdStatements = ({ owner }: Platform, wanted: DemoOptions['statements']) =>
  wanted === 'all'
    ? Promise.resolve()
    : operations.pauseWork(
        owner,
        { task: 'issue-statements' },
        { who: 'demo', why: 'The demo was asked for fewer statements.' },
      );

/** Orders the wanted number of PDFs after a month's last day is closed. A repeat orders none. */
export async function orderStatements(
  { within }: Pick<Platform, 'within'>,
  { tenant_id }: Pick<DemoTenant, 'tenant_id'>,
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
