import { expect, test } from 'vitest';
import { z } from 'zod';
import { EVENTS } from '../../../jobs/webhooks/event-types.ts';
import { sql } from '../../../sql/database/db.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('the agreed rate applies from the modification on, and a reversal restores the old one', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await setBusinessDate(tenant, '2026-01-25');
  const modify = (new_interest_rate: string) =>
    tenant.officer.post(`/loans/${loan.id}/modifications`, {
      modification_type: 'rate_change',
      new_interest_rate,
    });
  const told = () => tenant.officer.get(`/loans/${loan.id}`);

  await modify('0.06');
  const second = await modify('0.03');
  await setBusinessDate(tenant, '2026-02-04');
  const lowered = await told();
  await tenant.officer.post(`/loans/${loan.id}/reschedule`, { shift_days: 5 });
  const plan = await tenant.officer.get(`/loans/${loan.id}/amortization`);
  await tenant.officer.post(`/modifications/${second.body.id}/reverse`);
  const restored = await told();

  // Ten days of 10000.00 at 0.085 and ten at 0.03: 23.29 + 8.22.
  expect(lowered.body).toMatchObject({ interest_rate: '0.03', accrued_interest: '31.51' });
  expect(plan.body[1]).toMatchObject({ interest_amount: '22.44' });
  // The ten days since then now earn 0.06: 23.29 + 16.44.
  expect(restored.body).toMatchObject({ interest_rate: '0.06', accrued_interest: '39.73' });
});

test('a late loan shows the installment of its new schedule, not the missed one', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await setBusinessDate(tenant, '2026-02-20');

  const made = await tenant.officer.post(`/loans/${loan.id}/modifications`, {
    modification_type: 'payment_change',
    new_payment_amount: '400.00',
  });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(made.body).toMatchObject({
    previous_terms: { payment_amount: '315.68' },
    new_terms: { payment_amount: '400.00' },
  });
  expect(body).toMatchObject({ payment_amount: '400.00', past_due_amount: '315.68' });
});

test('the webhook of a modification has the terms before and after', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  await tenant.officer.post(`/loans/${loan.id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.04',
  });
  const told = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ body: z.string() }))`
      select body from events where event_type = 'modification.completed'
    `),
  );

  expect(Object.keys(JSON.parse(told).data).toSorted()).toEqual(
    Object.keys(EVENTS['modification.completed'].shape).toSorted(),
  );
});
