import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { INTEREST_ROUNDINGS } from '../../../jobs/loans/arithmetic/terms.ts';
import { accruedCentsOn } from '../../../jobs/loans/engine/outlook/outlook-interest.ts';
import { toCents } from '../../../jobs/money.ts';
import { sql } from '../../../sql/database/db.ts';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

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

test.each(INTEREST_ROUNDINGS)(
  'SQL rounds accrued interest like the fold, also next to a whole cent: %s',
  async (mode) => {
    const tenant = await stage.tenant();
    const nearCent = fc
      .tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: -2_000, max: 2_000 }))
      .map(([cents, noise]) => new Big(cents).div(100).plus(new Big(noise).times('1e-10')));
    const anyAmount = fc
      .integer({ min: 0, max: 2_000_000_000 })
      .map((n) => new Big(n).times('1e-6'));
    const lines = fc.sample(
      fc.record({
        interest_base: fc.oneof(nearCent, anyAmount).map((base) => base.abs().toFixed(10)),
        interest_per_basis: fc.oneof(
          fc.constant('0'),
          anyAmount.map((amount) => amount.toFixed()),
        ),
        interest_units: fc.integer({ min: 0, max: 400 }),
        units_per_day: fc.constant(1),
        interest_basis: fc.constantFrom(30, 31, 360, 365),
      }),
      2000,
    );

    const answers = await tenant.within(({ tx }) =>
      tx.anyFirst(sql.type(z.object({ cents: z.string() }))`
        select app.earned_on(base, per_basis, units, basis, ${mode}) as cents
        from unnest(
          ${sql.array(
            lines.map((line) => line.interest_base),
            'numeric',
          )},
          ${sql.array(
            lines.map((line) => line.interest_per_basis),
            'numeric',
          )},
          ${sql.array(
            lines.map((line) => line.interest_units + 9),
            'int8',
          )},
          ${sql.array(
            lines.map((line) => line.interest_basis),
            'int4',
          )}
        ) with ordinality as line (base, per_basis, units, basis, place)
        order by place
      `),
    );

    const expected = lines.map((line) => accruedCentsOn(line, 9, mode).toFixed(2));
    expect(answers.map((cents) => new Big(cents).toFixed(2))).toEqual(expected);
  },
);

/** 36.00 at five percent on 360 days earns half a cent a day. */
const SMALL = { principal_amount: '36.00', interest_rate: '0.05', term_months: 12 };

test.each([
  ['half_up', ['0.01', '0.01', '0.02', '0.02', '0.03']],
  ['half_even', ['0.00', '0.01', '0.02', '0.02', '0.02']],
  ['down', ['0.00', '0.01', '0.01', '0.02', '0.02']],
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
