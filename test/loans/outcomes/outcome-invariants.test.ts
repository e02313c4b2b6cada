import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';
import { pay } from '../history/conclusion-steps.ts';

const stage = await newStage();

/** Returns only the payment, without reviewing the conclusion that it led to. */
const sendBackAlone = (id: string) =>
  stage.owner.query(`update payments set status = 'returned' where id = $1`, [id]);

/** The violations of these rules. The planted state also breaks rules of the books, which are left out. */
async function broken(...rules: string[]) {
  const all = await violationsIn(stage);
  return all.filter((violation) => rules.some((rule) => violation.startsWith(rule)));
}

const forgive = (tenant: Tenant, id: string, principal_forgiven: string) =>
  tenant.officer.post(`/loans/${id}/modifications`, {
    modification_type: 'principal_forgiveness',
    principal_forgiven,
  });

test('a settled loan, a completed plan and a kept promise without their payment are found', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const promise = { promised_amount: '50.00', promised_date: '2026-01-15', grace_days: 0 };
  await tenant.officer.post(`/loans/${id}/promises-to-pay`, promise);
  await tenant.officer.post(`/loans/${id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '4000.00',
    installments: [{ due_date: '2026-01-15', amount: '4000.00' }],
    waive_remaining: true,
  });
  const payment = await pay(tenant, id, '4000.00');
  await travelTo(stage, tenant, '2026-01-16');
  const before = await violationsIn(stage);

  await sendBackAlone(payment);

  expect(before).toEqual([]);
  expect(await broken('a settled loan', 'a completed payment plan', 'a promise')).toEqual([
    expect.stringContaining('is settled, and no settlement of it was paid in time'),
    expect.stringContaining('of 4000.00 is completed, and 0.00 of it was paid in time'),
    expect.stringContaining('of 50.00 is kept, and 0.00 of it was paid in time'),
  ]);
  await stage.owner.query(`update payments set status = 'completed' where id = $1`, [payment]);
});

test('wrong amounts on 1099-C forms and missing forms are found', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [loan, other] = [await newLoan(tenant), await newLoan(tenant)];
  await forgive(tenant, loan.id, '750.00');
  await forgive(tenant, other.id, '2000.00');
  const before = await violationsIn(stage);

  await stage.owner.query(
    `update forms_1099c set amount_discharged = 800 where loan_id = '${loan.id}'`,
  );
  await stage.owner.query(`delete from forms_1099c where loan_id = '${other.id}'`);

  expect(before).toEqual([]);
  expect(await broken('forms 1099-C')).toEqual([
    expect.stringContaining('reports 800.00, but the ledger has 750.00 forgiven in 2026'),
    expect.stringContaining('2000.00 was forgiven in 2026, and there is no form 1099-C'),
  ]);
  await stage.owner.query(
    `update forms_1099c set amount_discharged = 750 where loan_id = '${loan.id}'`,
  );
});

test('closed and charged-off loans with a wrong state, a waived residual and a released lien are found', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [closed, lost, waived, secured] = await Promise.all(
    [1, 2, 3, 4].map(() => newLoan(tenant)),
  );
  await admin.post(`/loans/${waived?.id}/pay-off`, { amount: '9900.00', waive_residual: true });
  const [payoff] = (await tenant.officer.get(`/loans/${waived?.id}/payments`)).body;
  const item = { loan_id: secured?.id, collateral_type: 'vehicle' };
  const { body: pledged } = await tenant.officer.post('/collateral', item);
  const lien = await tenant.officer.post(`/collateral/${pledged.id}/liens`, { lien_type: 'ucc1' });

  await stage.owner.query(`update loans set status = 'paid_off' where id = $1`, [closed?.id]);
  await stage.owner.query(`update loans set status = 'charged_off' where id = $1`, [lost?.id]);
  await sendBackAlone(payoff.id);
  await stage.owner.query(
    `update liens set status = 'released', release_reason = 'paid_off' where id = $1`,
    [lien.body.id],
  );

  const rules = ['a closed loan', 'a charged-off loan', 'a residual', 'a lien'] as const;
  expect(await broken(...rules)).toEqual([
    expect.stringContaining('is paid_off and owes principal of 10000.00'),
    expect.stringContaining('is charged off, but has no charge-off in force'),
    expect.stringContaining('waives 100.00 with a payoff that was not completed'),
    expect.stringContaining('was released as paid off, loan'),
  ]);
});

test('a late loan shown as current, an active loan that owes nothing, and recoveries without an entry are found', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [late, undated, empty, lost] = await Promise.all([1, 2, 3, 4].map(() => newLoan(tenant)));
  await admin.post(`/loans/${lost?.id}/charge-off`, { reason: 'bankruptcy', force: true });
  await pay(tenant, String(lost?.id), '100.00');
  await travelTo(stage, tenant, '2026-02-17');
  const rules = ['a loan with something past due', 'an active loan', 'what was recovered'] as const;
  const before = await broken(...rules);

  const set = (change: string, id = '') =>
    stage.owner.query(`update loans set ${change} where id = $1`, [id]);
  await set(`delinquency_bucket = 'current'`, late?.id);
  await set('first_delinquency_date = null', undated?.id);
  await set('principal_balance = 0', empty?.id);
  await stage.owner.query(
    `update loan_outlook set accrued_interest = 0, accrued_interest_growth = 0 where loan_id = $1`,
    [empty?.id],
  );
  await set('recovered_amount = 250', lost?.id);

  expect(before).toEqual([]);
  const found = await broken(...rules);
  expect(found).toHaveLength(4);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /unpaid since 2026-02-15, and is shown as current, first delinquent on 2026-02-15/,
      ),
      expect.stringMatching(
        /unpaid since 2026-02-15, and is shown as dpd_1_29, first delinquent on no day/,
      ),
      expect.stringContaining('is active and owes nothing'),
      expect.stringContaining('recovered 250.00, and the books have a recovery of 100.00'),
    ]),
  );
});

test('a promise kept with refunded money is found', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const promise = { promised_amount: '50.00', promised_date: '2026-01-15', grace_days: 0 };
  const { body } = await tenant.officer.post(`/loans/${id}/promises-to-pay`, promise);
  const payment_id = await pay(tenant, id, '50.00');
  await travelTo(stage, tenant, '2026-01-16');
  const refund = { amount: '20.00', payment_id, reason: 'Goodwill' };
  const paidBack = await tenant.officer.post(`/loans/${id}/payments/reimbursement`, refund);
  const judged = await tenant.officer.get(`/promises-to-pay/${body.id}`);

  await stage.owner.query(`update promises_to_pay set status = 'kept' where id = $1`, [body.id]);

  expect(paidBack.status, JSON.stringify(paidBack.body)).toBe(201);
  expect(judged.body.status).toBe('partially_kept');
  expect(await broken('a promise is not kept')).toEqual([
    expect.stringContaining(
      'of 50.00 is kept, and 30.00 of what was paid in time was not refunded',
    ),
  ]);
});
