import { expect, test } from 'vitest';
import { eventTypes, balancesByRole, setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a service credit lowers the principal at the lender’s expense and is no payment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const credit = await tenant.officer.post(`/loans/${loan.id}/service-credits`, {
    amount: '100.00',
    reason: 'A mistake of ours',
    apply_to: 'principal',
  });

  expect(credit).toMatchObject({
    status: 201,
    body: { status: 'applied', principal_applied: '100.00', interest_applied: '0.00' },
  });
  expect(credit.body.journal_entry_id).not.toBeNull();
  expect((await tenant.officer.get(`/loans/${loan.id}`)).body.principal_balance).toBe('9900.00');
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-10000.00',
    loans_receivable: '9900.00',
    service_credit_expense: '100.00',
  });
  expect(await eventTypes(tenant)).not.toContain('payment.received');
});

test('a credit can be reversed once, and a later entry corrects its split', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await setBusinessDate(tenant, '2026-02-14');
  const credit = await tenant.officer.post(`/loans/${loan.id}/service-credits`, {
    amount: '100.00',
    reason: 'Goodwill',
  });
  await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: '50.00',
    payment_date: '2026-02-13',
  });

  const moved = await tenant.officer.get(`/service-credits/${credit.body.id}`);
  const reversed = await tenant.officer.post(`/service-credits/${credit.body.id}/reverse`);
  const again = await tenant.officer.post(`/service-credits/${credit.body.id}/reverse`);

  expect(credit.body).toMatchObject({ interest_applied: '69.86', principal_applied: '30.14' });
  expect(moved.body).toMatchObject({ interest_applied: '19.86', principal_applied: '80.14' });
  expect(reversed).toMatchObject({ status: 200, body: { status: 'reversed' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(await balancesByRole(tenant)).not.toHaveProperty('service_credit_expense');
});

test('a credit above the amount owed is refused and nothing is stored', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const refused = await tenant.officer.post(`/loans/${loan.id}/service-credits`, {
    amount: '5.00',
    reason: 'Goodwill',
    apply_to: 'fees',
  });

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'exceeds_balance', details: { unapplied_amount: '5.00' } },
  });
  expect((await tenant.officer.get(`/loans/${loan.id}/service-credits`)).body).toEqual([]);
});
