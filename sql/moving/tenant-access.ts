import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const ACCESS_STATES = ['open', 'closing', 'closed', 'exported'] as const;

const Tenant = z.object({
  id: z.string(),
  slug: z.string(),
  access: z.enum(ACCESS_STATES),
  is_active: z.boolean(),
});
export type TenantAccess = z.output<typeof Tenant>;

export const findTenantBySlug = (tx: Transaction, slug: string) =>
  tx.maybeOne(
    sql.type(Tenant)`select id, slug, access, is_active from tenants where slug = ${slug}`,
  );

/**
 * Sets the tenant's access. Only an open tenant is active; otherwise its jobs wait and its days are not
 * closed.
 */
export const setAccess = (tx: Transaction, id: string, access: TenantAccess['access']) =>
  tx.query(sql.typeAlias('void')`
    update tenants set access = ${access}, is_active = ${access === 'open'} where id = ${id}
  `);

const TakenName = z.object({ what: z.string() });

/** What the database already has of a tenant that is to be imported. */
export const findConflicts = (
  tx: Transaction,
  { id, slug, domains }: { id: string; slug: string; domains: readonly string[] },
) =>
  tx.anyFirst(sql.type(TakenName)`
    select 'a tenant with the id ' || id as what from tenants where id = ${id}
    union all select 'a tenant named ' || slug from tenants where slug = ${slug}
    union all select 'the domain ' || domain from tenant_domains
    where domain = any(${sql.array([...domains], 'text')})
  `);

export const listDomainsOfTenant = (tx: Transaction, id: string) =>
  tx.anyFirst(sql.type(z.object({ domain: z.string() }))`
    select domain from tenant_domains where tenant_id = ${id} order by domain
  `);

const Open = z.object({ open: z.string() });

/** Open transactions of this database, by virtual transaction ids. */
export const openTransactions = (tx: Transaction) =>
  tx.anyFirst(sql.type(Open)`
    select held.virtualtransaction as open
    from pg_locks as held join pg_stat_activity as session on session.pid = held.pid
    where held.locktype = 'virtualxid' and held.granted and session.datname = current_database()
      and session.usesysid is not null and session.pid <> pg_backend_pid()
  `);

const Key = z.object({ id: z.string(), check_value: z.string().nullable() });
type SealingKey = z.output<typeof Key>;

/** The keys of SECRET under which anything in this database is sealed. */
export const listSealingKeys = (tx: Transaction) =>
  tx.any(sql.type(Key)`
    select id, check_value from app.secret_keys where retired_at is null order by id
  `);

/** Registers keys as used in this database. A process without one of them does not start. */
export const registerKeys = (tx: Transaction, keys: readonly SealingKey[]) =>
  tx.query(sql.typeAlias('void')`
    insert into app.secret_keys as known (id, check_value)
    select id, check_value from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
      as key (id text, check_value text)
    on conflict on constraint secret_keys_pkey do update
    set retired_at = null, check_value = excluded.check_value where known.retired_at is not null
  `);
