import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { enqueue } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { emit } from '../../jobs/webhooks/emit.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { eventually, newWorkerStage, numbered } from './stage.ts';

const REQUEST = 'request-of-test';
const lines: Record<string, unknown>[] = [];
const log = openLog('warn', {}, { write: (line) => void lines.push(JSON.parse(line)) });
const ran: number[] = [];
const Named = z.object({ request_id: z.string().nullable() });
const TOLD = {
  loan_id: null,
  document_id: '00000000-0000-4000-8000-000000000001',
  document_type: 'title',
  filename: 'a.pdf',
};

const second = numbered(
  'second',
  ({ number }) => {
    ran.push(number);
    return Promise.reject(new Error('It is broken.'));
  },
  2,
);
const first: typeof second = {
  ...numbered('first', async () => {}),
  run: ({ tenant_id, number }, { within }) =>
    within(tenant_id, async (work) => {
      await emit(work, 'document.generated', TOLD);
      await enqueue(work.tx, second, { tenant_id, number });
    }),
};

let stage: Awaited<ReturnType<typeof newWorkerStage>>;
beforeAll(async () => {
  stage = await newWorkerStage();
});
afterAll(() => stage.end());

test('a request can be traced in its events, its jobs and their log', async () => {
  await stage.work([first, second], { log });
  const pool = await openPool(stage.url, { size: 1 });
  const officer = createWithin(pool, { ...SYSTEM, request_id: REQUEST });

  await officer(stage.tenantId, ({ tx }) =>
    enqueue(tx, first, { tenant_id: stage.tenantId, number: 7 }),
  );
  await eventually(() => lines.some(({ msg }) => msg === 'a job failed'), true);
  const [event] = await officer(stage.tenantId, ({ tx }) =>
    tx.any(sql.type(Named)`select request_id from events`),
  );
  await pool.end();

  expect(ran).toEqual([7]);
  expect(event).toEqual({ request_id: REQUEST });
  const failure = lines.find(({ msg }) => msg === 'a job failed');
  expect(failure).toMatchObject({ task: 'second', request_id: REQUEST });
});
