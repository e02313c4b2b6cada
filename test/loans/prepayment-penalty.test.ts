import { afterAll, expect, test } from 'vitest';
import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

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
