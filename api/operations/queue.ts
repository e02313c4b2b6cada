import { z } from 'zod';
import { Conflict, Invalid, NotFound } from '../../jobs/errors.ts';
import { redactPayload } from '../../jobs/operations/redact-payload.ts';
import * as seen from '../../sql/operations/jobs.ts';
import { requiredFreeText, timestamp, uuid } from '../../sql/types.ts';
import { endpoint } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { causeOf, isOperator, jobKind } from './operator.ts';

const PAGE = 50;
const OFFSET_MAX = 10_000;
/** Maximum for counts, and for jobs changed by one request. */
const JOBS_PER_REQUEST_MAX = 1_000;
const COUNTED_MAX = 10_000;
const NUMBER = /^[1-9]\d{0,17}$/;
const jobNumber = z
  .string()
  .regex(NUMBER, 'Must be a job number.')
  .meta({ examples: ['1042'], description: 'The number of the job.' });
const YEAR_SECONDS = 366 * 86_400;

const Match = z.object({
  state: z
    .enum(seen.JOB_STATES)
    .default('waiting')
    .describe(
      'The state of the jobs. `waiting`: due, but not started. `scheduled`: due later. `failed`: without attempts left.',
    ),
  kind: jobKind.optional(),
  tenant_id: uuid.optional().describe('Operators only. A superadmin sees only their own tenant.'),
  cause: z
    .string()
    .max(300)
    .regex(/^\D*$/, 'Use # in place of numbers.')
    .optional()
    .describe('For failed jobs: the cause as listed by /operations/failures.'),
});
const older_seconds = z.int().min(0).max(YEAR_SECONDS);
const OLDER = 'Only jobs that have been in this state for at least so many seconds.';
type Match = z.output<typeof Match> & { older_seconds?: number | undefined };

const Query = Match.extend({
  older_seconds: z.coerce.number().pipe(older_seconds).optional().describe(OLDER),
  offset: z.coerce
    .number()
    .pipe(z.int().min(0).max(OFFSET_MAX))
    .default(0)
    .describe('How many jobs to skip, for the next page.'),
});

const JobView = z.object({
  number: z.string().describe('The number of the job.'),
  state: z
    .enum(seen.JOB_STATES)
    .describe('Whether the job waits, is planned for later, runs or has failed.'),
  kind: z.string().describe('The kind of job.'),
  tenant_id: z
    .string()
    .nullable()
    .describe('The tenant of the job. Null for jobs of the platform.'),
  payload: z
    .record(z.string(), z.string())
    .describe('Shows ids and dates only. Other values appear as …'),
  attempts: z.int().describe('How often the job was tried.'),
  max_attempts: z.int().describe('How often the job is tried before it has failed.'),
  run_at: timestamp.nullable().describe('When the job is due. Null if it has failed.'),
  since: timestamp.describe('Since when the job has been due, running or failed.'),
  error: z.string().nullable().describe('The error of the last attempt. Null if there was none.'),
});

const jobReply = (job: seen.ListedJob, state: Match['state']) => ({
  ...job,
  state,
  tenant_id: job.tenant_id || null,
  payload: redactPayload(job.payload),
});

const routeDefaults = {
  tag: 'operations',
  resource: 'operations/jobs',
  allow: 'superadmin',
} as const;

const searchJobs = endpoint({
  ...routeDefaults,
  action: 'list',
  method: 'GET',
  transaction: 'read',
  summary: 'List jobs in one state, oldest first, 50 per page',
  description:
    'Shows your own jobs; operators see those of all tenants. Payloads show only ids and dates.',
  path: '/operations/jobs',
  query: Query,
  status: 200,
  reply: z.object({
    total: z.int().describe(`Counts up to ${COUNTED_MAX}; this value means that many or more.`),
    rows: JobView.meta({ id: 'SeenJob' }).array().describe('The jobs of the page.'),
  }),
  run: async (call: Call) => {
    await isOperator(call);
    const { offset, ...match } = call.query as z.output<typeof Query>;
    assertFiltersFitState(match);
    const { tx } = call.work;
    const rows = await seen.listJobs(tx, match, { offset, limit: PAGE });
    const total =
      rows.length < PAGE && (rows.length > 0 || offset === 0)
        ? offset + rows.length
        : await seen.countJobs(tx, match, COUNTED_MAX);
    return { total, rows: rows.map((job) => jobReply(job, match.state)) };
  },
});

