import { expect, test } from 'vitest';
import { newEnrolledLoan } from '../../setup/autopay.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('autopay follows the new schedule from the moment it applies', async () => {
  const { officer, loan, plan } = await newEnrolledLoan(stage);

  const before = await plan();
  await officer.post(`/loans/${loan.id}/reschedule`, { shift_days: 6 });
  const after = await plan();

  expect(before).toMatchObject({ next_due_date: '2026-02-15' });
  expect(after).toMatchObject({ next_due_date: '2026-02-21', next_run_date: '2026-02-23' });
});

test('a modification that moves the first installment, and its reversal, show on the loan immediately', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const path = `/loans/${loan.id}`;
  const shown = async () => {
    const { first_payment_date, payment_amount, maturity_date } = (await tenant.officer.get(path))
      .body as Record<string, string>;
    return [first_payment_date, payment_amount, maturity_date];
  };

  const before = await shown();
  const made = await tenant.officer.post(`${path}/modifications`, {
    modification_type: 'due_date_change',
    new_payment_day: 20,
    reason: 'other',
  });
  const moved = await shown();
  await tenant.officer.post(`/modifications/${made.body.id}/reverse`);

  expect(before).toEqual(['2026-02-15', '315.68', '2029-01-15']);
  expect(moved).toEqual(['2026-02-20', '315.68', '2029-01-20']);
  expect(await shown()).toEqual(before);
});

test('a boarded loan shows the installment of its new schedule when the old one ends', async () => {
  const tenant = await stage.tenant('2026-03-10');
  const borrower = await tenant.officer.post('/borrowers', {
    first_name: 'Ada',
    last_name: 'Byron',
  });
  const admin = await tenant.signedIn('admin');
  const boarded = await admin.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '12000.00',
    current_principal_balance: '11000.00',
    interest_rate: '0.085',
    term_months: 36,
    payment_amount: '378.82',
    origination_date: '2025-12-15',
    first_payment_date: '2026-01-15',
    paid_through_date: '2026-02-15',
  });
  const path = `/loans/${boarded.body.id}`;
  const installment = async () => (await tenant.officer.get(path)).body.payment_amount as string;
  const published = await installment();
  const paid = await tenant.officer.post(`${path}/payments`, {
    amount: '3000.00',
    payment_type: 'extra_principal',
  });
  await tenant.officer.post(`${path}/modifications`, {
    modification_type: 're_amortize',
    reason: 'other',
  });
  const lower = await installment();
  await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
  const again = await installment();

  expect(published).toBe('378.82');
  expect(Number(lower)).toBeLessThan(300);
  // 11,000 over the 34 remaining installments.
  expect(Number(again)).toBeGreaterThan(360);
});
