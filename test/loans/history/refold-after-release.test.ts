import { expect, test } from 'vitest';
import { DEFAULT_INSTALLATION } from '../../../jobs/installation.ts';
import { refoldLoans } from '../../../workers/ops/refold-loans.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newPortfolioForSale } from '../../setup/sales.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

/** Runs the operator's command. */
const ask = (mode: string, tenant: Tenant) =>
  refoldLoans.run({
    url: stage.url,
    owner: stage.pool,
    app: stage.pool,
    newPassword: undefined,
    words: [mode],
    options: { tenant: tenant.slug },
    installation: DEFAULT_INSTALLATION,
  });

/** As if the previous release had used another day count. */
const countOtherwise = (...ids: string[]) =>
  stage.owner.query(
    `update loans set day_count = 'actual_360', terms = terms || '{"day_count": "actual_360"}'
     where id = any($1)`,
    [ids],
  );

const entriesOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/ledger/entries?loan_id=${id}&limit=1000`)).body.length as number;

async function story() {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const paying = await newLoan(tenant);
  const closed = await newLoan(tenant);
  const lost = await newLoan(tenant);
  const resting = await newLoan(tenant);
  const same = await newLoan(tenant);
  const sold = await newLoan(tenant);
  const { sell } = await newPortfolioForSale(tenant, sold.id);
  const pay = async ({ id }: { id: string }, amount: string, more = {}) => {
    const { status, body } = await officer.post(`/loans/${id}/payments`, { amount, ...more });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id as string;
  };
  await sell({ sale_price: '9000.00', settlement_date: '2026-01-27' });
  await travelTo(stage, tenant, '2026-01-25');
  for (const loan of [paying, lost, resting, same, sold]) await pay(loan, '315.68');
  const bounced = await pay(paying, '50.00');
  await travelTo(stage, tenant, '2026-01-29');
  await officer.post(`/payments/${bounced}/return`, { return_code: 'R01' });
  await officer.post(`/loans/${closed.id}/pay-off`);
  await admin.post(`/loans/${lost.id}/charge-off`);
  await admin.post(`/loans/${resting.id}/non-accrual`);
  for (const loan of [lost, resting, sold]) await pay(loan, '100.00');
  await travelTo(stage, tenant, '2026-02-01');
  return { tenant, paying, closed, lost, resting, sold, same };
}

test('after a release that calculates loans differently, payments and books are adjusted', async () => {
  const { tenant, paying, closed, lost, resting, sold, same } = await story();
  const { officer } = tenant;
  const entries = await entriesOf(tenant, same.id);
  const [first] = (await officer.get(`/loans/${paying.id}/payments?ordering=payment_date`)).body;
  await countOtherwise(...[paying, closed, lost, resting, sold].map(({ id }) => id));
  const apart = await violationsIn(stage);

  const looked = await ask('look', tenant);
  const untouched = await violationsIn(stage);
  const booked = await ask('book', tenant);

  // Until the refold, the books agree with what the previous release stored.
  expect([apart, untouched]).toEqual([[], []]);
  expect(booked).toEqual(looked);
  expect(booked.rows).toHaveLength(4);
  expect(await violationsIn(stage)).toEqual([]);
  // 10,000.00 × 0.085 × 10 ÷ 360 instead of 365: 23.61 of interest instead of 23.29.
  const after = (await officer.get(`/payments/${first.id}`)).body;
  expect(first).toMatchObject({ principal_applied: '292.39', interest_applied: '23.29' });
  expect(after).toMatchObject({ principal_applied: '292.07', interest_applied: '23.61' });
  expect((await officer.get(`/loans/${paying.id}`)).body).toMatchObject({
    principal_balance: '9707.93',
  });
  expect((await officer.get(`/loans/${closed.id}`)).body).toMatchObject({
    status: 'paid_off',
    total_balance: '0.00',
  });
  expect(await entriesOf(tenant, same.id)).toBe(entries);
  expect(await ask('look', tenant)).toEqual({
    say: 'All stored balances are correct.',
    rows: [],
  });

  await officer.post(`/loans/${paying.id}/payments`, { amount: '315.68' });
  await travelTo(stage, tenant, '2026-02-03');
  expect(await violationsIn(stage)).toEqual([]);
});