const showJob = endpoint({
  ...routeDefaults,
  action: 'show',
  method: 'GET',
  transaction: 'read',
  summary: 'Get a job with the error of each attempt',
  description: 'Errors are kept for 14 days.',
  path: '/operations/jobs/{number}',
  params: { number: jobNumber },
  status: 200,
  reply: JobView.extend({
    errors: z
      .object({
        attempt: z.int().describe('The number of the attempt, from 1.'),
        error: z.string().describe('The error in words.'),
        failed_at: timestamp.describe('When the attempt failed.'),
      })
      .array()
      .describe('The error of each failed attempt.'),
  }).meta({ id: 'SeenJobWithErrors' }),
  run: async (call: Call) => {
    await isOperator(call);
    const number = call.params['number'] ?? '';
    const job = NUMBER.test(number) ? await seen.findJob(call.work.tx, number) : null;
    if (job === null) throw new NotFound();
    return {
      ...jobReply(job, job.state),
      errors: await seen.listAttemptErrors(call.work.tx, number),
    };
  },
});

/**
 * Strict, because a misspelled field would be ignored and the request would match more jobs than intended.
 */
const Matching = z.strictObject({
  ...Match.shape,
  older_seconds: older_seconds.optional().describe(OLDER),
});
const Change = z.object({
  action: z
    .enum(seen.JOB_ACTIONS)
    .describe(
      'What happens to the jobs. Failed jobs can be retried or discarded; others can be run now, rescheduled or canceled.',
    ),
  reason: requiredFreeText.describe('The reason, which is stored.'),
  jobs: jobNumber
    .array()
    .min(1)
    .max(JOBS_PER_REQUEST_MAX)
    .nullish()
    .describe('The numbers of the jobs.'),
  matching: Matching.nullish().describe(
    `Use instead of jobs: selects the oldest ${JOBS_PER_REQUEST_MAX} that match.`,
  ),
  run_at: timestamp.nullish().describe('The new time, for reschedule.'),
  expected: z
    .int()
    .min(0)
    .nullish()
    .describe('The number of matching jobs that you saw. The request fails if it has changed.'),
});
type Change = z.output<typeof Change>;

/** These actions apply to failed jobs. */
const FAILED_JOB_ACTIONS: readonly string[] = ['retry', 'discard'];

const changeJobsRoute = endpoint({
  ...routeDefaults,
  action: 'change',
  method: 'POST',
  transaction: 'write',
  summary: 'Retry, run now, reschedule, cancel or discard jobs',
  description:
    'Changes single jobs, or the oldest 1,000 that match. Running jobs are not changed. The reason is recorded with the change.',
  conflicts: () => [otherCount({ expected: 12, matching: 14 })],
  path: '/operations/jobs/change',
  status: 200,
  body: Change,
  reply: z.object({
    changed: z.int().describe('How many jobs were changed.'),
    left: z.int().describe('Matching jobs that remain for another call.'),
  }),
  run: async (call: Call) => {
    await isOperator(call);
    const body = call.body as Change;
    assertConsistentChange(body);
    const { tx } = call.work;
    const { action, reason, matching } = body;
    const total = matching ? await seen.countJobs(tx, matching, COUNTED_MAX) : null;
    if (total !== null && body.expected != null && body.expected !== total) {
      const details = { expected: body.expected, matching: total };
      throw otherCount(details);
    }
    const numbers = matching
      ? (await seen.listJobs(tx, matching, { offset: 0, limit: JOBS_PER_REQUEST_MAX })).map(
          ({ number }) => number,
        )
      : (body.jobs ?? []);
    const at = body.run_at ?? undefined;
    const changed = await seen.changeJobs(tx, { action, numbers, at }, causeOf(call, reason));
    return { changed, left: total === null ? 0 : Math.max(0, total - numbers.length) };
  },
});

/** Throws for a criterion that the state does not have. Ignoring it would match more jobs than intended. */
function assertFiltersFitState({ state, cause, older_seconds }: Match) {
  if (cause !== undefined && state !== 'failed')
    throw new Invalid({ cause: 'Only failed jobs have a cause. Remove this filter.' });
  if (older_seconds !== undefined && state === 'scheduled')
    throw new Invalid({ older_seconds: 'Scheduled jobs are not due yet. Remove this filter.' });
}

function assertConsistentChange({ action, jobs, matching, run_at }: Change) {
  if (!jobs === !matching) throw new Invalid({ jobs: 'Give either jobs or matching, not both.' });
  if ((action === 'reschedule') !== Boolean(run_at)) {
    throw new Invalid({ run_at: 'Required for reschedule, and only allowed there.' });
  }
  if (matching) assertFiltersFitState(matching);
  const isOfFailed = FAILED_JOB_ACTIONS.includes(action);
  if (matching && (matching.state === 'failed') !== isOfFailed) {
    const say = isOfFailed
      ? 'Only failed jobs can be retried or discarded.'
      : 'Failed jobs need the action retry or discard.';
    throw new Invalid({ matching: say });
  }
}

export const jobQueueRoutes: readonly Route[] = [searchJobs, showJob, changeJobsRoute];

const otherCount = (details: { expected: number; matching: number }) =>
  new Conflict(
    `The number of matching jobs changed to ${details.matching}. Check the list and repeat the request.`,
    'other_count',
    details,
  );
