import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a past day’s balances are available as known now and as known then', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-15');
  await tenant.officer.post(`/loans/${id}/payments`, {
    amount: '1000.00',
    effective_date: '2026-01-25',
  });
  const at = async (query: string) =>
    (await tenant.officer.get(`/loans/${id}/get-balances?as_of_date=2026-02-04${query}`)).body;

  const [now, then] = [await at(''), await at('&known=then')];
  const before = await tenant.officer.get(`/loans/${id}/get-balances?as_of_date=2026-01-01`);

  expect(now).toMatchObject({ as_of_date: '2026-02-04', principal_balance: '9023.29' });
  expect(then).toMatchObject({ principal_balance: '10000.00', accrued_interest: '46.58' });
  expect(before.body).toMatchObject({ principal_balance: '0.00', total_balance: '0.00' });
});

test('a future date has no past balances, and the projection accepts only future dates', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const path = `/loans/${id}/get-future-balance-projection`;

  const future = await tenant.officer.get(`/loans/${id}/get-balances?as_of_date=2026-01-16`);
  const missing = await tenant.officer.get(path);
  const past = await tenant.officer.get(`${path}?as_of_date=2026-01-14`);
  const today = await tenant.officer.get(`${path}?as_of_date=2026-01-15`);

  expect(future.status).toBe(422);
  expect(missing).toMatchObject({
    status: 422,
    body: { errors: { as_of_date: expect.any(String) } },
  });
  expect(past).toMatchObject({ status: 422, body: { errors: { as_of_date: expect.any(String) } } });
  expect(today.body).toMatchObject({ total_balance: '10000.00', days: 0 });
});

test('the projection includes a payment due on its own date, also today', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const ask = async (path: string) => (await tenant.officer.get(`/loans/${id}/${path}`)).body;
  const projected = () => ask('get-future-balance-projection?as_of_date=2026-02-15');
  const ahead = await projected();
  await travelTo(stage, tenant, '2026-02-15');

  const [unpaid, today] = [await ask('get-balances'), await projected()];
  await tenant.officer.post(`/loans/${id}/payments`, { amount: unpaid.next_payment_amount });
  const [paid, after] = [await ask('get-balances'), await projected()];

  const figures = {
    principal_balance: paid.principal_balance,
    total_balance: paid.total_balance,
    payoff_amount: paid.payoff_amount,
    next_payment_date: '2026-03-15',
  };
  expect(unpaid).toMatchObject({ next_payment_date: '2026-02-15' });
  expect(ahead).toMatchObject(figures);
  expect(today).toMatchObject(figures);
  expect(after).toMatchObject(figures);
});

test('the projection makes every scheduled payment and ends at zero', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const at = async (day: string) =>
    (await tenant.officer.get(`/loans/${id}/get-future-balance-projection?as_of_date=${day}`)).body;

  const [soon, end, far] = [await at('2026-02-15'), await at('2029-01-15'), await at('2076-01-01')];

  expect(soon).toMatchObject({
    as_of_date: '2026-02-15',
    assumption: 'scheduled_payments_made',
    days: 31,
    principal_balance: '9756.51',
    next_payment_date: '2026-03-15',
  });
  expect(end).toMatchObject({ total_balance: '0.00', next_payment_date: null });
  expect(far).toMatchObject({ total_balance: '0.00' });
});
