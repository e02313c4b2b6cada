import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { date } from '../types.ts';

const unchangeable = ' Only the operator of the installation can change it.';

export const TenantFacts = z.object({
  slug: z.string().describe(`The short name of the tenant.${unchangeable}`),
  name: z.string().describe(`The name of the lender, in letters and messages.${unchangeable}`),
  domains: z.array(z.string()).describe(`The host names of the tenant.${unchangeable}`),
  time_zone: z
    .string()
    .describe(
      'The IANA time zone that decides when a business date ends, such as America/Chicago. A change applies from the next business date.',
    ),
  next_time_zone: z
    .string()
    .nullable()
    .describe('The time zone from the next business date on, if it was changed.'),
  currency: z
    .string()
    .describe(
      'The currency of all amounts: an ISO 4217 code with two decimals, such as USD. Cannot change once loans exist.',
    ),
  locale: z
    .string()
    .describe(
      'How amounts and dates are written: a BCP 47 tag with a region, such as en-US. Supported languages: en and es.',
    ),
  business_date: date.describe(
    "The tenant's current date in the books. Only close of business advances it.",
  ),
  sandbox: z
    .boolean()
    .describe(
      'Whether the tenant is a sandbox, whose date and book clients may move and reset. Set when the tenant is created, and never changed.',
    ),
});

/** The tenant's name, domains, locale and business date. */
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
