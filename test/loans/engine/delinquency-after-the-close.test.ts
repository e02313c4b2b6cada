import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { boardLoan, snapshotOf, payLoan } from '../../setup/after-close.ts';
import { newMonthEnd } from '../../setup/month-ends.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const { theCloseHasPassed, theCloseHasAccrued } = newMonthEnd(stage);

/** The loans owe 315.68 on this day and are late the next morning unless they pay. */
const DUE_DAY = '2026-02-15';

const Kept = z.object({
  delinquency_bucket: z.string(),
  first_delinquency_date: z.string().nullable(),
  times_delinquent_30: z.int(),
});

/** The stored columns that the lists and the next ageing use. */
const columnsOf = ({ within }: Tenant, id: string) =>
  within(({ tx }) =>
    tx.one(sql.type(Kept)`
      select delinquency_bucket, first_delinquency_date, times_delinquent_30 from loans where id = ${id}
    `),
  );

/** The bucket changes that subscribers were notified of, in order. */
const movesOf = ({ within }: Tenant) =>
  within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ move: z.string() }))`
      select concat(event.body::jsonb -> 'data' ->> 'old_bucket', ' to ', event.body::jsonb -> 'data' ->> 'new_bucket') as move
      from events as event where event_type = 'delinquency.changed' order by id
    `),
  );

const DUE = { day: DUE_DAY };

test('a borrower who pays a part after the delinquency run stays as late as before', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(1, DUE);
  const [id = ''] = ids;

  await payLoan(tenant, id, '1.00');
  const column = await columnsOf(tenant, id);
  await endDay();

  const late = { delinquency_bucket: 'dpd_1_29', first_delinquency_date: DUE_DAY };
  expect(column).toMatchObject(late);
  expect(await columnsOf(tenant, id)).toMatchObject(late);
  expect(await snapshotOf(tenant, id, DUE_DAY)).toMatchObject({
    delinquency_bucket: 'current',
    first_delinquency_date: null,
  });
  expect(await movesOf(tenant)).toEqual(['current to dpd_1_29']);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a borrower who pays the due amount after the close is reported as current when the day ends', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(1, DUE);
  const [id = ''] = ids;

  await payLoan(tenant, id, '315.68');
  await endDay();

  const current = { delinquency_bucket: 'current', first_delinquency_date: null };
  expect(await columnsOf(tenant, id)).toMatchObject(current);
  expect(await movesOf(tenant)).toEqual(['current to dpd_1_29', 'dpd_1_29 to current']);
});

test.each([
  ['1.00', 'dpd_1_29', ['current to dpd_1_29']],
  ['315.68', 'current', []],
])(
  'a borrower who pays %s before the delinquency run is %s, announced once',
  async (amount, bucket, moves) => {
    const { tenant, ids, endDay } = await theCloseHasAccrued(1, DUE);
    const [id = ''] = ids;

    await payLoan(tenant, id, amount);
    await endDay();

    expect(await columnsOf(tenant, id)).toMatchObject({ delinquency_bucket: bucket });
    expect(await movesOf(tenant)).toEqual(moves);
  },
);

test('a loan that was thirty days late only between the delinquency run and a payment that day was never thirty days late', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(1, { day: '2026-03-16' });
  const [id = ''] = ids;

  const aged = await columnsOf(tenant, id);
  await payLoan(tenant, id, '315.68');
  await endDay();

  expect(aged).toMatchObject({ delinquency_bucket: 'dpd_30_59', times_delinquent_30: 1 });
  expect(await columnsOf(tenant, id)).toMatchObject({
    delinquency_bucket: 'dpd_1_29',
    times_delinquent_30: 0,
  });
  expect(await snapshotOf(tenant, id, '2026-03-16')).toMatchObject({ times_delinquent_30: 0 });
});

test('a loan that is boarded past due after the close passed is announced as boarded, not as newly late', async () => {
  const { tenant, endDay } = await theCloseHasPassed(1);

  const id = await boardLoan(tenant, '2025-06-15', { paid_through_date: '2025-12-15' });
  const column = await columnsOf(tenant, id);
  await endDay();

  expect(column.delinquency_bucket).not.toBe('current');
  expect(await columnsOf(tenant, id)).toEqual(column);
  expect(await movesOf(tenant)).toEqual([]);
});
