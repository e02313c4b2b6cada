import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { Outside } from '../../jobs/outside.ts';
import type { AnyJob } from '../../jobs/queued.ts';
import { sentenceOf } from '../../jobs/say-error.ts';
import { inSpan, SpanKind } from '../../jobs/traces.ts';

export type TaskSettings = {
  outside: Outside;
  deadlineMs: number;
  /** Aborted when the worker must end now. */
  stopping: AbortSignal;
};

/**
 * What the queue is told of a failure. It keeps the message in its own table as it is, and shows it to
 * whoever operates the queue.
 */
export class JobFailed extends Error {
  constructor(cause: unknown, sentence = sentenceOf(cause)) {
    super(sentence, { cause });
  }
}

/** No repetition can cure it. */
export class PayloadRefused extends JobFailed {}

/** The queue's tasks of these jobs. */
export const tasksOf = (jobs: readonly AnyJob[], settings: TaskSettings): TaskList =>
  Object.fromEntries(
    jobs.map((job) => [job.name, (payload: unknown) => runOne(job, payload, settings)]),
  );

async function runOne(job: AnyJob, payload: unknown, settings: TaskSettings) {
  const run = prepare(job, withoutTick(payload));
  try {
    const request_id = requestOf(payload);
    const doing = { name: `job ${job.name}`, kind: SpanKind.CONSUMER, request_id };
    await inSpan(doing, () => withDeadline(run, settings, request_id));
  } catch (error) {
    throw new JobFailed(error);
  }
}

/** Made once: where it was made tells nobody anything, and to note that for each job takes time. */
const HAS_ENDED = new Error('The job has ended.');

/**
 * A job that passes its deadline fails, and can reach nothing outside from then on, so that its
 * repetition meets no ghost.
 */
async function withDeadline(
  run: (outside: Outside) => Promise<void>,
  settings: TaskSettings,
  requestId: string | null,
) {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, settings.stopping]);
  const timer = setTimeout(() => {
    ended.abort(new Error(`The job took longer than ${settings.deadlineMs / 1000} seconds.`));
  }, settings.deadlineMs);
  try {
    const given = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => given.reject(signal.reason), { once: true });
    if (signal.aborted) throw signal.reason;
    await Promise.race([run(until(signal, settings.outside, requestId)), given.promise]);
  } finally {
    clearTimeout(timer);
    ended.abort(HAS_ENDED);
  }
}

/** The one place where a job meets a payload: only what its own schema has parsed reaches it. */
function prepare({ payload: schema, run }: AnyJob, payload: unknown) {
  try {
    const parsed = schema.parse(payload) as never;
    return (outside: Outside) => run(parsed, outside);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const issues = error.issues.map(
      ({ path, message }) => `${path.join('.') || 'payload'}: ${message}`,
    );
    throw new PayloadRefused(error, `The payload is not what the job takes: ${issues.join('; ')}`);
  }
}

/** The request that a job was enqueued for, which stands next to the job's own payload. */
export function requestOf(payload: unknown): string | null {
  const { request_id = null } = (payload ?? {}) as { request_id?: unknown };
  return typeof request_id === 'string' ? request_id : null;
}

/** The clock adds its tick to the payload of what it starts; no job asks for it. */
function withoutTick(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('_cron' in payload)) return payload;
  const { _cron, ...rest } = payload;
  return rest;
}

/** The outside world of one run: closed when the run has ended, and on behalf of the request behind it. */
function until(signal: AbortSignal, outside: Outside, request_id: string | null): Outside {
  const guarded =
    <Words extends unknown[], Result>(reach: (...words: Words) => Promise<Result>) =>
    async (...words: Words): Promise<Result> => {
      signal.throwIfAborted();
      return await reach(...words);
    };
  return {
    ...outside,
    post: guarded((request) => outside.post(request)),
    read: guarded((url) => outside.read(url)),
    download: guarded((url, bytesMax) => outside.download(url, bytesMax)),
    identity: {
      describe: guarded((issuer) => outside.identity.describe(issuer)),
      claims: guarded((exchange) => outside.identity.claims(exchange)),
    },
    pdf: guarded((html, options) => outside.pdf(html, options)),
    mail: guarded((letter) => outside.mail(letter)),
    sms: guarded((message) => outside.sms(message)),
    within: async (tenantId, steps, mode) => {
      signal.throwIfAborted();
      return await outside.within(tenantId, steps, { ...mode, request_id });
    },
  };
}
