import type { Client } from '../setup/client.ts';
import type { Tenant } from '../setup/world.ts';

type Account = { id: string; code: string; role: string | null };

/** The tenant's administrator with the accounts of the chart by their role. */
export async function keeperOf(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  const chart = (await admin.get('/ledger/accounts')).body as Account[];
  const accounts = Object.fromEntries(chart.map(({ id, role }) => [role ?? '', id]));
  return { admin, accounts: accounts as Record<string, string> };
}

/** A line of a draft: an amount above zero is a debit, one below zero a credit. */
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
