import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toCents } from '../../jobs/money.ts';
import { sql } from '../../sql/database/db.ts';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('half a cent rounds to the even cent in SQL as in TypeScript', async () => {
  const tenant = await stage.tenant();
  const amounts = fc.sample(
    fc.oneof(
      fc.integer({ min: -5_000, max: 5_000 }).map((mills) => (mills / 1000).toFixed(3)),
      fc.integer({ min: 0, max: 1_000_000_000 }).map((amount) => `${amount % 997}.${amount}`),
    ),
    3000,
  );

  const answers = await tenant.within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ cents: z.string() }))`
      select app.half_even(amount::numeric) as cents
      from unnest(${sql.array(amounts, 'text')}) with ordinality as one (amount, place)
      order by place
    `),
  );

  const expected = amounts.map((amount) => toCents(new Big(amount), 'half_even'));
  expect(answers.map((cents) => new Big(cents).toFixed(2))).toEqual(
    expected.map((cents) => cents.toFixed(2)),
  );
});

/** 36.00 at five percent on 360 days earns half a cent a day. */
const SMALL = { principal_amount: '36.00', interest_rate: '0.05', term_months: 12 };

test.each([
  ['half_up', ['0.01', '0.01', '0.02', '0.02', '0.03']],
  ['half_even', ['0.00', '0.01', '0.02', '0.02', '0.02']],
])('half a cent a day is owed by %s as %j', async (rounding_mode, owed) => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { rounding_mode, day_count: 'actual_360' });
  const { id } = await newLoan(tenant, { ...SMALL, product_id });
  const seen: string[] = [];
  const booked: (string | undefined)[] = [];

  for (const day of ['16', '17', '18', '19', '20']) {
    await travelTo(stage, tenant, `2026-01-${day}`);
    const balances = await tenant.officer.get(`/loans/${id}/balances`);
    const { body } = await tenant.officer.get(`/loans/${id}`);
    expect(balances.body.accrued_interest ?? body.accrued_interest).toBe(body.accrued_interest);
    seen.push(body.accrued_interest);
    booked.push((await balancesByRole(tenant))['interest_receivable'] ?? '0.00');
  }
  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '1.00' });

  expect(seen).toEqual(owed);
  expect(booked).toEqual(owed);
  expect(paid.body.interest_applied).toBe(owed.at(-1));
  await travelTo(stage, tenant, '2026-01-23');
  expect(await violationsIn(stage)).toEqual([]);
});
