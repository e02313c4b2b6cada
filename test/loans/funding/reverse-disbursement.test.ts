import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

async function undo(tenant: Tenant, loanId: string) {
  const [last] = (await tenant.officer.get(`/loans/${loanId}/disbursements`)).body;
  return tenant.officer.post(`/disbursements/${last.id}/reverse`, {});
}

test('a reversed disbursement leaves an approved loan that can be disbursed again', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const fee = { fee_type: 'origination', calculation: 'flat', trigger: 'disbursement' };
  const product_id = await newProduct(tenant, { fee_rules: [{ ...fee, amount: '50.00' }] }, admin);
  const loan = await newLoan(tenant, { product_id });
  const before = (await tenant.officer.get(`/loans/${loan.id}/amortization`)).body;
  await travelTo(stage, tenant, '2026-03-20');

  const undone = await undo(tenant, loan.id);
  const approved = (await tenant.officer.get(`/loans/${loan.id}`)).body;
  const empty = await balancesByRole(tenant);
  const fees = (await tenant.officer.get(`/loans/${loan.id}/fees`)).body;
  const again = await tenant.officer.post(`/loans/${loan.id}/disburse`);
  const plan = (await tenant.officer.get(`/loans/${loan.id}/amortization`)).body;
  await travelTo(stage, tenant, '2026-04-20');
  const served = (await tenant.officer.get(`/loans/${loan.id}`)).body;

  expect(undone, JSON.stringify(undone.body)).toMatchObject({
    status: 200,
    body: { status: 'reversed' },
  });
  expect(approved).toMatchObject({
    status: 'approved',
    disbursed_amount: '0.00',
    principal_balance: '0.00',
    total_balance: '0.00',
    disbursement_date: null,
    maturity_date: null,
    days_past_due: 0,
  });
  expect(empty).toEqual({});
  expect(fees).toMatchObject([{ status: 'reversed', outstanding_amount: '0.00' }]);
  expect(again).toMatchObject({
    status: 200,
    body: {
      status: 'active',
      principal_balance: '10000.00',
      outstanding_fees: '50.00',
      accrued_interest: '0.00',
      disbursement_date: '2026-03-20',
      next_payment_date: '2026-04-20',
    },
  });
  expect(plan).toHaveLength(36);
  expect(plan[0].payment_amount).toBe(before[0].payment_amount);
  expect(served).toMatchObject({ accrued_interest: '72.19', days_past_due: 0 });
  expect(await violationsIn(stage)).toEqual([]);
});

test('two reversals leave an approved loan', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await undo(tenant, id);
  await tenant.officer.post(`/loans/${id}/disburse`);

  const undone = await undo(tenant, id);

  expect(undone.status, JSON.stringify(undone.body)).toBe(200);
  expect((await tenant.officer.get(`/loans/${id}`)).body.status).toBe('approved');
  expect(await balancesByRole(tenant)).toEqual({});
});

test('a disbursement cannot be reversed after a payment or a second disbursement', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const paid = await newLoan(tenant);
  await tenant.officer.post(`/loans/${paid.id}/payments`, { amount: '10.00' });
  const once = await newLoan(tenant);
  await undo(tenant, once.id);

  expect(await undo(tenant, paid.id)).toMatchObject({
    status: 409,
    body: { code: 'has_transactions', details: { event: 'payment' } },
  });
  expect(await undo(tenant, once.id)).toMatchObject({ status: 409, body: { code: 'immutable' } });
});

test('a loan amount that no disbursement could record is refused at creation', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const refused = newLoan(tenant, { status: 'pending', principal_amount: '10000000000.00' });

  await expect(refused).rejects.toThrow('Must be at most 9999999999.99');
  await newLoan(tenant, { principal_amount: '9999999999.99' });
});

test.each(['deducted', 'capitalized', 'amortized'])(
  'a fee that was %s is reversed with its disbursement, and charged again with the next',
  async (treatment) => {
    const tenant = await stage.tenant('2026-01-15');
    const admin = await tenant.signedIn('admin');
    const fee = {
      fee_type: 'origination',
      calculation: 'flat',
      trigger: 'disbursement',
      treatment,
    };
    const product_id = await newProduct(
      tenant,
      { fee_rules: [{ ...fee, amount: '50.00' }] },
      admin,
    );
    const loan = await newLoan(tenant, { product_id });
    const first = (await tenant.officer.get(`/loans/${loan.id}`)).body;
    await travelTo(stage, tenant, '2026-01-25');

    const undone = await undo(tenant, loan.id);
    const empty = await balancesByRole(tenant);
    const again = await tenant.officer.post(`/loans/${loan.id}/disburse`);
    const fees = (await tenant.officer.get(`/loans/${loan.id}/fees`)).body;

    expect(undone.status, JSON.stringify(undone.body)).toBe(200);
    expect(empty).toEqual({});
    expect(again.body).toMatchObject({
      principal_balance: first.principal_balance,
      outstanding_fees: first.outstanding_fees,
      payment_amount: first.payment_amount,
    });
    expect(fees.map((fee: { status: string }) => fee.status === 'reversed')).toEqual([false, true]);
    expect(await violationsIn(stage)).toEqual([]);
  },
);
