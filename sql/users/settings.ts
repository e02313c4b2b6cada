import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { date } from '../types.ts';

export const TenantFacts = z.object({
  slug: z.string(),
  name: z.string(),
  domains: z.array(z.string()),
  time_zone: z.string(),
  /** The time zone from the next business date on, if it was changed. */
  next_time_zone: z.string().nullable(),
  currency: z.string(),
  locale: z.string(),
  business_date: date,
  sandbox: z.boolean(),
});

/** The tenant's data that only the operator changes. */
export const tenantFacts = (tx: Transaction) =>
  tx.one(sql.type(TenantFacts)`
    select slug, name, time_zone, next_time_zone, currency, locale, business_date,
           is_sandbox as sandbox,
           array(select domain from tenant_domains where tenant_id = tenant.id order by domain)
             as domains
    from tenants as tenant where id = app.current_tenant()
  `);

/** Serializes changes of the settings, so that neither of two changes is lost. */
export const lockSettings = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select from tenants where id = app.current_tenant() for no key update
  `);

/** Sets the tenant's locale. The time zone applies from the next business date. */
export const saveTenantLocale = (
  tx: Transaction,
  { time_zone, currency, locale }: { time_zone: string; currency: string; locale: string },
) =>
  tx.query(sql.typeAlias('void')`
    update tenants
    set next_time_zone = nullif(${time_zone}, tenants.time_zone), currency = ${currency}, locale = ${locale}
    where id = app.current_tenant()
  `);

export const hasLoans = (tx: Transaction) =>
  tx.exists(sql.typeAlias('void')`select from loans limit 1`);
