import { expect, test } from 'vitest';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import { openCase } from '../setup/cases.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  trigger: 'past_due',
  amount: '25.00',
  grace_days: 5,
};

test('a saved setting of an effect changes the loans whose conditions it concerns', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const superadmin = await tenant.signedIn('superadmin');
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] });
  const loan = await newLoan(tenant, { product_id });
  const soldier = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-03-03');
  await openCase(officer, loan.borrower_id, 'disaster', { from: '2026-02-01' });
  await openCase(officer, soldier.borrower_id, 'servicemember', { service_from: '2026-02-01' });
  const save = async (effects: object) => {
    const saved = await superadmin.put('/tenant/settings', { cases: { effects } });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    const lent = { within: createWithin(stage.pool, SYSTEM) };
    return runJobs(stage, lent, ['follow-case-settings']);
  };
  const shown = async () => {
    const [fee] = (await officer.get(`/loans/${loan.id}/fees`)).body;
    const { allowed_actions } = (await officer.get(`/loans/${loan.id}`)).body;
    const { current_rate } = (await officer.get(`/loans/${soldier.id}`)).body;
    return [fee.status, allowed_actions.includes('accelerate'), current_rate];
  };

  const before = await shown();
  const jobs = await save({
    disaster: { late_fees: true, acceleration: true },
    rate_cap: { rate_cap: '0.04' },
  });
  const changed = await shown();
  await save({ disaster: null, rate_cap: null });
  const again = await shown();
  const unchanged = await save({ disaster: null, rate_cap: null });

  expect([jobs, unchanged]).toEqual([1, 0]);
  expect(before).toEqual(['waived', false, '0.06']);
  expect(changed).toEqual(['assessed', true, '0.04']);
  expect(again).toEqual(before);
  expect(await violationsIn(stage)).toEqual([]);
});
