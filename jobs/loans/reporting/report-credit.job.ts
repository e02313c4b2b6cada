import { z } from 'zod';
import * as facts from '../../../sql/loans/reporting/credit-facts.ts';
import * as records from '../../../sql/loans/reporting/credit-reporting.ts';
import { date, uuid } from '../../../sql/types.ts';
import { job } from '../../job.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { BUREAUS } from './bureaus.ts';
import { checkRecords, openFindingTasks } from './checks/check-records.ts';
import { askForFirstDelinquency } from './records/boarded-delinquency.ts';
import { deriveCreditRecord } from './records/credit-record.ts';

/** Loans per transaction. */
const CHUNK = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Writes and checks every loan's credit record for a closed month. It reads the snapshot of the month's last close of
 * business, so it writes the same records whenever it runs. Safe to repeat.
 */
export const reportCredit = job({
  name: 'report-credit',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid, reporting_period: date }),
  attempts: 10,
  key: ({ tenant_id, reporting_period }) => `report-credit:${tenant_id}:${reporting_period}`,

  async run({ tenant_id, reporting_period }, outside) {
    for (let after: string | null = FIRST; after !== null;) {
      const from: string = after;
      after = await outside.within(tenant_id, (work) => writeSome(work, reporting_period, from));
    }
    await outside.within(tenant_id, (work) => openFindingTasks(work, reporting_period));
  },
});

/**
 * Writes the records of the next loans. They are drafts until the tenant enables credit reporting; then
 * they are queued for a file. Returns the last loan's id, or null at the end.
 */
async function writeSome(work: Work, period: string, after: string): Promise<string | null> {
  const { tx } = work;
  const last = await facts.lastIdOfNextSlice(tx, after, CHUNK);
  if (last === null) return null;
  const { credit_reporting } = await settingsOf(tx);
  const named = BUREAUS.filter((bureau) => credit_reporting.program_ids[bureau]);
  const ready = credit_reporting.enabled ? 'queued' : 'draft';
  const found = await facts.listUnreported(tx, period, { after, last });
  const rows = found.map((facts) => {
    const record = deriveCreditRecord(facts);
    const status = record.suppression_reason === null ? ready : 'suppressed';
    return { ...record, bureaus: named, status };
  });
  if (rows.length > 0) await records.insertRecords(tx, rows);
  const unknown = rows.filter((row) => row.suppression_reason === 'first_delinquency_unknown');
  if (unknown.length > 0)
    await askForFirstDelinquency(
      work,
      unknown.map(({ loan_id }) => loan_id),
    );
  await checkRecords({ tx }, period, { after, last });
  return last;
}
