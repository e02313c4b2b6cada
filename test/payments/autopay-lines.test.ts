import { expect, test } from 'vitest';
import { openLineOfCredit, fetchLoan } from '../setup/lines-of-credit.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

async function enroll({ officer }: Tenant, loan_id: string, amount_type: string) {
  const { body: loan } = await officer.get(`/loans/${loan_id}`);
  const path = `/borrowers/${loan.borrower_id}`;
  const { body: instrument } = await officer.post(`${path}/payment-instruments`, {
    routing_number: '021000021',
    account_number: '000123456789',
    account_type: 'checking',
    account_holder_name: 'Grace Hopper',
  });
  const plan = { loan_id, payment_instrument_id: instrument.id, amount_type };
  const { status, body } = await officer.post(`${path}/autopay-plans`, plan);
  expect(status).toBe(201);
  return body.id as string;
}

test('autopay pays the minimum payment of a line, or its statement balance, on the due date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [least, whole] = [await openLineOfCredit(tenant), await openLineOfCredit(tenant)];
  const plans = [
    await enroll(tenant, least, 'minimum_due'),
    await enroll(tenant, whole, 'statement_balance'),
  ];
  await travelTo(stage, tenant, '2026-02-17');
  for (const id of [least, whole]) {
    await tenant.officer.post(`/loans/${id}/payments`, { amount: '14.00' });
    await tenant.officer.post(`/loans/${id}/draws`, { amount: '1000.00' });
  }
  const next = await tenant.officer.get(`/autopay-plans/${plans[0]}`);
  const announced = [];
  for (const id of [least, whole])
    announced.push((await tenant.officer.get(`/loans/${id}/get-balances`)).body.next_draw);
  await travelTo(stage, tenant, '2026-03-14');

  const drawn = [];
  for (const id of plans) drawn.push((await tenant.officer.get(`/autopay-plans/${id}/draws`)).body);

  expect(next.body).toMatchObject({ next_run_date: '2026-03-13' });
  expect(announced).toEqual([
    { date: '2026-03-13', amount: '87.14' },
    { date: '2026-03-13', amount: '3700.00' },
  ]);
  expect(drawn).toMatchObject([
    [{ due_date: '2026-03-13', amount: '87.14' }],
    [{ due_date: '2026-03-13', amount: '3700.00' }],
  ]);
  expect(await fetchLoan(tenant, least)).toMatchObject({ days_past_due: 0 });
});
