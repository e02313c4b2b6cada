import { z } from 'zod';
import { openLoan } from '../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../jobs/loans/history/record-events.ts';
import { sql } from '../../sql/database/db.ts';
import type { Tenant } from './world.ts';

/** Balances of posted entries by account role. Debits are positive; zero balances are left out. */
export const balancesByRole = (tenant: Pick<Tenant, 'within'>): Promise<Record<string, string>> =>
  tenant.within(async ({ tx }) => {
    const rows = await tx.any(sql.type(z.object({ role: z.string(), balance: z.string() }))`
      select line.role, sum(line.debit - line.credit)::numeric(15, 2) as balance
      from journal_lines as line
      join journal_entries as entry on entry.id = line.entry_id and entry.status = 'posted'
      group by line.role having sum(line.debit - line.credit) <> 0
    `);
    return Object.fromEntries(rows.map(({ role, balance }) => [role, balance]));
  });

/** The types of all events that the tenant has emitted, in order. */
export const eventTypes = (tenant: Pick<Tenant, 'within'>): Promise<readonly string[]> =>
  tenant.within(({ tx }) =>
    tx.anyFirst(
      sql.type(z.object({ event_type: z.string() }))`select event_type from events order by id`,
    ),
  );

/**
 * Moves the tenant's business date without closing the days in between. Loans whose outlook ends before the day
 * are refolded, as these closes would have done.
 */
export async function setBusinessDate(tenant: Pick<Tenant, 'within'>, today: string) {
  await tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update tenants set business_date = ${today} where id = app.current_tenant()
    `),
  );
  await tenant.within(async (work) => {
    const ended = await work.tx.anyFirst(sql.type(z.object({ id: z.string() }))`
      select loan_id as id from loan_outlook where is_last and until_date < ${today} order by loan_id
    `);
    for (const id of ended)
      await recordEvents(work, await openLoan(work, id), [], { extendsOutlook: true });
  });
}
