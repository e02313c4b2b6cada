import type { z } from 'zod';
import type { Transaction } from '../sql/database/db.ts';
import { addJob, addJobs } from '../sql/queue/queue.ts';
import type { ExternalServices } from './external-systems.ts';
import type { Work } from './work.ts';

/** Each pool is a separate process with its own concurrency. Only `documents` runs a browser. */
export const POOLS = ['ledger', 'documents', 'outbound'] as const;
export type Pool = (typeof POOLS)[number];

/** A control that keeps data from unauthorized readers. */
export type Control =
  | 'tenancy'
  | 'role'
  | 'field denials'
  | 'redaction'
  | 'approvals'
  | 'step-up'
  | 'contact rules'
  | 'sealing';

/** A way in which data leaves the platform: the recipient, and how each control applies. */
export type DataEgress = {
  to: string;
  controls: Partial<Record<Control, string>> | 'nothing leaves';
};

/** Payloads contain ids and dates, never amounts or personal data, which may change before the job runs. */
export type Job<Payload = never> = {
  name: string;
  pool: Pool;
  payload: z.ZodType<Payload>;
  /** Where the job sends data. Required for every job of the outbound pool. */
  egress?: DataEgress;
  /** Maximum number of attempts, including crashes. Never 1, because a killed process uses an attempt. */
  attempts: number;
  /** How long a run may take, if longer than the deadline of the pool. */
  deadlineMs?: number;
  /** Jobs with the same key are deduplicated. */
  key?: (payload: Payload) => string;
  run: (payload: Payload, outside: ExternalServices) => Promise<void>;
  /**
   * Marks the dependent record as failed when the job exhausts its attempts. `reason` is a sentence for
   * users. May run twice. If the job succeeds later, the job itself must clear the mark.
   */
  failed?: (work: Work, payload: Payload, reason: string) => Promise<unknown>;
};

export const job = <Payload>(declared: Job<Payload>): Job<Payload> => declared;

/** Enqueues in the caller's transaction: the job exists if and only if the transaction commits. */
export async function enqueue<Payload extends Record<string, unknown>>(
  tx: Transaction,
  { name, payload: schema, attempts, key }: Job<Payload>,
  payload: NoInfer<Payload>,
  runAt?: Date,
) {
  const checked = schema.parse(payload);
  await addJob(tx, { name, payload: checked, attempts, runAt, key: key?.(checked) });
}

/** Enqueues many jobs of one kind with a single statement. */
export async function enqueueAll<Payload extends Record<string, unknown>>(
  tx: Transaction,
  { name, payload: schema, attempts, key }: Job<Payload>,
  payloads: NoInfer<Payload>[],
) {
  const jobs = payloads.map((payload) => {
    const checked = schema.parse(payload);
    return { payload: checked, key: key?.(checked) };
  });
  await addJobs(tx, name, attempts, jobs);
}
