import { afterAll, expect, test } from 'vitest';
import { openLog } from '../../jobs/monitoring/log.ts';
import { sql } from '../../sql/database/db.ts';
import { ALL_CANARIES, CANARIES, newCanaryLog } from '../setup/canaries.ts';
import { eventually, newWorkerStage, numbered } from './stage.ts';

const ear = newCanaryLog();
const log = openLog('trace', { pool: 'ledger' }, ear.destination);
const stage = await newWorkerStage();
afterAll(() => stage.end());

/** Errors that libraries throw in jobs: with an address, a receiver's answer, or a refused row. */
const FAILURES = [
  () => {
    throw Object.assign(new Error(`Message failed: 550 <${CANARIES.email}> unknown`), {
      response: ALL_CANARIES,
      rejected: [CANARIES.email],
    });
  },
  () => {
    throw Object.assign(new Error('other side closed'), {
      code: 'UND_ERR_SOCKET',
      socket: { remoteAddress: CANARIES.secret },
      body: ALL_CANARIES,
      cause: new TypeError(`Invalid answer ${CANARIES.account_number}`),
    });
  },
  () => void JSON.parse(`{"ssn": ${CANARIES.ssn}}`),
  () => {
    throw CANARIES.password;
  },
];

const breaking = FAILURES.map((fail, index) => numbered(`break-${index}`, async () => fail(), 1));

test('the reason of a job’s failure is in the log, the queue and the failure list without its values', async () => {
  const worker = await stage.work(breaking, { log });
  for (const { name } of breaking) {
    await stage.enqueue(name, { tenant_id: stage.tenantId, number: 1 }, 1);
  }
  await stage.enqueue('break-0', { tenant_id: stage.tenantId, number: ALL_CANARIES }, 1);

  const failed = sql.fragment`select from app.failed_jobs`;
  expect(await eventually(() => stage.count(failed), FAILURES.length + 1)).toBe(5);
  await worker.stop();
  const kept = await stage.owner.any(sql.unsafe`
    select error from app.failed_jobs union all
    select error from app.job_errors union all
    select last_error from graphile_worker._private_jobs where last_error is not null
  `);
  ear.lines.push(...kept.map((row) => JSON.stringify(row)));

  // For each failure: the failure itself, the attempt, and the queue's message.
  expect(kept.length).toBe(3 * (FAILURES.length + 1));
  expect(JSON.stringify(kept)).toContain('other side closed (UND_ERR_SOCKET)');
  expect(ear.heard()).toEqual([]);
});
