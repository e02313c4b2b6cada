import { redactPayload } from '../../jobs/operations/redact-payload.ts';
import * as seen from '../../sql/operations/jobs.ts';
import { listAllTenants } from '../../sql/queue/workers.ts';
import { CAUSE_OPTIONS, CAUSE_USAGE, parseCause } from './cause.ts';
import { UsageError, type Operation } from './operation.ts';

type OperationInput = Parameters<Operation['run']>[0];

const FILTERS = ['state', 'kind', 'tenant', 'older', 'cause'] as const;
const FILTERS_USAGE =
  '[--state waiting|scheduled|running|failed] [--kind KIND] [--tenant SLUG] [--older SECONDS] [--cause TEXT]';
const LIMIT = 50;
const COUNTED_MAX = 10_000;
/** The same limit as in the API. */
const JOBS_PER_CALL_MAX = 1_000;
const NUMBER = /^[1-9]\d{0,17}$/;

async function parseJobFilter({ owner, options }: OperationInput): Promise<seen.JobFilter> {
  const { state = 'waiting', kind, tenant, older, cause } = options;
  const known = seen.JOB_STATES.find((name) => name === state);
  if (!known) throw new UsageError(`--state is one of ${seen.JOB_STATES.join(', ')}.`);
  if (cause !== undefined && known !== 'failed')
    throw new UsageError('--cause only works with --state failed.');
  if (older !== undefined && known === 'scheduled')
    throw new UsageError('--older does not work with --state scheduled.');
  if (older !== undefined && !/^\d{1,8}$/.test(older))
    throw new UsageError('--older takes a number of seconds.');
  const all = tenant === undefined ? [] : await listAllTenants(owner);
  const found = all.find(({ slug }) => slug === tenant);
  if (tenant !== undefined && !found) throw new UsageError(`There is no tenant "${tenant}".`);
  const older_seconds = older === undefined ? undefined : Number(older);
  return { state: known, kind, tenant_id: found?.id, older_seconds, cause };
}

const jobRow = (job: seen.ListedJob) => ({
  ...job,
  number: Number(job.number),
  payload: JSON.stringify(redactPayload(job.payload)),
});

export const listJobs: Operation = {
  name: 'jobs',
  usage: `${FILTERS_USAGE} [--limit NUMBER]`,
  summary: 'Lists the jobs of one state, oldest first',
  options: [...FILTERS, 'limit'],
  run: async (given) => {
    const limit = Number(given.options['limit'] ?? LIMIT);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
      throw new UsageError('--limit takes a number from 1 to 10000.');
    }
    const rows = await seen.listJobs(given.owner, await parseJobFilter(given), {
      offset: 0,
      limit,
    });
    return rows.length === 0 ? { say: 'No job matches.', rows } : { rows: rows.map(jobRow) };
  },
};

export const showJob: Operation = {
  name: 'job',
  usage: 'NUMBER',
  summary: 'Shows a job with its payload and the errors of its attempts',
  words: 1,
  run: async ({ owner, words: [number = ''] }) => {
    const found = NUMBER.test(number) ? await seen.findJob(owner, number) : null;
    if (found === null) throw new UsageError('There is no such job. "jobs" lists the numbers.');
    const errors = await seen.listAttemptErrors(owner, number);
    const row = { ...jobRow(found), errors };
    return { say: JSON.stringify(row, null, 2), rows: [row] };
  },
};

export const listFailureCauses: Operation = {
  name: 'failures',
  usage: '',
  summary: 'Counts jobs that failed for good, by cause',
  run: async ({ owner }) => {
    const rows = await seen.listFailureGroups(owner);
    return rows.length === 0 ? { say: 'No job has failed for good.', rows } : { rows };
  },
};

export const changeJobs: Operation = {
  name: 'change-jobs',
  usage: `${seen.JOB_ACTIONS.join('|')} NUMBER …|all ${FILTERS_USAGE} [--at MOMENT] [--expected NUMBER] ${CAUSE_USAGE}`,
  summary: 'Changes these jobs, or all that match if --expected gives their number',
  words: Infinity,
  options: [...FILTERS, ...CAUSE_OPTIONS, 'at', 'expected'],
  run: async (given) => {
    const { owner, words, options } = given;
    const [wanted, ...numbers] = words;
    const action = seen.JOB_ACTIONS.find((name) => name === wanted);
    if (!action) throw new UsageError(`Use one of: ${seen.JOB_ACTIONS.join(', ')}.`);
    const at = parseMoment(action, options['at']);
    const isAll = numbers.join() === 'all';
    if (!isAll && (numbers.length === 0 || !numbers.every((number) => NUMBER.test(number)))) {
      throw new UsageError('Give the numbers that "jobs" shows, or all.');
    }
    const match = await parseJobFilter(given);
    const total = isAll ? await seen.countJobs(owner, match, COUNTED_MAX) : numbers.length;
    if (isAll && options['expected'] !== String(total)) {
      const say = `${total} jobs match. Nothing was changed. To change them, add --expected ${total}`;
      return { say, rows: [{ action, matching: total, changed: 0 }], code: 1 };
    }
    const page = { offset: 0, limit: JOBS_PER_CALL_MAX };
    const chosen = isAll
      ? (await seen.listJobs(owner, match, page)).map(({ number }) => number)
      : numbers;
    const changed = await seen.changeJobs(
      owner,
      { action, numbers: chosen, at },
      parseCause(options),
    );
    const left = Math.max(0, total - chosen.length);
    return {
      say: `${action}: ${changed} of ${total} changed.${left > 0 ? ` ${left} are left. Repeat the command.` : ''}`,
      rows: [{ action, matching: total, changed, left }],
      code: changed === total ? 0 : 1,
    };
  },
};

function parseMoment(action: seen.JobAction, given: string | undefined): string | undefined {
  if ((action === 'reschedule') !== (given !== undefined)) {
    throw new UsageError('Use --at MOMENT with reschedule, and only there.');
  }
  if (given === undefined) return undefined;
  const moment = Date.parse(given);
  if (Number.isNaN(moment)) throw new UsageError('--at takes a moment such as 2026-01-31T09:30Z.');
  return new Date(moment).toISOString();
}
