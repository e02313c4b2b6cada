import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { sql, type Transaction } from './database/db.ts';

/**
 * A sealed column and the key columns of its table, besides the tenant. `index` is a keyed hash for
 * searching; it depends on the key, so it is replaced with the value.
 */
type SealedPlace = { table: string; keys: readonly string[]; column: string; index?: string };

/** Every column sealed under SECRET. A test finds missing ones. */
export const SEALED_COLUMNS: readonly SealedPlace[] = [
  { table: 'webhook_subscriptions', keys: ['id'], column: 'secret_sealed' },
  { table: 'webhook_subscriptions', keys: ['id'], column: 'previous_secret_sealed' },
  { table: 'communication_providers', keys: ['channel'], column: 'secret_sealed' },
  { table: 'communication_providers', keys: ['channel'], column: 'previous_secret_sealed' },
  { table: 'payment_instruments', keys: ['id'], column: 'account_number_sealed' },
  { table: 'payment_instruments', keys: ['id'], column: 'token_sealed' },
  { table: 'order_accounts', keys: ['id'], column: 'account_number_sealed' },
  { table: 'nacha_entries', keys: ['id'], column: 'account_number_sealed' },
  { table: 'nacha_files', keys: ['id'], column: 'file_key_sealed' },
  { table: 'credit_reporting_files', keys: ['id'], column: 'file_key_sealed' },
  { table: 'approvals', keys: ['id'], column: 'secrets_sealed' },
  { table: 'change_notices', keys: ['id'], column: 'corrected_account_number_sealed' },
  { table: 'identity_providers', keys: ['id'], column: 'client_secret_sealed' },
  { table: 'provider_sign_ins', keys: ['id'], column: 'verifier_sealed' },
  { table: 'provider_sign_ins', keys: ['id'], column: 'code_sealed' },
  { table: 'sftp_servers', keys: ['id'], column: 'password_sealed' },
  { table: 'sftp_servers', keys: ['id'], column: 'private_key_sealed' },
  { table: 'reconciliations', keys: ['id'], column: 'file_key_sealed' },
  { table: 'imports', keys: ['id'], column: 'file_key_sealed' },
  { table: 'import_rows', keys: ['import_id', 'file', 'position'], column: 'values_sealed' },
  { table: 'second_factors', keys: ['id'], column: 'secret_sealed' },
  {
    table: 'borrower_identities',
    keys: ['id'],
    column: 'identifier_sealed',
    index: 'identifier_index',
  },
];

/** The stored response of an Idempotency-Key may contain a secret, sealed like its own column. */
const IDEMPOTENT_RESPONSES = {
  table: 'idempotency_keys',
  keys: ['user_id', 'method', 'path', 'key'],
} as const;
const SEALED_RESPONSE_BODY = { ...IDEMPOTENT_RESPONSES, column: 'body' };
export const SEALED_PLACES: readonly SealedPlace[] = [...SEALED_COLUMNS, SEALED_RESPONSE_BODY];

const identifier = (name: string) => sql.identifier([name]);
const textOf = (place: SealedPlace) =>
  place === SEALED_RESPONSE_BODY
    ? sql.fragment`body ->> 'secret'`
    : sql.fragment`${identifier(place.column)}`;
const namedBy = ({ keys }: SealedPlace) =>
  sql.join(
    keys.map((key) => sql.fragment`${key}::text, ${identifier(key)}::text`),
    sql.fragment`, `,
  );

const SealedValue = z.object({ name: z.record(z.string(), z.string()), sealed: z.string() });
export type SealedValue = z.output<typeof SealedValue>;

/** Locks some rows that are sealed under a key other than the current one. */
export const lockSealedUnderOtherKeys = (
  tx: Transaction,
  place: SealedPlace,
  current: string,
  limit: number,
) =>
  tx.any(sql.type(SealedValue)`
    select jsonb_build_object(${namedBy(place)}) as name, ${textOf(place)} as sealed
    from ${identifier(place.table)}
    where app.sealing_key_id(${textOf(place)}) <> ${current}
    limit ${limit} for update
  `);

/** Stores values that were sealed again. Does not change updated_at. */
export async function replaceSealed(
  tx: Transaction,
  place: SealedPlace,
  rows: readonly (SealedValue & { index: string })[],
) {
  await tx.query(sql.typeAlias('void')`select set_config('app.sealing', 'on', true)`);
  const isRow = sql.join(
    place.keys.map((key) => sql.fragment`place.${identifier(key)}::text = anew.name ->> ${key}`),
    sql.fragment` and `,
  );
  const value =
    place === SEALED_RESPONSE_BODY
      ? sql.fragment`jsonb_set(place.body, '{secret}', to_jsonb(anew.sealed))`
      : sql.fragment`anew.sealed`;
  const index = place.index
    ? sql.fragment`, ${identifier(place.index)} = anew.index`
    : sql.fragment``;
  await tx.query(sql.typeAlias('void')`
    update ${identifier(place.table)} as place set ${identifier(place.column)} = ${value} ${index}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as anew (name jsonb, sealed text, index text)
    where ${isRow}
  `);
}

const Count = z.object({ key_id: z.string(), count: z.int() });

/** The tenant's sealed values, counted by key. */
export const countSealedByKey = (tx: Transaction) =>
  tx.any(sql.type(Count)`
    select app.sealing_key_id(sealed) as key_id, count(*)::integer as count
    from (${sql.join(
      SEALED_PLACES.map(
        (place) => sql.fragment`select ${textOf(place)} as sealed from ${identifier(place.table)}`,
      ),
      sql.fragment` union all `,
    )}) as everything
    where app.sealing_key_id(sealed) is not null
    group by 1 order by 1
  `);

const Unusable = z.object({ id: z.string(), is_other: z.boolean() });
type RegisteredKey = { id: string; check_value: string };

/** Registers this process's keys. Returns keys in use that it lacks or has with another value. */
export const announceKeys = (pool: DatabasePool, known: readonly RegisteredKey[]) =>
  pool.any(sql.type(Unusable)`
    select id, is_other from app.use_secret_keys(
      ${sql.array(
        known.map(({ id }) => id),
        'text',
      )},
      ${sql.array(
        known.map(({ check_value }) => check_value),
        'text',
      )}
    )
  `);

const Registered = z.object({ id: z.string(), retired: z.boolean() });

/** All keys that were ever used; needs the worker's role. */
export const listRegisteredKeys = (worker: DatabasePool) =>
  worker.any(sql.type(Registered)`
    select id, retired_at is not null as retired from app.secret_keys order by first_used_at, id
  `);

/**
 * Marks keys as retired, because nothing is sealed under them any more. They may then be removed from
 * SECRET.
 */
export const retireKeys = (worker: DatabasePool, ids: readonly string[]) =>
  worker.query(sql.typeAlias('void')`
    select app.retire_secret_keys(${sql.array([...ids], 'text')})
  `);

const Tenant = z.object({ id: z.string(), slug: z.string() });

/** All tenants, including inactive ones. */
export const listAllTenants = (worker: DatabasePool) =>
  worker.any(sql.type(Tenant)`select id, slug from app.all_tenants()`);
