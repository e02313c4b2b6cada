import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { receivePayment } from '../../../jobs/payments/receive.ts';
import * as steps from '../../../sql/business-day/chunk-steps.ts';
import { sql } from '../../../sql/database/db.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const Kept = z.object({ delinquency_bucket: z.string() });

const CHUNK = {
  first_loan_id: '00000000-0000-0000-0000-000000000000',
  before_loan_id: null,
  cob_date: '2026-02-15',
  is_accrued: true,
  done_at: null,
  unbilled_month: null,
  has_ended_reliefs: false,
};

/** Two loans that owe 315.68 on this day and are late the next morning unless they pay. */
async function aDueDay() {
  const tenant = await stage.tenant('2026-01-15');
  const ids = [(await newLoan(tenant)).id, (await newLoan(tenant)).id];
  await travelTo(stage, tenant, '2026-02-15');
  return { tenant, ids };
}

/** Ages the loans while a payment on one of them is in progress. Returns the loans that changed bucket. */
async function agedWhilePaying(tenant: Tenant, id: string, amount: string) {
  let aged: ReturnType<typeof steps.ageLoans> | null = null;
  await tenant.within(async (work) => {
    await receivePayment(work, id, { amount, payment_type: 'regular' });
    aged ??= tenant.within(({ tx }) => steps.ageLoans(tx, CHUNK, '2026-02-16'));
    await pause(300);
  });
  return (await (aged as unknown as ReturnType<typeof steps.ageLoans>)).map(
    ({ loan_id }) => loan_id,
  );
}

/** The stored buckets, ordered by loan id. */
const bucketsOf = ({ within }: Tenant) =>
  within(({ tx }) => tx.anyFirst(sql.type(Kept)`select delinquency_bucket from loans order by id`));

test('a borrower who pays while delinquency is being calculated is not late', async () => {
  const { tenant, ids } = await aDueDay();

  const moved = await agedWhilePaying(tenant, ids[0] ?? '', '315.68');

  expect(moved).toEqual([ids[1]]);
  expect(await bucketsOf(tenant)).toEqual(['current', 'dpd_1_29']);
});

test('a borrower who then pays only a part is still late', async () => {
  const { tenant, ids } = await aDueDay();

  const moved = await agedWhilePaying(tenant, ids[0] ?? '', '5.00');

  expect(moved).toEqual(ids);
  expect(await bucketsOf(tenant)).toEqual(['dpd_1_29', 'dpd_1_29']);
});
