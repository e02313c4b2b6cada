import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { receivePayment } from '../../../jobs/payments/receive.ts';
import { settingsOf } from '../../../jobs/users/settings/settings.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const LONGER_THAN_REPEATS_MAY_TAKE = 3_200;

test('a request that waited longer for the end of a day than a repeat may take still restarts', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const ending = await stage.owner.connect();
  const endDay = async () => {
    await setTimeout(LONGER_THAN_REPEATS_MAY_TAKE);
    await ending.query(`update tenants set business_date = '2026-01-16' where id = $1`, [
      tenant.id,
    ]);
    await ending.query('commit');
    ending.release();
  };
  let hasBegun = false;
  const endsLate = async () => {
    if (hasBegun) return;
    hasBegun = true;
    await ending.query('begin');
    await ending.query(`select pg_advisory_xact_lock(hashtextextended('close ' || $1, 0))`, [
      tenant.id,
    ]);
    void endDay();
  };

  const day = await tenant.within(async (work) => {
    await settingsOf(work.tx);
    await endsLate();
    await receivePayment(work, id, { amount: '50.00', payment_type: 'regular' });
    return work.today;
  });

  expect(day).toBe('2026-01-16');
});
