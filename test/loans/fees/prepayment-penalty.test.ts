import { afterAll, expect, test } from 'vitest';
import { openPool } from '../../../sql/database/db.ts';
import { checkInvariants } from '../../../sql/invariants/invariants.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

const TWO_PERCENT = {
  calculation: 'percent_of_principal',
  percentage: '0.02',
  within_months: 6,
};

async function strict(tenant: Tenant, prepayment_penalty: object = TWO_PERCENT) {
  const product_id = await newProduct(tenant, { prepayment_penalty });
  return { product_id, ...(await newLoan(tenant, { product_id })) };
}

test('every payoff figure includes the loan’s agreed penalty while it applies', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, product_id } = await strict(tenant);
  const admin = await tenant.signedIn('admin');
  await admin.put(`/products/${product_id}`, { prepayment_penalty: null });
  await travelTo(stage, tenant, '2026-01-25');

  const path = `/loans/${id}`;
  const balances = await tenant.officer.get(`${path}/get-balances`);
  const quote = await tenant.officer.post(`${path}/payoff-quotes`, {});
  const short = await tenant.officer.post(`${path}/pay-off`, { amount: '10023.29' });
  const [snapshot] = (await tenant.officer.get('/loan-snapshots?snapshot_date=2026-01-24')).body;
  const young = await tenant.officer.get(
    `${path}/get-future-balance-projection?as_of_date=2026-07-14`,
  );
  const old = await tenant.officer.get(
    `${path}/get-future-balance-projection?as_of_date=2026-07-15`,
  );

  expect(balances.body).toMatchObject({ total_balance: '10023.29', payoff_amount: '10223.29' });
  expect(quote.body).toMatchObject({ prepayment_penalty: '200.00', payoff_amount: '10223.29' });
  expect(short).toMatchObject({
    status: 409,
    body: { code: 'insufficient_payoff', details: { payoff_amount: '10223.29' } },
  });
  expect(snapshot).toMatchObject({ total_balance: '10023.29', payoff_amount: '10223.29' });
  const share = (Number(young.body.principal_balance) * 0.02).toFixed(2);
  expect(Number(young.body.payoff_amount) - Number(young.body.total_balance)).toBeCloseTo(
    Number(share),
    2,
  );
  expect(old.body.payoff_amount).toBe(old.body.total_balance);
});

/** How a payment was allocated, and the balances after it. */
const figuresOf = ({
  principal_applied,
  fees_applied,
  remaining_balance,
}: Record<string, unknown>) => ({
  principal_applied,
  fees_applied,
  remaining_balance,
});

test('any payoff pays the penalty, unless a quote left it out', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const flat = { calculation: 'flat', amount: '75.00' };
  const [action, payment, spared] = [
    await strict(tenant, flat),
    await strict(tenant, flat),
    await strict(tenant, flat),
  ];

  const trial = { amount: '10075.00', payment_type: 'payoff' };
  const tried = await officer.post(`/loans/${payment.id}/payments/preview`, trial);
  const short = await officer.post(`/loans/${payment.id}/payments/preview`, {
    ...trial,
    amount: '10074.99',
  });
  await officer.post(`/loans/${action.id}/pay-off`, {});
  const paid = await officer.post(`/loans/${payment.id}/payments`, {
    amount: '10075.00',
    payment_type: 'payoff',
  });
  const quote = await officer.post(`/loans/${spared.id}/payoff-quotes`, {
    include_prepayment_penalty: false,
  });
  await officer.post(`/loans/${spared.id}/pay-off`, { payoff_quote_id: quote.body.id });

  expect(tried.body).toMatchObject({ ...figuresOf(paid.body), prepayment_penalty: '75.00' });
  expect(short.body).toMatchObject({ prepayment_penalty: '0.00', fees_applied: '0.00' });
  const feesPaid = async ({ id }: { id: string }) => {
    const loan = await officer.get(`/loans/${id}`);
    expect(loan.body).toMatchObject({ status: 'paid_off', suspense_balance: '0.00' });
    const [payoff] = (await officer.get(`/loans/${id}/payments`)).body;
    return payoff.fees_applied;
  };
  expect(await Promise.all([action, payment, spared].map(feesPaid))).toEqual([
    '75.00',
    '75.00',
    '0.00',
  ]);

  await officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
  const reopened = await officer.get(`/loans/${payment.id}`);
  const fees = await officer.get(`/loans/${payment.id}/fees`);
  expect(reopened.body).toMatchObject({ status: 'active', total_balance: '10000.00' });
  expect(fees.body).toMatchObject([{ fee_type: 'prepayment_penalty', status: 'reversed' }]);
  const violations = await checkInvariants(auditor);
  expect(violations.filter(({ tenant_id }) => tenant_id === tenant.id)).toEqual([]);
});

