import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { ExternalServices, PostResponse, SendResult } from '../../jobs/external-systems.ts';
import type { AnyJob } from '../../jobs/all-jobs.ts';
import { summarizeError, stripQuotedValues } from '../../jobs/monitoring/serialize-error.ts';
import { inSpan, SpanKind } from '../../jobs/monitoring/traces.ts';

export type TaskSettings = {
  outside: ExternalServices;
  deadlineMs: number;
  /** Aborted when the worker must stop running jobs. */
  stopping: AbortSignal;
  /** Called for each mail, text, file or request that its receiver did not accept. */
  onRefusal: (refusal: Refusal) => void;
};

/** A receiver did not accept what a job sent. The job has recorded this as its result. */
export type Refusal = {
  job_id: string;
  task: string;
  request_id: string | null;
  means: 'mail' | 'sms' | 'post' | 'upload';
  /** The receiver's code, such as 550 or ECONNREFUSED, or an HTTP status. */
  code: string;
  /** The receiver's message, without parts that may quote an address or a message. */
  words: string;
};

/** The error that the queue stores. Operators see its message, so it must not contain personal data. */
export class JobFailed extends Error {
  constructor(cause: unknown, sentence = summarizeError(cause)) {
    super(sentence, { cause });
  }
}

/** The payload is invalid, so a retry cannot succeed. */
export class PayloadRefused extends JobFailed {}

export const buildTaskList = (jobs: readonly AnyJob[], settings: TaskSettings): TaskList =>
  Object.fromEntries(
    jobs.map((job) => [
      job.name,
      (payload: unknown, helpers) => runJob(job, payload, helpers.job.id, settings),
    ]),
  );

async function runJob(job: AnyJob, payload: unknown, id: string, settings: TaskSettings) {
  const run = prepare(job, payload);
  try {
    const request_id = requestIdOf(payload);
    const span = { name: `job ${job.name}`, kind: SpanKind.CONSUMER, request_id };
    const reportingSettings = {
      ...settings,
      deadlineMs: Math.max(settings.deadlineMs, job.deadlineMs ?? 0),
      outside: reportingRefusals(settings, { job_id: id, task: job.name, request_id }),
    };
    await inSpan(span, () => withDeadline(run, reportingSettings, request_id));
  } catch (error) {
    throw new JobFailed(error);
  }
}

/** Created once, because its stack trace is useless and creating one for each job takes time. */
const JOB_ENDED = new Error('The job has ended.');

/**
 * Fails a job that exceeds its deadline. From then on the job can use no external service, so it cannot
 * interfere with its own retry.
 */
async function withDeadline(
  run: (outside: ExternalServices) => Promise<void>,
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
    await Promise.race([run(revokeOnAbort(signal, settings.outside, requestId)), given.promise]);
  } finally {
    clearTimeout(timer);
    ended.abort(JOB_ENDED);
  }
}

/** Reports refusals by receivers. The job gets every answer unchanged. */
function reportingRefusals(
  { outside, onRefusal }: TaskSettings,
  sentBy: Pick<Refusal, 'job_id' | 'task' | 'request_id'>,
): ExternalServices {
  const report = (means: Refusal['means'], code: string, message: string) =>
    onRefusal({ ...sentBy, means, code, words: stripQuotedValues(message) });
  const sending =
    <Sent>(means: Refusal['means'], send: (sent: Sent) => Promise<SendResult>) =>
    async (sent: Sent) => {
      const answer = await send(sent);
      if (!answer.ok) report(means, answer.error_code, answer.error_message);
      return answer;
    };
  return {
    ...outside,
    mail: sending('mail', (letter) => outside.mail(letter)),
    sms: sending('sms', (message) => outside.sms(message)),
    upload: sending('upload', (file) => outside.upload(file)),
    post: async (request): Promise<PostResponse> => {
      const answer = await outside.post(request);
      if (!answer.ok) report('post', String(answer.status ?? 'no_answer'), answer.error ?? '');
      return answer;
    },
  };
}

/** Parses the payload with the job's schema. Jobs receive payloads from here only. */
function prepare({ payload: schema, run }: AnyJob, payload: unknown) {
  try {
    const parsed = schema.parse(payload) as never;
    return (outside: ExternalServices) => run(parsed, outside);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const issues = error.issues.map(
      ({ path, message }) => `${path.join('.') || 'payload'}: ${message}`,
    );
    throw new PayloadRefused(error, `The payload is not what the job takes: ${issues.join('; ')}`);
  }
}

/**
 * Returns the id of the request that enqueued the job. The queue stores it next to the job's own payload.
 */
export function requestIdOf(payload: unknown): string | null {
  const { request_id = null } = (payload ?? {}) as { request_id?: unknown };
  return typeof request_id === 'string' ? request_id : null;
}

/**
 * The external services of one run. They refuse calls after the run has ended, and carry the request's id.
 */
function revokeOnAbort(
  signal: AbortSignal,
  outside: ExternalServices,
  request_id: string | null,
): ExternalServices {
  const guarded =
    <Words extends unknown[], Result>(call: (...args: Words) => Promise<Result>) =>
    async (...args: Words): Promise<Result> => {
      signal.throwIfAborted();
      return await call(...args);
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
    upload: guarded((file) => outside.upload(file)),
    within: async (tenantId, steps, mode) => {
      signal.throwIfAborted();
      return await outside.within(tenantId, steps, { ...mode, request_id });
    },
  };
}
