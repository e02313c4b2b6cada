import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

type Row = Record<'open_amount' | 'payment_amount' | 'status', string>;

/**
 * By hand: the first month earned 10000.00 × 0.12 × 31 / 365 = 101.9178, of which 101.92 was paid. The
 * remaining 1000.00 earns 9.2055 by March 15 (in total 111.1233, so 9.20 is owed) and 9.8630 by March 17 (in
 * total 111.7808, so 9.86 is owed). Both rows are below the installment of 2562.81.
 */
test('a row never asks for more than the debt, before and after its due date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { interest_rate: '0.12', term_months: 4 });
  const rowsOf = async () => (await tenant.officer.get(`/loans/${id}/amortization`)).body as Row[];
  await travelTo(stage, tenant, '2026-02-15');
  const pay = (body: object) => tenant.officer.post(`/loans/${id}/payments`, body);
  await pay({ amount: '2562.81' });
  const { body } = await tenant.officer.get(`/loans/${id}`);
  const extra = (Number(body.principal_balance) - 1000).toFixed(2);
  await pay({ amount: extra, payment_type: 'extra_principal' });

  const before = await rowsOf();
  await travelTo(stage, tenant, '2026-03-17');
  const after = await rowsOf();
  const owed = (await tenant.officer.get(`/loans/${id}/get-balances`)).body;
  const installments = (await tenant.officer.get(`/loans/${id}`)).body;
  expect(owed).toMatchObject({ total_balance: '1009.86', past_due_amount: '1009.86' });
  expect(installments).toMatchObject({ past_due_amount: '1009.86' });
  const asked = (rows: readonly Row[]) =>
    rows.slice(1).map(({ payment_amount, open_amount }) => [payment_amount, open_amount]);
  expect(asked(before)).toEqual([
    ['1009.20', '1009.20'],
    ['0.00', '0.00'],
    ['0.00', '0.00'],
  ]);
  expect(asked(after)).toEqual([
    ['1009.86', '1009.86'],
    ['0.00', '0.00'],
    ['0.00', '0.00'],
  ]);
  expect(after.map(({ status }) => status)).toEqual(['paid', 'past_due', 'due', 'upcoming']);
});
