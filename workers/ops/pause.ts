import { POOLS } from '../../jobs/job.ts';
import { queued } from '../../jobs/queued.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { Misused, type Operation } from './operation.ts';

function named(words: readonly string[]): Omit<operations.Pause, 'reason'> {
  const [kind, name = ''] = words;
  if (kind !== 'pool' && kind !== 'task') throw new Misused('Say pool or task, and its name.');
  const known = kind === 'pool' ? [...POOLS] : queued.map((job) => job.name);
  if (!known.some((possible) => possible === name)) {
    throw new Misused(`There is no ${kind} "${name}". Known: ${known.join(', ')}.`);
  }
  return { kind, name };
}

export const pause: Operation = {
  name: 'pause',
  usage: 'pool|task NAME [--reason TEXT]',
  summary: 'keeps a pool, or one kind of job, from being fetched',
  words: 2,
  options: ['reason'],
  run: async ({ owner, words, options }) => {
    const which = named(words);
    await operations.pause(owner, { ...which, reason: options['reason'] ?? '' });
    return {
      say: `${which.kind} ${which.name} is paused: within seconds nothing more is fetched, what runs may finish.`,
      rows: [which],
    };
  },
};

export const resume: Operation = {
  name: 'resume',
  usage: 'pool|task NAME',
  summary: 'ends a pause',
  words: 2,
  run: async ({ owner, words }) => {
    const which = named(words);
    const wasPaused = await operations.resume(owner, which);
    const say = wasPaused ? 'goes on within seconds.' : 'was not paused.';
    return {
      say: `${which.kind} ${which.name} ${say}`,
      rows: [{ ...which, was_paused: wasPaused }],
    };
  },
};