test('no penalty applies from maturity on, which acceleration brings forward', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await strict(tenant, { calculation: 'flat', amount: '75.00' });
  const admin = await tenant.signedIn('admin');
  const before = await tenant.officer.get(`/loans/${id}/get-balances`);
  await admin.post(`/loans/${id}/accelerate`);
  const after = await tenant.officer.get(`/loans/${id}/get-balances`);

  expect(before.body.payoff_amount).toBe('10075.00');
  expect(after.body.payoff_amount).toBe('10000.00');
});

const penaltiesOf = async ({ officer }: Tenant, id: string) =>
  ((await officer.get(`/loans/${id}/fees`)).body as Record<string, unknown>[])
    .filter(({ fee_type }) => fee_type === 'prepayment_penalty')
    .map(({ amount, amount_paid, status }) => [amount, amount_paid, status]);

test('a payoff that bounces takes back its own penalty, and no other fee of that day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { id } = await strict(tenant, { calculation: 'percent_of_principal', percentage: '0.02' });
  // A penalty that staff charged for a partial repayment on the same day.
  await officer.post(`/loans/${id}/fees`, { fee_type: 'prepayment_penalty', amount: '12.34' });
  await officer.post(`/loans/${id}/pay-off`, {});
  const [payment] = (await officer.get(`/loans/${id}/payments`)).body;
  const paid = await penaltiesOf(tenant, id);

  await officer.post(`/payments/${payment.id}/return`, { return_code: 'R01', waive_fee: true });

  expect(payment).toMatchObject({ amount: '10212.34', fees_applied: '212.34' });
  expect(paid).toEqual([
    ['200.00', '200.00', 'paid'],
    ['12.34', '12.34', 'paid'],
  ]);
  expect(await penaltiesOf(tenant, id)).toEqual([
    ['200.00', expect.any(String), 'reversed'],
    ['12.34', '0.00', 'assessed'],
  ]);
  expect((await officer.get(`/loans/${id}`)).body).toMatchObject({
    status: 'active',
    principal_balance: '10000.00',
    outstanding_fees: '12.34',
  });
  const [told] = (await officer.get(`/loans/${id}/history?entity_type=fees&action=reverse`)).body;
  expect(told).toMatchObject({ changes: { status: { new: 'reversed' } } });
  const violations = await checkInvariants(auditor);
  expect(violations.filter(({ tenant_id }) => tenant_id === tenant.id)).toEqual([]);
});

test('a flat penalty is charged once, although an earlier payment bounces after the payoff', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const flat = { calculation: 'flat', amount: '75.00' };
  const [fixed, share] = [await strict(tenant, flat), await strict(tenant, TWO_PERCENT)];
  const reopen = async (id: string) => {
    const paid = await officer.post(`/loans/${id}/payments`, { amount: '1000.00' });
    const off = await officer.post(`/loans/${id}/pay-off`, {});
    expect(off.body, JSON.stringify(off.body)).toMatchObject({ status: 'paid_off' });
    await officer.post(`/payments/${paid.body.id}/return`, { return_code: 'R01', waive_fee: true });
    return (await officer.get(`/loans/${id}/get-balances`)).body;
  };

  const [first, second] = [await reopen(fixed.id), await reopen(share.id)];
  await travelTo(stage, tenant, '2026-01-16');
  const [snapshot] = (
    await officer.get(`/loan-snapshots?snapshot_date=2026-01-15&loan_id=${fixed.id}`)
  ).body;
  const off = [
    await officer.post(`/loans/${fixed.id}/pay-off`, {}),
    await officer.post(`/loans/${share.id}/pay-off`, {}),
  ];

  expect(first).toMatchObject({ total_balance: '1000.00', payoff_amount: '1000.00' });
  expect(snapshot).toMatchObject({ total_balance: '1000.23', payoff_amount: '1000.23' });
  // 2 % of the 1,000.00 that were not repaid the first time: 20.00, in addition to the 180.00 of then.
  expect(second).toMatchObject({ total_balance: '1000.00', payoff_amount: '1020.00' });
  expect(off.map(({ body }) => body.status)).toEqual(['paid_off', 'paid_off']);
  expect(await penaltiesOf(tenant, fixed.id)).toEqual([['75.00', '75.00', 'paid']]);
  expect(await penaltiesOf(tenant, share.id)).toEqual([
    ['20.00', '20.00', 'paid'],
    ['180.00', '180.00', 'paid'],
  ]);
  const violations = await checkInvariants(auditor);
  expect(violations.filter(({ tenant_id }) => tenant_id === tenant.id)).toEqual([]);
});
