import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a servicing fee applies from its date and changes no earlier remittance', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const { id } = await newLoan(tenant);
  const { admin, sell, investor_id } = await newPortfolioForSale(tenant, id);
  const path = `/investors/${investor_id}`;
  const from = (from_date: string, servicing_fee_rate: string) =>
    admin.post(`${path}/servicing-fee-rates`, { from_date, servicing_fee_rate });
  const told = async (period_end: string) => {
    await admin.post('/ledger/closings', { closed_through: period_end });
    const { body } = await admin.post(`${path}/remittances`, { period_end });
    return body;
  };
  // The loan keeps the rate agreed in the sale, even if the investor's rate changes.
  await sell({ sale_price: '10000.00', settlement_date: '2026-01-31' });
  await admin.put(path, { servicing_fee_rate: '0.009' });
  await travelTo(stage, tenant, '2026-04-02');
  const february = await told('2026-02-28');

  const wrong = await from('2026-03-02', '0.0036');
  const late = await from('2026-02-01', '0.0036');
  const mistaken = await from('2026-03-01', '0.36');
  const right = await from('2026-03-01', '0.0036');
  const ahead = await from('2026-05-01', '0.001');
  const march = await told('2026-03-31');
  const parts = (await admin.get(`/remittances/${march.id}/loans`)).body;
  const again = await from('2026-03-01', '0.001');
  const undated = await admin.put(path, { servicing_fee_rate: '0.002' });
  const renamed = await admin.put(path, { name: 'First', servicing_fee_rate: '0.0090' });
  const list = await admin.get(`${path}/servicing-fee-rates`);

  expect(wrong.body.errors).toEqual({ from_date: 'Must be the first day of a month.' });
  expect([late, again]).toMatchObject(
    Array.from({ length: 2 }, () => ({ status: 409, body: { code: 'already_made' } })),
  );
  expect([mistaken, right, ahead].map(({ status }) => status)).toEqual([201, 201, 201]);
  // A twelfth of half a percent, and then of 0.36 percent, of 10000.00.
  expect(february).toMatchObject({ principal_owned: '10000.00', servicing_fee: '4.17' });
  expect(march).toMatchObject({ principal_owned: '10000.00', servicing_fee: '3.00' });
  expect(parts).toMatchObject([{ servicing_fee_rate: '0.0036' }]);
  expect((await admin.get(`/remittances/${february.id}`)).body).toMatchObject({
    servicing_fee: '4.17',
  });
  expect(undated).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(renamed).toMatchObject({ status: 200, body: { name: 'First' } });
  expect(list.body.map(({ from_date }: { from_date: string }) => from_date)).toEqual([
    '2026-05-01',
    '2026-03-01',
    '2026-03-01',
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan is sold at the fee rate of the day, or gets one when it changes hands', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const { id } = await newLoan(tenant);
  const { admin, sell, investor_id, list } = await newPortfolioForSale(tenant, id);
  const path = `/investors/${investor_id}`;
  const from = (from_date: string, servicing_fee_rate: string) =>
    admin.post(`${path}/servicing-fee-rates`, { from_date, servicing_fee_rate });
  const sale = async () => (await admin.get(list)).body[0];
  await from('2026-01-01', '0.0024');
  await from('2026-02-01', '0.0048');

  await sell({ sale_price: '10000.00', settlement_date: '2026-02-03' });
  const agreed = await sale();
  await admin.put(`/loan-assignments/${agreed.id}`, { servicing_fee_rate: null });
  await travelTo(stage, tenant, '2026-02-04');

  expect(agreed).toMatchObject({ status: 'pending', servicing_fee_rate: '0.0024' });
  expect(await sale()).toMatchObject({ status: 'active', servicing_fee_rate: '0.0048' });
});
