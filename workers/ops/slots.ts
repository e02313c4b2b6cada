import { poolOfTask, poolOfWorker, isWorkerName } from '../../jobs/pools.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import * as platform from '../../sql/operations/platform.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { SLOTS_MAX } from '../queue/queue.ts';
import { CAUSE_OPTIONS, CAUSE_USAGE, parseCause } from './cause.ts';
import { UsageError, type Operation } from './operation.ts';
import { assertPool } from './pause.ts';

export const setSlots: Operation = {
  name: 'slots',
  usage: `[POOL NUMBER|own ${CAUSE_USAGE}]`,
  summary: 'how many jobs each process of a pool runs at a time; "own" is what it was started with',
  words: 2,
  options: CAUSE_OPTIONS,
  run: async ({ owner, words, options }) => {
    const [pool, wish = ''] = words;
    if (pool === undefined) {
      const rows = await operations.listPoolSlots(owner);
      return rows.length === 0 ? { say: 'Every pool has its own number.', rows } : { rows };
    }
    await assertPool(owner, pool);
    const number = wish === 'own' ? null : Number(wish);
    const isMeant =
      number === null || (/^\d{1,3}$/.test(wish) && number >= 1 && number <= SLOTS_MAX);
    if (!isMeant) {
      const stop = `None at all is a pause: npm run ops -- pause pool ${pool} --reason …`;
      throw new UsageError(`Slots are a number from 1 to ${SLOTS_MAX}, or own. ${stop}`);
    }
    await operations.setSlots(owner, pool, number, parseCause(options));
    const say =
      number === null
        ? `Each process of ${pool} goes back to its own number within seconds.`
        : `Each process of ${pool} runs ${number} at a time within seconds; more than that finish first.`;
    return { say, rows: [{ pool, slots: number }] };
  },
};

export const setSubPools: Operation = {
  name: 'sub-pools',
  usage: `[POOL:NAME KIND …|none ${CAUSE_USAGE}]`,
  summary: 'gives kinds of jobs processes of their own: npm run worker -- documents:letters',
  words: Infinity,
  options: CAUSE_OPTIONS,
  run: async ({ owner, words, options }) => {
    const [name, ...tasks] = words;
    if (name === undefined) {
      const rows = await operations.listSubPools(owner);
      return rows.length === 0 ? { say: 'No sub-pool is defined.', rows } : { rows };
    }
    if (!isWorkerName(name) || !name.includes(':')) {
      throw new UsageError(
        `"${name}" is not POOL:NAME in small letters, such as documents:letters.`,
      );
    }
    const wanted = tasks.join() === 'none' ? [] : [...new Set(tasks)];
    if (tasks.length === 0) throw new UsageError('Which kinds of jobs? Or none, which ends it.');
    assertOfPool(poolOfWorker(name), wanted);
    await operations.defineSubPool(owner, name, wanted, parseCause(options));
    const say =
      wanted.length === 0
        ? `${name} is no more; its processes run nothing, and may be stopped.`
        : `${name} runs ${wanted.join(', ')}. Start a process: npm run worker -- ${name}. ` +
          `Until one runs, ${poolOfWorker(name)} does its work as before.`;
    return { say, rows: [{ name, tasks: wanted }] };
  },
};

function assertOfPool(pool: string, tasks: readonly string[]) {
  const own = allJobs.filter((job) => job.pool === pool).map((job) => job.name);
  const [strange] = tasks.filter((task) => poolOfTask(task) !== pool);
  if (strange === undefined) return;
  throw new UsageError(`"${strange}" is no kind of job of ${pool}. It has: ${own.join(', ')}.`);
}

export const listChanges: Operation = {
  name: 'changes',
  usage: '[--limit NUMBER]',
  summary: 'what operations changed of the workers: who, what, when and why',
  options: ['limit'],
  run: async ({ owner, options }) => {
    const limit = Number(options['limit'] ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
      throw new UsageError('--limit takes a number from 1 to 10000.');
    }
    const rows = await platform.listChanges(owner, limit);
    return rows.length === 0 ? { say: 'Nobody has changed anything.', rows } : { rows };
  },
};
