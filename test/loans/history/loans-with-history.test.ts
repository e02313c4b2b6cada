import { expect, test } from 'vitest';
import { refoldLoan } from '../../../jobs/loans/history/refold-loan.ts';
import { boarder, paid } from '../../setup/boarding-histories.ts';
import { pageClient } from '../../setup/pages.ts';
import { portalBorrowerId } from '../../setup/portal.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a displayed history is shown to staff and borrower, and changes no balance', async () => {
  const tenant = await stage.tenant('2025-05-20');
  const board = await boarder(tenant);
  const { status, body } = await board(
    [
      paid('P1', '2025-02-10', '300.00'),
      paid('P2', '2025-03-10', '310.00'),
      { transaction_id: 'R2', date: '2025-03-14', type: 'payment_reversal', reverses: 'P2' },
      { transaction_id: 'N1', date: '2025-03-15', type: 'note', description: 'Called.' },
    ],
    { current_principal_balance: '9700.00', history: { depth: 'displayed' } },
  );

  const earlier = await tenant.officer.get(`/loans/${body.id}/earlier-transactions`);
  const payments = await tenant.officer.get(`/loans/${body.id}/payments`);

  expect(status, JSON.stringify(body)).toBe(201);
  expect(body.principal_balance).toBe('9700.00');
  expect(earlier.body).toHaveLength(4);
  expect(earlier.body).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ transaction_id: 'P2', is_reversed: true, is_replayed: false }),
    ]),
  );
  expect(payments.body).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('the first statement of a brought loan begins with the balance of the takeover', async () => {
  const tenant = await stage.tenant('2025-05-22');
  const board = await boarder(tenant);
  const { body } = await board([
    paid('P1', '2025-02-10'),
    { transaction_id: 'F1', date: '2025-03-01', type: 'fee', amount: '12.00' },
    paid('P2', '2025-05-12', '100.00'),
  ]);
  await tenant.officer.post(`/loans/${body.id}/payments`, { amount: '50.00' });

  await travelTo(stage, tenant, '2025-06-01');
  const { rows } = await stage.owner.query(
    `select figures from statements where loan_id = '${body.id}' order by statement_month`,
  );

  expect(rows).toHaveLength(1);
  const { summary, activity } = rows[0].figures;
  expect(summary).toMatchObject({
    previous_balance: body.total_balance,
    payments: '50.00',
    fees: '0.00',
    disbursements: '0.00',
  });
  expect(activity.map((line: { kind: string }) => line.kind)).toEqual(['payment', 'interest']);
  expect(await violationsIn(stage)).toEqual([]);
});

test('late fees of installments whose grace ended before the takeover are not charged again', async () => {
  const tenant = await stage.tenant('2025-05-20');
  const board = await boarder(tenant);
  const { body } = await board([paid('P1', '2025-02-10')]);

  await travelTo(stage, tenant, '2025-05-24');
  const fees = (await tenant.officer.get(`/loans/${body.id}/fees`)).body;

  expect(fees).toMatchObject([{ fee_type: 'late', installment_number: 4 }]);
});

test('without accrual relief, only what was paid here stays in the receivables', async () => {
  const tenant = await stage.tenant('2025-05-22');
  await saveSettings(tenant, { accounting: { accrual_relief: false } });
  const board = await boarder(tenant);
  const { body } = await board([
    paid('P1', '2025-02-10'),
    { transaction_id: 'F1', date: '2025-03-01', type: 'fee', amount: '12.00' },
    paid('P2', '2025-05-12', '100.00'),
  ]);

  expect(await violationsIn(stage)).toEqual([]);
  await tenant.officer.post(`/loans/${body.id}/payments`, { amount: '350.00' });
  const payments = (await tenant.officer.get(`/loans/${body.id}/payments`)).body;
  const first = payments.find((one: Record<string, string>) => one['amount'] === '100.00');
  await tenant.officer.post(`/payments/${first.id}/reverse`, { reason: 'other' });
  expect(await violationsIn(stage)).toEqual([]);
  await tenant.within((work) => refoldLoan(work, body.id));
  expect(await violationsIn(stage)).toEqual([]);
});

test('a borrower sees what the previous servicer received', async () => {
  const tenant = await stage.tenant('2025-05-20');
  const borrower = await tenant.signedIn('borrower');
  const board = await boarder(tenant, { borrower_id: await portalBorrowerId(tenant) });
  const transactions = [
    paid('P1', '2025-02-10', '300.00'),
    paid('P2', '2025-03-10', '310.00'),
    { transaction_id: 'R2', date: '2025-03-14', type: 'payment_reversal', reverses: 'P2' },
  ];

  const displayed = await board(transactions, { history: { depth: 'displayed' } });
  const replayed = await board(transactions);
  const shownFirst = await borrower.get(`/portal/loans/${displayed.body.id}`);
  const shownSecond = await borrower.get(`/portal/loans/${replayed.body.id}`);
  const earlier = await borrower.get(`/portal/loans/${displayed.body.id}/earlier-transactions`);

  expect(shownFirst.body).toMatchObject({ total_paid: '300.00', has_earlier_payments: true });
  expect(shownSecond.body).toMatchObject({
    total_paid: '300.00',
    has_earlier_payments: true,
    boarded_on: '2025-05-20',
  });
  expect(earlier.body).toHaveLength(3);
  const pages = pageClient(borrower);
  const listed = await pages.get(`/loans/${displayed.body.id}/payments`);
  const summed = await pages.get(`/loans/${displayed.body.id}`);
  expect(listed.status, listed.body).toBe(200);
  expect(listed.body).toContain('Payments to your previous servicer');
  expect(listed.body).toContain('$310.00');
  expect(summed.body).toContain('Paid so far');
});
