import { register } from 'prom-client';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { job } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import type { SendResult } from '../../jobs/external-systems.ts';
import { listRunsToday } from '../../sql/queue/worker-operations.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { eventually, newWorkerStage } from './stage.ts';

const stage = await newWorkerStage();
afterAll(() => stage.end());

const refusal = (error_code: string): SendResult => ({
  ok: false,
  provider: 'test',
  temporary: true,
  error_code,
  error_message: 'Mailbox full for <ada@private.test>',
});
const anyone = { address: 'ada@private.test' };
const file = {
  host: 'x.test',
  port: 22,
  username: 'u',
  host_keys: [],
  folder: '',
  filename: 'f',
  partial_name: 'p',
  size: 1,
  content: () => Promise.reject(new Error()),
};
/** Each job sends by one means and stores the answer as its own result, as our jobs do. */
const jobs = (['mail', 'sms', 'post', 'upload', 'accepted'] as const).map((means) =>
  job({
    name: `try-${means}`,
    pool: 'ledger',
    payload: z.object({}),
    attempts: 3,
    run: async (_payload, outside) => {
      if (means === 'mail')
        await outside.mail({
          from: anyone,
          to: anyone,
          subject: '',
          html: '',
          message_id: '1',
        });
      if (means === 'sms')
        await outside.sms({
          from: '',
          to: '',
          body: '',
          message_id: '1',
        });
      if (means === 'post')
        await outside.post({
          url: 'https://x.test',
          body: new Uint8Array(),
          headers: {},
        });
      if (means === 'upload') await outside.upload(file);
    },
  }),
);

test('a refused delivery counts as a failure in figures, metrics and log, without its address', async () => {
  const lines: string[] = [];
  const log = openLog('warn', {}, { write: (line) => void lines.push(line) });
  const outside = {
    ...nothingOutside,
    mail: () => Promise.resolve(refusal('451')),
    sms: () => Promise.resolve(refusal('21610')),
    upload: () => Promise.resolve(refusal('ECONNREFUSED')),
    post: () => Promise.resolve({ ok: false, status: 503, ms: 1 }),
  };
  const worker = await stage.work(jobs, { outside, log });

  for (const { name } of jobs) await stage.enqueue(name, {});
  const figures = async () =>
    (await listRunsToday(stage.owner)).map(
      ({ task, runs, failures }) => `${task} ${failures}/${runs}`,
    );
  await eventually(async () => (await figures()).length, jobs.length, 30_000);
  await worker.stop();

  expect((await figures()).toSorted()).toEqual([
    'try-accepted 0/1',
    'try-mail 1/1',
    'try-post 1/1',
    'try-sms 1/1',
    'try-upload 1/1',
  ]);
  const metrics = await register.metrics();
  for (const means of ['mail', 'sms', 'post', 'upload'])
    expect(metrics).toContain(`sends_refused_total{task="try-${means}",means="${means}"} 1`);
  const logged = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ means }) => means !== undefined);
  expect(logged.map(({ means, code }) => `${means} ${code}`).toSorted()).toEqual([
    'mail 451',
    'post 503',
    'sms 21610',
    'upload ECONNREFUSED',
  ]);
  expect(logged.find(({ means }) => means === 'mail')).toMatchObject({
    reason: 'Mailbox full for',
  });
  expect(lines.join()).not.toContain('private');
});
