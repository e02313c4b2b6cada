import { z } from 'zod';
import type { FragmentSqlToken } from 'slonik';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const DRAW_BLOCKERS = [
  'not_a_bank_account',
  'routing_number_missing',
  'account_number_missing',
  'not_verified',
  'not_active',
] as const;

const drawBlockers = (instrument: FragmentSqlToken) => sql.fragment`
  array_remove(array[
    case when ${instrument}.instrument_type <> 'bank_account' then 'not_a_bank_account' end,
    case when ${instrument}.instrument_type = 'bank_account' and ${instrument}.routing_number is null
      then 'routing_number_missing' end,
    case when ${instrument}.instrument_type = 'bank_account' and ${instrument}.account_number_sealed is null
      then 'account_number_missing' end,
    case when not ${instrument}.is_verified then 'not_verified' end,
    case when ${instrument}.status <> 'active' or ${instrument}.is_archived then 'not_active' end
  ], null)
`;

/** Staff may also draw on an account that is not verified. */
export const isDrawable = (instrument: FragmentSqlToken) =>
  sql.fragment`${drawBlockers(instrument)} <@ array['not_verified']`;

/** Postgres uses the index only for a subquery by one id, and under row-level security not with `coalesce`. */
const isDrawableById = (id: FragmentSqlToken) => sql.fragment`(
  select ${isDrawable(sql.fragment`instrument`)} from payment_instruments as instrument
  where instrument.id = ${id}
)`;

/** Whether the accounts that a plan's next draw uses can be drawn on. A retry uses the backup account. */
export const canDrawNext = (plan: FragmentSqlToken) => sql.fragment`(
  (
    not coalesce(${plan}.next_run_date <= ${plan}.next_draw_date, false)
    or ${isDrawableById(sql.fragment`${plan}.payment_instrument_id`)}
  )
  and (
    not exists (
      select from autopay_draws as draw
      where draw.autopay_plan_id = ${plan}.id and draw.status = 'retrying'
        and draw.retry_on <= ${plan}.next_draw_date
    )
    or case when ${plan}.backup_payment_instrument_id is null
      then ${isDrawableById(sql.fragment`${plan}.payment_instrument_id`)}
      else ${isDrawableById(sql.fragment`${plan}.backup_payment_instrument_id`)} end
  )
)`;

const RECORD = sql.fragment`record`;

export const paymentInstruments = table({
  name: 'payment_instruments',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.instrument_type, record.account_holder_name,
           record.bank_name, record.routing_number, record.account_number_last_four,
           record.account_type, record.card_brand, record.card_exp_month, record.card_exp_year,
           record.is_default, record.is_verified, record.verified_at, record.verification_method,
           record.status, ${drawBlockers(RECORD)} as draw_blockers, record.last_return_code,
           record.block_code, record.is_archived, record.created_at,
           record.updated_at
    from payment_instruments as record
  `,
});

export const hasPaymentInstrument = (tx: Transaction, borrowerId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from payment_instruments where borrower_id = ${borrowerId} and not is_archived
  `);

/** Clears the default flag of the borrower's other instruments. Returns the previous default. */
export const clearDefault = (tx: Transaction, borrowerId: string, except: string | null) =>
  tx.anyFirst(sql.typeAlias('id')`
    update payment_instruments set is_default = false
    where borrower_id = ${borrowerId} and is_default and not is_archived
      and id is distinct from ${except}::uuid
    returning id
  `);

const Instrument = z.object({
  id: z.string(),
  borrower_id: z.string(),
  instrument_type: z.string(),
  is_verified: z.boolean(),
  status: z.string(),
  block_code: z.string().nullable(),
  is_archived: z.boolean(),
  draw_blockers: z.array(z.enum(DRAW_BLOCKERS)),
  can_draw: z.boolean(),
});
export type Instrument = z.output<typeof Instrument>;

const instrument = (id: string) => sql.fragment`
  select record.id, record.borrower_id, record.instrument_type, record.is_verified, record.status,
         record.block_code, record.is_archived, ${drawBlockers(RECORD)} as draw_blockers,
         ${isDrawable(RECORD)} as can_draw
  from payment_instruments as record where record.id = ${id}
`;

/** The lock keeps the instrument from being deleted until the transaction ends. */
export const lockForShare = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Instrument)`${instrument(id)} for share`);

export const readInstrument = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Instrument)`${instrument(id)}`);

export const lockInstrument = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`select from payment_instruments where id = ${id} for update`);

/** Whether an active or paused autopay plan draws on the instrument. */
export const isInUse = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from autopay_plans
    where ${id} in (payment_instrument_id, backup_payment_instrument_id)
      and status in ('active', 'paused')
  `);

/** Records a return code of the bank. A code that forbids further draws blocks the instrument. */
export const recordReturnCode = (tx: Transaction, id: string, code: string, isBlocked: boolean) =>
  tx.query(sql.typeAlias('void')`
    update payment_instruments
    set last_return_code = ${code},
        status = case when ${isBlocked} then 'blocked' else status end,
        block_code = case when ${isBlocked} then ${code} else block_code end
    where id = ${id}
  `);
