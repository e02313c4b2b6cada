import { randomUUID } from 'node:crypto';
import { Big } from 'big.js';
import { z } from 'zod';
import { postEntry } from '../../jobs/ledger/post.ts';
import { sum } from '../../jobs/money.ts';
import { sql } from '../../sql/database/db.ts';
import { insert } from '../../sql/write.ts';
import type { Client } from '../setup/client.ts';
import { insertOutlooks } from '../setup/loan-rows.ts';
import type { Tenant } from '../setup/world.ts';

type Account = { id: string; code: string; role: string | null };

/** The tenant's administrator with the chart's accounts by role. */
export async function keeperOf(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  const chart = (await admin.get('/ledger/accounts')).body as Account[];
  const accounts = Object.fromEntries(chart.map(({ id, role }) => [role ?? '', id]));
  return { admin, accounts: accounts as Record<string, string> };
}

/** A line of a draft. A positive amount is a debit, a negative one a credit. */
export const line = (account_id: string | undefined, amount: string) =>
  amount.startsWith('-')
    ? { account_id, credit: amount.slice(1) }
    : { account_id, debit: amount, credit: '0.00' };

/** Drafts and posts an entry that moves an amount from one account to another. */
export async function booked(
  { admin, accounts }: { admin: Client; accounts: Record<string, string> },
  [debit, credit, amount]: readonly [string, string, string],
  more: Record<string, unknown> = {},
) {
  const draft = await admin.post('/ledger/entries', {
    entry_date: '2026-01-15',
    description: `${debit} from ${credit}`,
    lines: [line(accounts[debit], amount), line(accounts[credit], `-${amount}`)],
    ...more,
  });
  return (await admin.post(`/ledger/entries/${draft.body.id}/post`)).body as { id: string };
}

const Parents = z.object({
  borrower_id: z.string(),
  product_id: z.string(),
  program_id: z.string(),
});

/** A loan as a bare row, for tests that concern only the ledger. */
export async function newLoan(tenant: Tenant, more: Record<string, unknown> = {}): Promise<string> {
  return tenant.within(async ({ tx }) => {
    const { borrower_id, product_id, program_id } = await tx.one(sql.type(Parents)`
      select (select id from borrowers limit 1) as borrower_id, id as product_id, program_id
      from products limit 1
    `);
    const id = await insert(tx, 'loans', {
      loan_number: randomUUID(),
      borrower_id,
      product_id,
      program_id,
      status: 'active',
      principal_amount: '1000.00',
      interest_rate: '0.085',
      term_months: 12,
      payment_frequency: 'monthly',
      day_count: 'actual_365',
      interest_method: 'simple_daily',
      ...more,
    });
    await insertOutlooks(tx, [id]);
    return id;
  });
}

/** Books a day's interest as the close does: one entry for all loans, one row for each. */
export async function bookAccrual(tenant: Tenant, day: string, shares: Record<string, string>) {
  const total = sum(Object.values(shares).map((amount) => new Big(amount))).toFixed(2);
  await tenant.within(async (work) => {
    const entry_id = await postEntry(work, {
      entry_date: day,
      reference_type: 'interest_accrual',
      reference_id: randomUUID(),
      debit: { interest_receivable: total },
      credit: { interest_income: total },
    });
    await work.tx.query(sql.unsafe`select app.ensure_accrual_month(${day})`);
    for (const [loan_id, amount] of Object.entries(shares)) {
      await work.tx.query(sql.unsafe`
        insert into interest_accruals (accrual_date, loan_id, amount, entry_id)
        values (${day}, ${loan_id}, ${amount}, ${entry_id})
      `);
    }
  });
}
