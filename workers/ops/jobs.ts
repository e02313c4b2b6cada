import { redacted } from '../../jobs/operations/payload.ts';
import * as seen from '../../sql/operations/jobs.ts';
import { tenants } from '../../sql/queue/workers.ts';
import { CAUSE, CAUSE_USAGE, causeOf } from './cause.ts';
import { Misused, type Operation } from './operation.ts';

type Given = Parameters<Operation['run']>[0];

const FILTERS = ['state', 'kind', 'tenant', 'older', 'cause'] as const;
const FILTERS_USAGE =
  '[--state waiting|scheduled|running|failed] [--kind KIND] [--tenant SLUG] [--older SECONDS] [--cause TEXT]';
const LIMIT = 50;
const COUNTED_MAX = 10_000;
/** As many at once as the API changes, too. */
const AT_ONCE = 1_000;
const NUMBER = /^[1-9]\d{0,17}$/;

async function matchOf({ owner, options }: Given): Promise<seen.Match> {
  const { state = 'waiting', kind, tenant, older, cause } = options;
  const known = seen.STATES.find((name) => name === state);
  if (!known) throw new Misused(`--state is one of ${seen.STATES.join(', ')}.`);
  if (cause !== undefined && known !== 'failed')
    throw new Misused('--cause narrows failed jobs alone: say --state failed as well.');
  if (older !== undefined && known === 'scheduled')
    throw new Misused('--older does not narrow scheduled jobs.');
  if (older !== undefined && !/^\d{1,8}$/.test(older)) throw new Misused('--older takes seconds.');
  const all = tenant === undefined ? [] : await tenants(owner);
  const found = all.find(({ slug }) => slug === tenant);
  if (tenant !== undefined && !found) throw new Misused(`There is no tenant "${tenant}".`);
  const older_seconds = older === undefined ? undefined : Number(older);
  return { state: known, kind, tenant_id: found?.id, older_seconds, cause };
}

const shown = (job: seen.Seen) => ({
  ...job,
  number: Number(job.number),
  payload: JSON.stringify(redacted(job.payload)),
});

export const jobs: Operation = {
  name: 'jobs',
  usage: `${FILTERS_USAGE} [--limit NUMBER]`,
  summary: 'jobs of one state, the oldest first',
  options: [...FILTERS, 'limit'],
  run: async (given) => {
    const limit = Number(given.options['limit'] ?? LIMIT);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
      throw new Misused('--limit takes a number from 1 to 10000.');
    }
    const rows = await seen.jobs(given.owner, await matchOf(given), { offset: 0, limit });
    return rows.length === 0 ? { say: 'No job matches.', rows } : { rows: rows.map(shown) };
  },
};

export const job: Operation = {
  name: 'job',
  usage: 'NUMBER',
  summary: 'one job with its payload, and the errors of its attempts',
  words: 1,
  run: async ({ owner, words: [number = ''] }) => {
    const found = NUMBER.test(number) ? await seen.job(owner, number) : null;
    if (found === null) throw new Misused('There is no such job; "jobs" shows their numbers.');
    const errors = await seen.errors(owner, number);
    const row = { ...shown(found), errors };
    return { say: JSON.stringify(row, null, 2), rows: [row] };
  },
};

export const failures: Operation = {
  name: 'failures',
  usage: '',
  summary: 'jobs that failed for good, by cause',
  run: async ({ owner }) => {
    const rows = await seen.causes(owner);
    return rows.length === 0 ? { say: 'No job has failed for good.', rows } : { rows };
  },
};

export const changeJobs: Operation = {
  name: 'change-jobs',
  usage: `${seen.ACTIONS.join('|')} NUMBER …|all ${FILTERS_USAGE} [--at MOMENT] [--expected NUMBER] ${CAUSE_USAGE}`,
  summary: 'does it to these jobs, or to all that match once their number is given as --expected',
  words: Infinity,
  options: [...FILTERS, ...CAUSE, 'at', 'expected'],
  run: async (given) => {
    const { owner, words, options } = given;
    const [wanted, ...numbers] = words;
    const action = seen.ACTIONS.find((name) => name === wanted);
    if (!action) throw new Misused(`Say what to do: ${seen.ACTIONS.join(', ')}.`);
    const at = momentOf(action, options['at']);
    const isAll = numbers.join() === 'all';
    if (!isAll && (numbers.length === 0 || !numbers.every((number) => NUMBER.test(number)))) {
      throw new Misused('Give the numbers that "jobs" shows, or all.');
    }
    const match = await matchOf(given);
    const total = isAll ? await seen.count(owner, match, COUNTED_MAX) : numbers.length;
    if (isAll && options['expected'] !== String(total)) {
      const say = `${total} match; nothing is done. To do it: --expected ${total}`;
      return { say, rows: [{ action, matching: total, changed: 0 }], code: 1 };
    }
    const page = { offset: 0, limit: AT_ONCE };
    const chosen = isAll
      ? (await seen.jobs(owner, match, page)).map(({ number }) => number)
      : numbers;
    const changed = await seen.change(owner, { action, numbers: chosen, at }, causeOf(options));
    const left = Math.max(0, total - chosen.length);
    return {
      say: `${action}: done to ${changed} of ${total}.${left > 0 ? ` ${left} are left.` : ''}`,
      rows: [{ action, matching: total, changed, left }],
      code: changed === total ? 0 : 1,
    };
  },
};

function momentOf(action: seen.Action, given: string | undefined): string | undefined {
  if ((action === 'reschedule') !== (given !== undefined)) {
    throw new Misused('--at MOMENT belongs to reschedule, which needs it.');
  }
  if (given === undefined) return undefined;
  const moment = Date.parse(given);
  if (Number.isNaN(moment)) throw new Misused('--at takes a moment such as 2026-01-31T09:30Z.');
  return new Date(moment).toISOString();
}
