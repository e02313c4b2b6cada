import { closeLoans, accrueChunk } from '../../jobs/business-day/close-loans.job.ts';
import { job } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { POOL_SETTINGS } from '../../workers/queue/pools.ts';
import { startWorker } from '../../workers/queue/worker.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';

/** Only the accrual step of the close, as its own job. The rest of the close waits. */
export const accrueOnly = job({
  name: 'accrue-only',
  pool: 'ledger',
  attempts: 2,
  payload: closeLoans.payload,
  run: async (payload, outside) => {
    await accrueChunk(outside, payload);
    process.send?.('accrued');
  },
});

const url = process.env['DATABASE_URL'];
if (process.send && url) {
  const pool = await openPool(url, { size: 8 });
  const outside = { ...nothingOutside, within: createWithin(pool, SYSTEM) };
  const fatal = (reason: unknown) => {
    throw reason;
  };
  const worker = await startWorker(
    {
      name: 'ledger',
      url,
      jobs: [accrueOnly],
      outside,
      onFatal: fatal,
      settings: POOL_SETTINGS.ledger,
      log: openLog('error', {}),
    },
    new AbortController().signal,
  );
  const end = () => process.exit();
  process.once('message', () => void worker.stop().then(end, end));
  process.on('disconnect', end);
  process.send('ready');
}
