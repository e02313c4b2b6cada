import { expect, test } from 'vitest';
import { balancesByRole, setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a draw within the line’s limit raises the balance, and one beyond it is refused', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const loan = await newLoan(tenant, { product_id, status: 'approved' });
  await tenant.officer.post(`/loans/${loan.id}/disburse`, { amount: '4000.00' });

  const draw = await tenant.officer.post(`/loans/${loan.id}/draws`, {
    amount: '2500.00',
    fee_amount: '25.00',
  });
  const beyond = await tenant.officer.post(`/loans/${loan.id}/draws`, { amount: '3500.01' });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  const plan = await tenant.officer.get(`/loans/${loan.id}/amortization`);

  expect(draw).toMatchObject({
    status: 201,
    body: { draw_number: 1, outstanding_principal: '6500.00', available_credit_after: '3500.00' },
  });
  expect(beyond).toMatchObject({
    status: 409,
    body: { code: 'exceeds_available_credit', details: { available_credit: '3500.00' } },
  });
  expect(body).toMatchObject({
    principal_balance: '6500.00',
    credit_limit: '10000.00',
    available_credit: '3500.00',
    outstanding_fees: '25.00',
  });
  expect(plan.body).toHaveLength(36);
  expect(plan.body[0].beginning_balance).toBe('6500.00');
  expect(await balancesByRole(tenant)).toMatchObject({
    loans_receivable: '6500.00',
    cash: '-6500.00',
  });
});

test('a loan without a line cannot be drawn on, nor can a frozen line', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const plain = await tenant.officer.get(`/loans/${loan.id}`);
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoan(tenant, { product_id, status: 'approved' });
  await tenant.officer.post(`/loans/${line.id}/disburse`, { amount: '100.00' });
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${line.id}/freeze`);

  const noLine = await tenant.officer.post(`/loans/${loan.id}/draws`, { amount: '1.00' });
  const frozen = await tenant.officer.post(`/loans/${line.id}/draws`, { amount: '1.00' });

  expect(plain.body).toMatchObject({ credit_limit: null, available_credit: null });
  expect(noLine).toMatchObject({ status: 409, body: { code: 'not_a_line' } });
  expect(frozen).toMatchObject({ status: 409, body: { code: 'not_fundable' } });
});

test('the rest of the approved amount can be disbursed later, but no more', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant, { status: 'approved' });

  const first = await tenant.officer.post(`/loans/${loan.id}/disbursements`, {
    amount: '6000.00',
    payee_name: 'Builder',
  });
  await setBusinessDate(tenant, '2026-01-25');
  const second = await tenant.officer.post(`/loans/${loan.id}/disbursements`);
  const third = await tenant.officer.post(`/loans/${loan.id}/disbursements`);
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(first).toMatchObject({ status: 201, body: { amount: '6000.00', payee_name: 'Builder' } });
  expect(second).toMatchObject({ status: 201, body: { amount: '4000.00', net_amount: '4000.00' } });
  expect(second.body.journal_entry_id).not.toBeNull();
  expect(third).toMatchObject({ status: 409, body: { code: 'exceeds_commitment' } });
  // Ten days of 6000.00 at 0.085 on 365 days.
  expect(body).toMatchObject({ principal_balance: '10000.00', accrued_interest: '13.97' });
});
