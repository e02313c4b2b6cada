import { expect, test } from 'vitest';
import { z } from 'zod';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { openTasksForBorrowers, tasks } from '../../sql/borrowers/tasks.ts';
import { logs } from '../../sql/communications/logs.ts';
import { sql } from '../../sql/database/db.ts';
import { documents } from '../../sql/documents/documents.ts';
import { entries } from '../../sql/ledger/entries.ts';
import { loans } from '../../sql/loans/loans.ts';
import { letters } from '../../sql/mailing/letters.ts';
import { addPayment, payments } from '../../sql/payments/payments.ts';
import { deadLetters } from '../../sql/webhooks/dead-letters.ts';
import { insertLetters } from '../setup/letters.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-15');
await newLoan(tenant);
await newLoan(tenant, { status: 'pending' });
const borrower_id = await tenant.first('/borrowers');
await tenant.within(async (work) => {
  await insertLetters(work, borrower_id, 1);
  await openTasksForBorrowers(work.tx, [borrower_id], {
    title: 'Call back',
    due_date: '2026-02-01',
  });
  const loan_id = await work.tx.oneFirst(sql.typeAlias('id')`select id from loans limit 1`);
  await addPayment(work.tx, {
    loan_id,
    borrower_id,
    receipt_number: 'R-1',
    amount: '1.00',
    status: 'scheduled',
    payment_date: '2026-02-01',
    effective_date: '2026-02-01',
    payment_method: 'cash',
  });
});
await stage.owner.query(
  `with receiver as (
     insert into webhook_subscriptions (tenant_id, url, events, secret_sealed, secret_last_four)
     values ($1, 'https://receiver.test', '["loan.created"]', 'sealed', 'four') returning tenant_id, id
   ), event as (
     insert into events (tenant_id, event_type, body) values ($1, 'loan.created', '{}') returning id
   ), delivery as (
     insert into webhook_deliveries (tenant_id, subscription_id, event_id)
     select receiver.tenant_id, receiver.id, event.id from receiver cross join event
     returning tenant_id, id, subscription_id, event_id
   )
   insert into dead_letters
     (tenant_id, delivery_id, subscription_id, event_id, attempted_at, retry_count)
   select tenant_id, id, subscription_id, event_id, now(), 3 from delivery`,
  [tenant.id],
);

test.each([borrowers, loans, payments, entries, documents, logs, tasks, letters, deadLetters])(
  'the columns that lists of $name read from the bare table equal the displayed ones',
  async ({ name, rows, own = [], filters = {} }) => {
    const columns = own.filter((field) => field !== 'q' && !(field in filters));
    const differs = columns.map((field) => {
      const [shown, kept] = [sql.identifier(['row', field]), sql.identifier(['bare', field])];
      return sql.fragment`count(*) filter (where ${shown} is distinct from ${kept})`;
    });

    const counts = await tenant.within(({ tx }) =>
      tx.one(sql.type(z.object({ joined: z.string(), bare: z.string(), differing: z.string() }))`
        select (select count(*) from (${rows}) as row) as joined,
               (select count(*) from ${sql.identifier([name])}) as bare,
               ${sql.join(differs, sql.fragment` + `)} as differing
        from (${rows}) as row join ${sql.identifier([name])} as bare on bare.id = row.id
      `),
    );

    expect(columns.length).toBeGreaterThan(5);
    expect(Number(counts.bare)).toBeGreaterThan(0);
    expect(counts).toEqual({ joined: counts.bare, bare: counts.bare, differing: '0' });
  },
);

test('loans of one tape, created at the same moment, are paged without duplicates or gaps', async () => {
  const made = await tenant.first('/loans');
  await stage.owner.query(
    'update loans set created_at = (select created_at from loans where id = $1)',
    [made],
  );

  const pages = await Promise.all(
    [0, 1].map((offset) => tenant.officer.get(`/loans?limit=1&offset=${offset}`)),
  );

  expect(new Set(pages.map(({ body }) => body[0].id)).size).toBe(2);
});
