import { z } from 'zod';
import * as operations from '../../sql/queue/worker-operations.ts';
import { recordFailedJobs } from '../../sql/queue/workers.ts';
import { UsageError, type Operation } from './operation.ts';

const LIMIT = 100;

export const listFailedJobs: Operation = {
  name: 'failed',
  usage: '[--limit NUMBER]',
  summary: 'Lists jobs that failed for good and were not retried',
  options: ['limit'],
  run: async ({ owner, options }) => {
    await recordFailedJobs(owner);
    const limit = z.coerce
      .number()
      .int()
      .min(1)
      .max(10_000)
      .safeParse(options['limit'] ?? LIMIT);
    if (!limit.success) throw new UsageError('--limit takes a number from 1 to 10000.');
    const rows = await operations.listFailures(owner, limit.data);
    return rows.length === 0 ? { say: 'No job has failed for good.', rows } : { rows };
  },
};

export const retryFailedJobs: Operation = {
  name: 'retry',
  usage: 'ID … | all',
  summary: 'Runs failed jobs again, with a new set of attempts',
  words: Infinity,
  run: async ({ owner, words }) => {
    const ids =
      words[0] === 'all'
        ? (await operations.listFailures(owner, 10_000)).map(({ id }) => id)
        : words;
    if (words.length === 0 || !ids.every((id) => z.uuid().safeParse(id).success)) {
      throw new UsageError('Give the ids that "failed" shows, or all.');
    }
    const rows = [];
    for (const id of ids) rows.push({ id, retried: await operations.retryFailedJob(owner, id) });
    const retried = rows.filter((row) => row.retried).length;
    return {
      say: `${retried} of ${rows.length} run again.`,
      rows,
      code: retried === rows.length ? 0 : 1,
    };
  },
};
