import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from './database/db.ts';

const TenantRow = z.object({
  id: z.string(),
  slug: z.string(),
  is_active: z.boolean(),
  /** Anything but open while the tenant moves to another database. */
  access: z.string(),
});
export type FoundTenant = z.output<typeof TenantRow>;

/** Finds the tenant of a host name. Runs before the tenant is known. */
export const findByHost = (pool: DatabasePool, host: string) =>
  pool.maybeOne(
    sql.type(TenantRow)`select id, slug, is_active, access from app.tenant_of_host(${host})`,
  );

/** Host names sort before IP addresses, so that links use localhost rather than 127.0.0.1. */
export const DOMAIN_ORDER = sql.fragment`domain ~ '^[0-9.]+$|:', domain`;

export const listDomains = (tx: Transaction) =>
  tx.anyFirst(
    sql.type(z.object({ domain: z.string() }))`
      select domain from tenant_domains order by ${DOMAIN_ORDER}
    `,
  );

const Active = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  time_zone: z.string(),
  business_date: z.string(),
  /** Its clients move its business date, so no schedule does. */
  is_sandbox: z.boolean(),
});
export type ActiveTenant = z.output<typeof Active>;

export const listActiveTenants = (asked: Pick<Transaction, 'any'>) =>
  asked.any(sql.type(Active)`select * from app.active_tenants()`);

const Tenant = Active.extend({
  currency: z.string(),
  locale: z.string(),
  settings: z.record(z.string(), z.unknown()),
});

export const currentTenant = (tx: Transaction) =>
  tx.one(
    prepared(sql.type(Tenant)`
    select id, slug, name, time_zone, business_date, is_sandbox, currency, locale, settings
    from tenants where id = app.current_tenant()
  `),
  );

/** Stores the settings that differ from the defaults. */
export const saveSettings = (tx: Transaction, settings: Record<string, unknown>) =>
  tx.query(sql.typeAlias('void')`
    update tenants set settings = ${JSON.stringify(settings)}::jsonb where id = app.current_tenant()
  `);

/** Moves the business date by one day, if it is still the closed day. */
export const advanceBusinessDate = (tx: Transaction, closed: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update tenants
    set business_date = business_date + 1, time_zone = coalesce(next_time_zone, time_zone),
        next_time_zone = null
    where id = app.current_tenant() and business_date = ${closed}
  `),
  );

export type NewTenant = {
  slug: string;
  name: string;
  business_date: string;
  domains: string[];
  /** Default: false. Cannot be changed later. */
  is_sandbox?: boolean;
  place?: { time_zone: string; currency: string; locale: string };
};

/** Sets a new tenant's time zone, currency and locale. */
export const setTenantLocale = (
  tx: Transaction,
  { time_zone, currency, locale }: NonNullable<NewTenant['place']>,
) =>
  tx.query(sql.typeAlias('void')`
    update tenants set time_zone = ${time_zone}, currency = ${currency}, locale = ${locale}
    where id = app.current_tenant()
  `);

/** Creates an empty tenant and returns its id; needs the owner's role. */
export const insertTenant = (
  owner: Pick<Transaction, 'oneFirst'>,
  { slug, name, business_date, domains, is_sandbox = false }: NewTenant,
) =>
  owner.oneFirst(sql.typeAlias('id')`
    select app.create_tenant(
      ${slug}, ${name}, ${business_date}::date, ${sql.array(domains, 'text')},
      ${is_sandbox}
    ) as id
  `);
