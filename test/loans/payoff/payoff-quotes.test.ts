import { expect, test } from 'vitest';
import { setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a quote is the payoff amount of its day, to the cent, and explains its interest', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const quote = await tenant.officer.post(`/loans/${loan.id}/payoff-quotes`, {
    payoff_date: '2026-02-15',
  });
  await setBusinessDate(tenant, '2026-02-15');
  const paid = await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: quote.body.payoff_amount,
    payment_type: 'payoff',
  });

  expect(quote).toMatchObject({
    status: 201,
    body: {
      quote_number: 'PQ-LN-2026-000001-1',
      status: 'active',
      good_through_date: '2026-02-25',
      principal_amount: '10000.00',
      accrued_interest: '72.19',
      per_diem: '2.33',
      payoff_amount: '10072.19',
      payoff_amount_good_through: '10095.48',
      explanation: [{ from: '2026-01-15', to: '2026-02-15', days: 31, balance: '10000.00' }],
    },
  });
  expect(quote.body.document_id).not.toBeNull();
  expect(paid.body.remaining_balance).toBe('0.00');
  expect((await tenant.officer.get(`/loans/${loan.id}`)).body.status).toBe('paid_off');
});

test('a newer quote supersedes the older one, and a quote expires after its last day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const path = `/loans/${loan.id}/payoff-quotes`;

  const first = await tenant.officer.post(path);
  const second = await tenant.officer.post(path, { good_through_date: '2026-01-16' });
  await setBusinessDate(tenant, '2026-01-17');
  const listed = await tenant.officer.get(path);
  const refused = await tenant.officer.delete(`/payoff-quotes/${first.body.id}`);
  const past = await tenant.officer.post(path, { payoff_date: '2026-01-16' });

  expect(listed.body.map(({ id, status }: Record<string, string>) => [id, status])).toEqual([
    [second.body.id, 'expired'],
    [first.body.id, 'superseded'],
  ]);
  expect(refused).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(past).toMatchObject({
    status: 422,
    body: { errors: { payoff_date: expect.any(String) } },
  });
});

test('a quote includes the product’s penalty while it applies, unless it is left out', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    prepayment_penalty: {
      calculation: 'percent_of_principal',
      percentage: '0.02',
      within_months: 6,
    },
  });
  const loan = await newLoan(tenant, { product_id });
  const path = `/loans/${loan.id}/payoff-quotes`;

  const young = await tenant.officer.post(path, { delivery_method: 'email' });
  const without = await tenant.officer.post(path, { include_prepayment_penalty: false });
  const old = await tenant.officer.post(path, { payoff_date: '2026-07-15' });

  expect(young.body).toMatchObject({ prepayment_penalty: '200.00', payoff_amount: '10200.00' });
  expect(without.body).toMatchObject({ prepayment_penalty: '0.00', payoff_amount: '10000.00' });
  expect(old.body.prepayment_penalty).toBe('0.00');
});

test('a product without its own number of days uses the settings’, and its loans keep them', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { payoff: { quote_valid_days: 21 } });
  const product_id = await newProduct(tenant, {});
  const own = await newProduct(tenant, { payoff_quote_valid_days: 3 });
  await saveSettings(tenant, { payoff: { quote_valid_days: 5 } });

  const goodThrough = async (product: string) => {
    const { id } = await newLoan(tenant, { product_id: product });
    return (await tenant.officer.post(`/loans/${id}/payoff-quotes`, {})).body.good_through_date;
  };

  expect(await goodThrough(product_id)).toBe('2026-02-05');
  expect(await goodThrough(own)).toBe('2026-01-18');
});
