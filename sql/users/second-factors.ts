import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';

export const FACTOR_KINDS = ['totp', 'passkey'] as const;
export type FactorKind = (typeof FACTOR_KINDS)[number];

const Factor = z.object({
  id: z.string(),
  kind: z.enum(FACTOR_KINDS),
  name: z.string(),
  last_used_at: z.string().nullable(),
  created_at: z.string(),
});

/** The user's second factors, oldest first, without their secrets. */
export const listFactors = (tx: Transaction, userId: string) =>
  tx.any(sql.type(Factor)`
    select id, kind, name, last_used_at, created_at from second_factors
    where user_id = ${userId} and confirmed_at is not null
    order by created_at, id
  `);

const Kind = z.object({ kind: z.enum(FACTOR_KINDS) });

export const listFactorKinds = (tx: Transaction, userId: string) =>
  tx.anyFirst(sql.type(Kind)`
    select distinct kind from second_factors
    where user_id = ${userId} and confirmed_at is not null
    order by kind desc
  `);

const FactorOptions = z.object({
  settings: z.record(z.string(), z.unknown()),
  kinds: z.array(z.enum(FACTOR_KINDS)),
  codes_left: z.int(),
});

/**
 * The user's kinds of factors, the number of unused recovery codes, and the tenant's settings, which state
 * the requirement.
 */
export const findMethods = (tx: Transaction, userId: string) =>
  tx.one(
    prepared(sql.type(FactorOptions)`
      select tenant.settings,
             array(
               select distinct kind from second_factors
               where user_id = ${userId} and confirmed_at is not null
               order by kind desc
             ) as kinds,
             (
               select count(*)::integer from recovery_codes
               where user_id = ${userId} and used_at is null
             ) as codes_left
      from tenants as tenant where tenant.id = app.current_tenant()
    `),
  );

const App = z.object({ id: z.string(), secret_sealed: z.string(), at_ms: z.string() });

/** The user's authenticator app, with the database's time, which all processes share. */
export const findApp = (tx: Transaction, userId: string, isConfirmed: boolean) =>
  tx.maybeOne(sql.type(App)`
    select id, secret_sealed, (extract(epoch from clock_timestamp()) * 1000)::bigint as at_ms
    from second_factors
    where user_id = ${userId} and kind = 'totp' and (confirmed_at is not null) = ${isConfirmed}
  `);

/** Adds an authenticator app that the user must confirm. Deletes an earlier unconfirmed one. */
export async function insertUnconfirmedApp(tx: Transaction, userId: string, sealed: string) {
  await tx.query(sql.typeAlias('void')`
    delete from second_factors
    where user_id = ${userId} and kind = 'totp' and confirmed_at is null
  `);
  return tx.oneFirst(sql.typeAlias('id')`
    insert into second_factors (user_id, kind, name, secret_sealed)
    values (${userId}, 'totp', 'Authenticator app', ${sealed})
    returning id
  `);
}

/**
 * Accepts the code of a time step and confirms the app. Codes of this or an earlier step are never accepted
 * again.
 */
export const useStep = async (tx: Transaction, id: string, step: number): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update second_factors
    set last_used_step = ${step}, last_used_at = now(), confirmed_at = coalesce(confirmed_at, now())
    where id = ${id} and (last_used_step is null or last_used_step < ${step})
  `);
  return rowCount === 1;
};

export const deleteFactor = (tx: Transaction, userId: string, id: string) =>
  tx.maybeOneFirst(sql.type(Kind)`
    delete from second_factors
    where user_id = ${userId} and id = ${id} and confirmed_at is not null
    returning kind
  `);

export const deleteAllFactors = (tx: Transaction, userId: string) =>
  tx.anyFirst(sql.type(Kind)`
    delete from second_factors where user_id = ${userId} returning kind
  `);
