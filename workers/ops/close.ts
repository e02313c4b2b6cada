import { setTimeout as pause } from 'node:timers/promises';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { assertClosable } from '../../jobs/business-day/plan-close.ts';
import { addDays, daysBetween, isDate } from '../../jobs/dates.ts';
import { Invalid } from '../../jobs/errors.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { listLatestRuns } from '../../sql/business-day/close-runs.ts';
import { startProgressBar } from '../processes/progress-bar.ts';
import { UsageError, type Operation } from './operation.ts';
import { findTenant } from './find-tenant.ts';

const POLL_MS = 100;
/** If no day is closed for this long, apparently no ledger worker is running. */
const STUCK_MS = 120_000;

/** Requests the close and waits until the workers have finished it, day by day. */
export const closeDays: Operation = {
  name: 'close',
  usage: '[--tenant SLUG] [--through YYYY-MM-DD]',
  summary: 'Closes the business date and the following days up to a date. Needs a ledger worker',
  options: ['tenant', 'through'],
  run: async ({ app, options, installation }) => {
    const { id, slug, business_date: first } = await findTenant(app, options['tenant']);
    const through = options['through'] ?? first;
    if (!isDate(through)) throw new UsageError('--through takes a date like 2026-01-31.');
    const within = createWithin(app, SYSTEM, installation);
    await within(id, async (work) => {
      await assertClosable(work, through);
      await startClose(work, through);
    }).catch((error: unknown) => {
      if (error instanceof Invalid) throw new UsageError(Object.values(error.errors).join(' '));
      throw error;
    });
    const days = daysBetween(first, through) + 1;
    const isDone = await waitFor(days, async () => {
      const today = await within(id, async (work) => work.today, { readOnly: true });
      return Math.min(days, daysBetween(first, today));
    });
    const rows = (await within(id, ({ tx }) => listLatestRuns(tx, days), { readOnly: true }))
      .filter((run) => run.status === 'finished' && run.cob_date >= first)
      .map(({ cob_date, loans, interest, quarantined, started_at, finished_at }) => ({
        tenant: slug,
        cob_date,
        loans,
        interest,
        quarantined,
        started_at,
        finished_at,
      }));
    if (isDone) return { rows };
    const next = addDays(first, rows.length);
    const say = `No day was closed for two minutes; ${next} is still open. Is a ledger worker running?`;
    return { say, rows, code: 1 };
  },
};

async function waitFor(days: number, closed: () => Promise<number>): Promise<boolean> {
  const bar = startProgressBar('Closing', days, process.stderr);
  let done = 0;
  for (let moved = Date.now(); done < days; await pause(POLL_MS)) {
    const now = await closed();
    if (now > done) moved = Date.now();
    done = now;
    bar.at(done, 'days');
    if (Date.now() - moved > STUCK_MS) break;
  }
  bar.end(`${done} of ${days} days`);
  return done >= days;
}
