import { queueStatus } from '../../sql/queue/queue.ts';
import { holdPools, heldPools, releasePools } from '../backups/hold-pools.ts';
import { CAUSE_OPTIONS, CAUSE_USAGE, parseCause } from './cause.ts';
import { UsageError, type Operation } from './operation.ts';

type Owner = Parameters<Operation['run']>[0]['owner'];

export const manageRestoredCopy: Operation = {
  name: 'restored',
  usage: `look | hold ${CAUSE_USAGE} | release ${CAUSE_USAGE}`,
  summary: 'Shows the jobs of a restored copy, holds them, or releases them',
  words: 1,
  options: CAUSE_OPTIONS,
  run: async ({ owner, words: [what], options }) => {
    if (what === 'look') return describeCopy(owner);
    if (what === 'hold') {
      await holdPools(owner, parseCause(options));
      return describeCopy(owner);
    }
    if (what !== 'release') throw new UsageError('Use look, hold or release.');
    const waiting = await jobsByKind(owner);
    const pools = await releasePools(owner, parseCause(options));
    const rows = pools.map((pool) => ({ pool, is_released: true }));
    if (pools.length === 0) return { say: 'Nothing is held as a restored copy.', rows, code: 1 };
    const jobs = waiting.reduce((sum, { jobs: count }) => sum + count, 0);
    return { say: `${pools.join(', ')} are released. ${jobs} waiting jobs run now.`, rows };
  },
};

/** Jobs that were running when the copy was made run again. */
const jobsByKind = async (owner: Owner) =>
  (await queueStatus(owner))
    .map(({ task, ready, scheduled, running }) => ({
      kind: task,
      jobs: Number(ready) + Number(scheduled) + Number(running),
      was_running: Number(running),
    }))
    .filter(({ jobs }) => jobs > 0);

async function describeCopy(owner: Owner) {
  const held = await heldPools(owner);
  const rows = await jobsByKind(owner);
  const state =
    held.length === 0
      ? 'Nothing is held as a restored copy.'
      : `${POOLS_HELD_NOTICE} ${held.join(', ')}.`;
  const width = Math.max(...rows.map(({ kind }) => kind.length), 0);
  const lines = rows.map(
    ({ kind, jobs, was_running }) =>
      `  ${kind.padEnd(width)}  ${jobs}${was_running > 0 ? ` (${was_running} were running when the copy was made)` : ''}`,
  );
  const waiting =
    rows.length === 0
      ? 'No jobs are waiting.'
      : `Jobs that would run, by kind:\n${lines.join('\n')}\n${NEXT_STEPS}`;
  return {
    say: `${state}\n${waiting}`,
    rows: rows.map((row) => ({ ...row, is_held: held.length > 0 })),
  };
}

const POOLS_HELD_NOTICE = 'This is a restored copy. No jobs start in the pools';
const NEXT_STEPS =
  'The original may have done these jobs. To discard the jobs of a kind: npm run ops -- change-jobs cancel all ' +
  '--kind KIND --reason TEXT (for jobs of later days, also use --state scheduled)\nTo run the remaining jobs, once each: npm run ops -- restored release --reason TEXT';
