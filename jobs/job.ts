import type { z } from 'zod';
import type { Transaction } from '../sql/database/db.ts';
import { addJob, addJobs } from '../sql/queue/queue.ts';
import type { ExternalServices } from './external-systems.ts';
import type { Work } from './work.ts';

/** Pools are processes: each has its own concurrency and only documents has a browser. */
export const POOLS = ['ledger', 'documents', 'outbound'] as const;
export type Pool = (typeof POOLS)[number];

/** What keeps data from a reader who should not have it. */
export type Control =
  | 'tenancy'
  | 'role'
  | 'field denials'
  | 'redaction'
  | 'approvals'
  | 'step-up'
  | 'contact rules'
  | 'sealing';

/** A way in which data leaves the platform: to whom, and what each control does about it. */
export type DataEgress = {
  to: string;
  controls: Partial<Record<Control, string>> | 'nothing leaves';
};

/** A payload is ids and dates, never amounts or personal data, which may have changed by then. */
export type Job<Payload = never> = {
  name: string;
  pool: Pool;
  payload: z.ZodType<Payload>;
  /** Where it sends data. Every job of the outbound pool has one. */
  door?: DataEgress;
  /** How often the queue tries, crashes included; never 1, because a kill spends an attempt. */
  attempts: number;
  /** Two jobs with the same key are one. */
  key?: (payload: Payload) => string;
  run: (payload: Payload, outside: ExternalServices) => Promise<void>;
  /**
   * Tells the record that waits for this job that it has failed for good, with a reason for people.
   * It may be told twice; run again after that, the job does its work and clears what was told.
   */
  failed?: (work: Work, payload: Payload, reason: string) => Promise<unknown>;
};

export const job = <Payload>(declared: Job<Payload>): Job<Payload> => declared;

/** Enqueues in the caller's transaction: the job exists if, and only if, the work commits. */
export async function enqueue<Payload extends Record<string, unknown>>(
  tx: Transaction,
  { name, payload: schema, attempts, key }: Job<Payload>,
  payload: NoInfer<Payload>,
  runAt?: Date,
) {
  const checked = schema.parse(payload);
  await addJob(tx, { name, payload: checked, attempts, runAt, key: key?.(checked) });
}

/** Enqueues many of one kind with one statement. */
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
