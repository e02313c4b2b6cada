import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const defer = (tenant: Tenant, id: string, body: Record<string, unknown> = {}) =>
  tenant.officer.post(`/loans/${id}/deferments`, { periods: 2, reason: 'Holiday', ...body });

test('deferred payments move to the end with the maturity date, for a fee', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const made = await defer(tenant, loan.id, { fee_amount: '20.00' });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(made).toMatchObject({
    status: 201,
    body: { status: 'active', start_installment: 1, end_date: '2026-04-14' },
  });
  expect(body).toMatchObject({
    next_payment_date: '2026-04-15',
    maturity_date: '2029-03-15',
    outstanding_fees: '20.00',
  });
  await travelTo(stage, tenant, '2026-04-16');
  expect((await tenant.officer.get(`/deferments/${made.body.id}`)).body.status).toBe('completed');
});

test('a deferment’s interest is waived, or capitalized at its end', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const waived = await newLoan(tenant);
  const added = await newLoan(tenant);

  await defer(tenant, waived.id, { periods: 1, interest_treatment: 'waive' });
  await defer(tenant, added.id, { periods: 1, interest_treatment: 'capitalize_at_end' });
  await travelTo(stage, tenant, '2026-03-16');
  const withoutInterest = await tenant.officer.get(`/loans/${waived.id}`);
  const withInterest = await tenant.officer.get(`/loans/${added.id}`);

  // March 15 earns 2.33. If interest is deferred, the 59 days before it are capitalized.
  expect(withoutInterest.body).toMatchObject({
    principal_balance: '10000.00',
    accrued_interest: '2.33',
  });
  expect(withInterest.body).toMatchObject({
    principal_balance: '10137.40',
    accrued_interest: '2.36',
  });
  expect(await balancesByRole(tenant)).toMatchObject({
    loans_receivable: '20137.40',
    interest_receivable: '4.69',
  });
});

test('if the maturity stays, fewer payments repay the loan; if only principal is deferred, interest is paid', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const fixed = await newLoan(tenant);
  const interest = await newLoan(tenant);

  await defer(tenant, fixed.id, { extend_maturity: false });
  await defer(tenant, interest.id, { deferment_type: 'principal_only' });
  const shorter = await tenant.officer.get(`/loans/${fixed.id}/amortization`);
  const interestOnly = await tenant.officer.get(`/loans/${interest.id}/amortization`);

  expect(shorter.body).toHaveLength(34);
  expect(shorter.body[0].due_date).toBe('2026-04-15');
  expect(shorter.body.at(-1)).toMatchObject({ due_date: '2029-01-15', ending_balance: '0.00' });
  expect(interestOnly.body).toHaveLength(38);
  expect(interestOnly.body.slice(0, 3)).toMatchObject([
    { due_date: '2026-02-15', payment_amount: '72.19', principal_amount: '0.00' },
    { due_date: '2026-03-15', payment_amount: '65.21' },
    { due_date: '2026-04-15', payment_amount: '315.68' },
  ]);
  expect(interestOnly.body.at(-1)).toMatchObject({
    due_date: '2029-03-15',
    ending_balance: '0.00',
  });
});

test('the product limits deferments per twelve months, and a future one can be canceled', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const on = (start_date: string) => ({ start_date, periods: 1 });

  const first = await defer(tenant, loan.id, on('2026-02-01'));
  const canceled = await tenant.officer.put(`/deferments/${first.body.id}`, { status: 'canceled' });
  const second = await defer(tenant, loan.id, on('2026-02-01'));
  const overlapping = await defer(tenant, loan.id, on('2026-02-01'));
  const third = await defer(tenant, loan.id, on('2026-06-01'));
  const beyond = await defer(tenant, loan.id, on('2026-09-01'));
  const nothing = await defer(tenant, loan.id, { periods: null });

  expect([first.body.status, canceled.body.status]).toEqual(['scheduled', 'canceled']);
  expect([second.status, third.status]).toEqual([201, 201]);
  expect(overlapping).toMatchObject({ status: 409, body: { code: 'overlaps' } });
  expect(beyond).toMatchObject({
    status: 409,
    body: { code: 'limit_exceeded', details: { limit: 2 } },
  });
  expect(nothing).toMatchObject({ status: 422, body: { errors: { periods: expect.any(String) } } });
});

test('an end date beyond 24 installments is refused, and nothing is stored', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const made = await defer(tenant, loan.id, { periods: null, end_date: '2900-01-01' });

  expect(made).toMatchObject({ status: 422, body: { errors: { end_date: expect.anything() } } });
  expect((await tenant.officer.get(`/loans/${loan.id}/deferments`)).body).toEqual([]);
});

test('deferred installments show as deferred until the deferment ends', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const partial = await newLoan(tenant);
  const statuses = async ({ id }: { id: string }) =>
    ((await tenant.officer.get(`/loans/${id}/amortization`)).body as { status: string }[])
      .slice(0, 4)
      .map(({ status }) => status);

  await defer(tenant, loan.id);
  await defer(tenant, partial.id, { deferment_type: 'principal_only' });
  const during = await statuses(loan);
  await travelTo(stage, tenant, '2026-04-15');
  const after = await statuses(loan);

  expect(during).toEqual(['deferred', 'deferred', 'upcoming', 'upcoming']);
  expect(await statuses(partial)).not.toContain('deferred');
  expect(after).toEqual(['due', 'upcoming', 'upcoming', 'upcoming']);
});
