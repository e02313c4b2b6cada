import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
type Body = Record<string, unknown>;

const ACCOUNT = {
  routing_number: '021000021',
  account_number: '000123456789',
  account_type: 'checking',
  account_holder_name: 'Grace Hopper',
};

/** A short loan of 1,000 whose borrower is enrolled in autopay. */
async function enrolled(tenant: Tenant, wish: Body, plan: Body = {}) {
  const { officer } = tenant;
  const loan = await newLoan(tenant, {
    principal_amount: '1000.00',
    interest_rate: '0.24',
    term_months: 3,
    ...wish,
  });
  const path = `/borrowers/${loan.borrower_id}`;
  const instrument = await officer.post(`${path}/payment-instruments`, ACCOUNT);
  const made = await officer.post(`${path}/autopay-plans`, {
    loan_id: loan.id,
    payment_instrument_id: instrument.body.id,
    ...plan,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return {
    loan: async () => (await officer.get(`/loans/${loan.id}`)).body,
    draws: async () =>
      (await officer.get(`/autopay-plans/${made.body.id}/draws?ordering=due_date`)).body as Body[],
    id: loan.id,
    plan: made.body.id as string,
  };
}

const CLOSED = { status: 'paid_off', total_balance: '0.00', suspense_balance: '0.00' };

test('the last draw is what is owed on its day: after a weekend, days early, and with a late fee', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const late_fee_grace_days = 10;
  const rule = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '38.70' };
  const product_id = await newProduct(tenant, { fee_rules: [rule], late_fee_grace_days });
  // March 15 is a Sunday.
  const shifted = await enrolled(tenant, { term_months: 2 });
  const before = await enrolled(tenant, {}, { days_before_due: 4 });
  // Autopay does not draw the first installment, which incurs a late fee.
  const charged = await enrolled(tenant, { product_id }, { start_date: '2026-03-01' });

  await travelTo(stage, tenant, '2026-04-20');

  for (const borrower of [shifted, before, charged])
    expect(await borrower.loan()).toMatchObject(CLOSED);
  const [, , last] = await before.draws();
  expect(last).toMatchObject({ due_date: '2026-04-15', run_date: '2026-04-13', status: 'drawn' });
  const drawn = await charged.draws();
  expect(drawn.map(({ due_date }) => due_date)).toEqual(['2026-03-15', '2026-04-15']);
  const [regular, whole] = drawn.map(({ amount }) => Number(amount));
  // The last draw covers the first installment, its own installment and the fee.
  expect(Number(whole)).toBeGreaterThan(2 * Number(regular) + 38.7);
});

test('a loan that still owes something after its last draw is drawn again a month later', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const borrower = await enrolled(tenant, {});
  await travelTo(stage, tenant, '2026-04-16');
  const paidOff = await borrower.loan();
  const [last] = (await officer.get(`/loans/${borrower.id}/payments?ordering=-payment_date`)).body;

  // The retry draws exactly the returned amount, so the interest since then remains.
  await officer.post(`/payments/${last.id}/return`, { return_code: 'R01' });
  await travelTo(stage, tenant, '2026-05-01');
  const next = await officer.get(`/autopay-plans/${borrower.plan}`);
  const owing = await borrower.loan();
  await travelTo(stage, tenant, '2026-05-16');

  expect(paidOff).toMatchObject(CLOSED);
  expect(owing).toMatchObject({ status: 'active' });
  expect(Number(owing.total_balance)).toBeLessThan(5);
  expect(next.body).toMatchObject({ next_due_date: '2026-05-15', next_run_date: '2026-05-15' });
  expect(await borrower.loan()).toMatchObject(CLOSED);
});

test('autopay does not draw an accelerated debt', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const borrower = await enrolled(tenant, {});
  await travelTo(stage, tenant, '2026-03-10');
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${borrower.id}/accelerate`);

  await travelTo(stage, tenant, '2026-05-20');

  expect(await borrower.loan()).toMatchObject({ status: 'active', is_accelerated: true });
  expect((await borrower.draws()).map(({ due_date }) => due_date)).toEqual(['2026-02-15']);
});
