import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a loan is past due after its product’s grace period, which is announced once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { delinquency_grace_days: 5 });
  const { id } = await newLoan(tenant, { product_id });
  const on = async (day: string) => {
    await travelTo(stage, tenant, day);
    const { body } = await tenant.officer.get(`/loans/${id}`);
    const { days_past_due, delinquency_bucket, past_due_amount } = body;
    const balances = await tenant.officer.get(`/loans/${id}/balances`);
    const folded = balances.body.days_past_due ?? days_past_due;
    return [days_past_due, folded, delinquency_bucket, past_due_amount];
  };

  const seen = [await on('2026-02-20'), await on('2026-02-21'), await on('2026-03-22')];
  const told = await tenant.within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ data: z.looseObject({}) }))`
      select body::jsonb -> 'data' as data from events
      where event_type = 'delinquency.changed' order by id
    `),
  );

  expect(seen).toEqual([
    [0, 0, 'current', '315.68'],
    [1, 1, 'dpd_1_29', '315.68'],
    [30, 30, 'dpd_30_59', '631.36'],
  ]);
  expect(told).toMatchObject([
    { new_bucket: 'dpd_1_29', days_past_due: 1, past_due_amount: '315.68' },
    { new_bucket: 'dpd_30_59', days_past_due: 30, past_due_amount: '631.36' },
  ]);
});
