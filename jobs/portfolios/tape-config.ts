import { z } from 'zod';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import { TAPE_COLUMNS } from '../../sql/portfolios/tape-columns.ts';
import * as tapes from '../../sql/portfolios/tapes.ts';
import type { Row } from '../../sql/table.ts';
import { emailAddress, uuid } from '../../sql/types.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { addDays, monthEnd } from '../dates.ts';
import { Invalid } from '../errors.ts';
import { LOAN_TYPES } from '../loans/arithmetic/terms.ts';
import { DELINQUENCY_BUCKETS } from '../loans/engine/delinquency.ts';
import { LOAN_STATUSES } from '../loans/history/statuses.ts';
import { hintAt, quote } from '../nearest-word.ts';
import type { Work } from '../work.ts';

export const SCHEDULES = ['none', 'daily', 'weekly', 'monthly', 'quarterly'] as const;
type Schedule = (typeof SCHEDULES)[number];

/** The columns in their order. The error message names an unknown column. */
export const Columns = z
  .array(
    z
      .string()
      .max(60)
      .refine((name) => TAPE_COLUMNS.some((known) => known === name), {
        error: ({ input }) =>
          `${quote(String(input))} is not a column of a tape.${hintAt(String(input), TAPE_COLUMNS)}`,
      }),
  )
  .min(1)
  .max(TAPE_COLUMNS.length)
  .refine((names) => new Set(names).size === names.length, 'Must not name a column twice.');

const anyOf = <One extends z.ZodType<string>>(value: One) =>
  z
    .union([value, z.array(value).min(1).max(100)])
    .transform((value): string[] => [value].flat() as string[]);

export const Filters = z.strictObject({
  status: anyOf(z.enum(LOAN_STATUSES))
    .optional()
    .describe('One loan status, or a list. Default: active and charged-off loans.'),
  delinquency_bucket: anyOf(z.enum(DELINQUENCY_BUCKETS))
    .optional()
    .describe('One bucket, or a list.'),
  investor_id: anyOf(uuid).optional().describe('One owner, or a list.'),
  program_id: anyOf(uuid).optional().describe('One program, or a list.'),
  product_id: anyOf(uuid).optional().describe('One product, or a list.'),
  loan_type: anyOf(z.enum(LOAN_TYPES)).optional().describe('One loan type, or a list.'),
});

/** The email addresses that receive the tape. */
export const Recipients = z
  .array(emailAddress)
  .max(20)
  .refine((names) => new Set(names).size === names.length, 'Must not name an address twice.');

type Input = Values & {
  delivery?: string | undefined;
  recipients?: readonly string[] | undefined;
  sftp_server_id?: string | null | undefined;
  schedule?: Schedule | undefined;
  filters?: z.output<typeof Filters> | undefined;
};
type NewConfig = Input & { columns: readonly string[]; schedule: Schedule };

export async function addTapeConfig(work: Work, input: NewConfig): Promise<string> {
  await check(work, input);
  await checkDelivery(work, null, input);
  const { schedule } = input;
  return insert(work.tx, 'loan_tape_configs', {
    ...input,
    next_run_at: nextRun(schedule, work.today),
  });
}

export async function changeTapeConfig(work: Work, id: string, changes: Input, row: Row) {
  await check(work, changes);
  await checkDelivery(work, id, { ...(row as Delivery), ...changes });
  const { schedule = row['schedule'] } = changes;
  const next_run_at =
    schedule === row['schedule'] ? undefined : nextRun(schedule as Schedule, work.today);
  await update(work.tx, 'loan_tape_configs', id, { ...changes, next_run_at });
}

async function check({ tx }: Work, { filters = {} }: Input) {
  const { program_id = [], product_id = [], investor_id = [] } = filters;
  const unknown = await portfolios.findMissingReference(tx, program_id, product_id, investor_id);
  if (unknown.program_id) throw new Invalid({ 'filters.program_id': 'Does not exist.' });
  if (unknown.product_id) throw new Invalid({ 'filters.product_id': 'Does not exist.' });
  if (unknown.investor_id) throw new Invalid({ 'filters.investor_id': 'Does not exist.' });
}

type Delivery = Pick<Input, 'delivery' | 'recipients' | 'sftp_server_id'> & { name?: unknown };

async function checkDelivery({ tx }: Work, id: string | null, config: Delivery) {
  const { delivery, recipients = [], sftp_server_id: server, name } = config;
  if (delivery === 'email' && recipients.length === 0)
    throw new Invalid({ recipients: 'Give at least one address for delivery by email.' });
  if (delivery !== 'sftp') return;
  if (!server) throw new Invalid({ sftp_server_id: 'Give the server that receives the tape.' });
  // Files with the same name would replace each other on the server.
  if (await tapes.isNameTaken(tx, server, String(name), id))
    throw new Invalid({ name: 'Another config uploads files with this name to this server.' });
}

/**
 * The first day on or after `from` whose close generates the tape: every day, Sundays, or the last day of a
 * month or quarter.
 */
export function nextRun(schedule: Schedule, from: string): string | null {
  if (schedule === 'none') return null;
  if (schedule === 'daily') return from;
  if (schedule === 'weekly') {
    const days = Array.from({ length: 7 }, (_, offset) => addDays(from, offset));
    return days.find((day) => new Date(`${day}T00:00:00Z`).getUTCDay() === 0) ?? null;
  }
  const end = monthEnd(from);
  return schedule === 'quarterly' ? quarterEnd(end) : end;
}

const quarterEnd = (end: string): string =>
  Number(end.slice(5, 7)) % 3 === 0 ? end : quarterEnd(monthEnd(addDays(end, 1)));
