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
  summary:
    'Sets how many jobs a process of the pool runs at a time; "own" restores the start value',
  words: 2,
  options: CAUSE_OPTIONS,
  run: async ({ owner, words, options }) => {
    const [pool, wantedSlots = ''] = words;
    if (pool === undefined) {
      const rows = await operations.listPoolSlots(owner);
      return rows.length === 0 ? { say: 'Every pool uses its start value.', rows } : { rows };
    }
    await assertPool(owner, pool);
    const number = wantedSlots === 'own' ? null : Number(wantedSlots);
    const isMeant =
      number === null || (/^\d{1,3}$/.test(wantedSlots) && number >= 1 && number <= SLOTS_MAX);
    if (!isMeant) {
      const stop = `To run no jobs, pause the pool: npm run ops -- pause pool ${pool} --reason …`;
      throw new UsageError(`Slots must be a number from 1 to ${SLOTS_MAX}, or own. ${stop}`);
    }
    await operations.setSlots(owner, pool, number, parseCause(options));
    const say =
      number === null
        ? `Each process of ${pool} returns to its start value within seconds.`
        : `Within seconds, each process of ${pool} runs at most ${number} jobs at a time. Running jobs finish first.`;
    return { say, rows: [{ pool, slots: number }] };
  },
};

export const setSubPools: Operation = {
  name: 'sub-pools',
  usage: `[POOL:NAME KIND …|none ${CAUSE_USAGE}]`,
  summary: 'Gives kinds of jobs their own processes: npm run worker -- documents:letters',
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
        `"${name}" is not a sub-pool name. Use POOL:NAME in lowercase letters, such as documents:letters.`,
      );
    }
    const wanted = tasks.join() === 'none' ? [] : [...new Set(tasks)];
    if (tasks.length === 0)
      throw new UsageError('Name the kinds of jobs, or none to remove the sub-pool.');
    assertOfPool(poolOfWorker(name), wanted);
    await operations.defineSubPool(owner, name, wanted, parseCause(options));
    const say =
      wanted.length === 0
        ? `${name} is removed. Its processes run no jobs; stop them.`
        : `${name} runs ${wanted.join(', ')}. Start a process: npm run worker -- ${name}. ` +
          `Until one runs, ${poolOfWorker(name)} runs these jobs itself.`;
    return { say, rows: [{ name, tasks: wanted }] };
  },
};

function assertOfPool(pool: string, tasks: readonly string[]) {
  const own = allJobs.filter((job) => job.pool === pool).map((job) => job.name);
  const [foreignTask] = tasks.filter((task) => poolOfTask(task) !== pool);
  if (foreignTask === undefined) return;
  throw new UsageError(`${pool} has no kind of job "${foreignTask}". It has: ${own.join(', ')}.`);
}

export const listChanges: Operation = {
  name: 'changes',
  usage: '[--limit NUMBER]',
  summary: 'Lists changes by operators: who, what, when and why',
  options: ['limit'],
  run: async ({ owner, options }) => {
    const limit = Number(options['limit'] ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
      throw new UsageError('--limit takes a number from 1 to 10000.');
    }
    const rows = await platform.listChanges(owner, limit);
    return rows.length === 0 ? { say: 'No operator has changed anything.', rows } : { rows };
  },
};
