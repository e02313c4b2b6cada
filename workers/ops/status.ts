import { status as queueStatus } from '../../sql/queue.ts';
import type { Operation } from './operation.ts';

export const status: Operation = {
  name: 'status',
  usage: '',
  summary: 'the queue, by kind of job: waiting, scheduled, running, failed',
  run: async ({ owner }) => {
    const rows = await queueStatus(owner);
    return rows.length === 0 ? { say: 'The queue is empty.', rows } : { rows };
  },
};
