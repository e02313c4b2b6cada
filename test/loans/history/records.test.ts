import { afterAll, expect, test } from 'vitest';
import { openPool } from '../../../sql/database/db.ts';
import { checkInvariants } from '../../../sql/invariants/invariants.ts';
import { newLoan } from '../../setup/loans.ts';
import { addBankAccount } from '../../setup/nacha.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

test('after all record operations on a loan, its books are right and nothing is quarantined', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const add = async (name: string, body: Record<string, unknown>) => {
    const reply = await tenant.officer.post(`/loans/${loan.id}/${name}`, body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  };

  await add('fees', { fee_type: 'other', amount: '30.00' });
  await add('service-credits', { amount: '10.00', reason: 'Goodwill' });
  await add('deferments', { periods: 1, reason: 'Flood', interest_treatment: 'capitalize_at_end' });
  await add('promises-to-pay', { promised_amount: '50.00', promised_date: '2026-01-20' });
  await add('payment-plans', {
    installments: [{ due_date: '2026-01-18', amount: '40.00' }],
    auto_collect: true,
    payment_instrument_id: await addBankAccount(tenant.officer, loan.borrower_id),
  });
  await travelTo(stage, tenant, '2026-01-20');
  const sent = await (await tenant.signedIn('admin')).post('/nacha-files');
  expect(sent.body).toMatchObject({ entry_count: 1, debit_total: '40.00' });
  await travelTo(stage, tenant, '2026-01-25');
  await add('forbearances', {
    start_date: '2026-02-01',
    end_date: '2026-03-20',
    reason: 'Flood',
    interest_accrues: false,
    end_treatment: 're_amortize',
  });
  await travelTo(stage, tenant, '2026-03-25');
  const modification = await add('modifications', {
    modification_type: 'combined',
    new_interest_rate: '0.05',
    principal_forgiven: '700.00',
    interest_treatment: 'waive',
    effective_date: '2026-03-22',
  });
  const { payoff_amount } = await add('payoff-quotes', {});
  await add('payments', { amount: '12000.00', payment_type: 'payoff' });
  await add('payments/reimbursement', { amount: '500.00' });
  await tenant.officer.post(`/modifications/${modification['id']}/reverse`);
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(Number(payoff_amount)).toBeGreaterThan(9000);
  expect(body.status).toMatch(/^(active|paid_off)$/);
  const parked = await stage.owner.query('select step, error from cob_loan_errors');
  expect(parked.rows).toEqual([]);
  expect(await checkInvariants(auditor)).toEqual([]);
});
