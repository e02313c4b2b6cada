import { Big } from 'big.js';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openPool, sql } from '../../../sql/database/db.ts';
import { checkInvariants } from '../../../sql/invariants/invariants.ts';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

async function lineOf(tenant: Tenant) {
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const { id } = await newLoan(tenant, { product_id, status: 'approved' });
  await tenant.officer.post(`/loans/${id}/disburse`, { amount: '4000.00' });
  return id;
}

const drawOn = async (tenant: Tenant, id: string, more: object = {}) =>
  (await tenant.officer.post(`/loans/${id}/draws`, { amount: '2500.00', ...more })).body.id;
const reverse = (tenant: Tenant, id: string) =>
  tenant.officer.post(`/draws/${id}/reverse`, { reason: 'It never went out' });

async function standing({ officer }: Tenant, id: string) {
  const [{ body: balances }, { body: loan }, { body: plan }] = await Promise.all([
    officer.get(`/loans/${id}/get-balances`),
    officer.get(`/loans/${id}`),
    officer.get(`/loans/${id}/amortization`),
  ]);
  const asked = plan.map((row: Record<string, unknown>) => [
    row['period_number'],
    row['due_date'],
    row['payment_amount'],
    row['status'],
  ]);
  const { available_credit, disbursed_amount, outstanding_fees, status } = loan;
  return { balances, asked, available_credit, disbursed_amount, outstanding_fees, status };
}

test('a reversed draw leaves the loan unchanged', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [untouched, drawn] = [await lineOf(tenant), await lineOf(tenant)];
  await travelTo(stage, tenant, '2026-01-20');
  const draw = await drawOn(tenant, drawn, { fee_amount: '25.00' });
  await travelTo(stage, tenant, '2026-02-15');
  for (const id of [untouched, drawn])
    await tenant.officer.post(`/loans/${id}/payments`, { amount: '150.00' });
  await travelTo(stage, tenant, '2026-03-03');

  const reversed = await reverse(tenant, draw);
  const again = await reverse(tenant, draw);
  const deleted = await tenant.officer.delete(`/draws/${draw}`);

  expect(reversed).toMatchObject({ status: 200, body: { status: 'reversed' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(deleted).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(await standing(tenant, drawn)).toEqual(await standing(tenant, untouched));
  const fees = await tenant.officer.get(`/loans/${drawn}/fees`);
  expect(fees.body).toMatchObject([{ status: 'reversed', draw_id: draw }]);
  const books = await balancesByRole(tenant);
  expect(books).not.toHaveProperty('fee_income');
  const mirrored = await tenant.within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ entry_date: z.string() }))`
      select entry_date from journal_entries where reference_type = 'draw_reversal'
    `),
  );
  expect(mirrored).toEqual(['2026-03-03']);
  const violations = await checkInvariants(auditor);
  expect(violations.filter(({ tenant_id }) => tenant_id === tenant.id)).toEqual([]);
});

const Statement = z.object({
  figures: z.looseObject({
    summary: z.looseObject({ previous_balance: z.string(), new_balance: z.string() }),
    activity: z.array(z.looseObject({ kind: z.string(), amount: z.string() })),
  }),
});

test('a draw reversed in another month is on that month’s statement, whose lines add up', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await lineOf(tenant);
  const draw = await drawOn(tenant, id, { fee_amount: '25.00' });
  await travelTo(stage, tenant, '2026-02-10');
  await reverse(tenant, draw);
  await travelTo(stage, tenant, '2026-03-01');

  const { summary, activity } = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(Statement)`
      select figures from statements where loan_id = ${id} and statement_month = '2026-02-01'
    `),
  );
  const moved = activity.reduce((total, { amount }) => total.plus(amount), new Big(0));
  expect(moved.plus(summary.previous_balance).toFixed(2)).toBe(summary.new_balance);
  expect(activity.map(({ kind, amount }) => [kind, amount])).toEqual(
    expect.arrayContaining([
      ['disbursement_reversed', '-2500.00'],
      ['fee_reversed', '-25.00'],
    ]),
  );
});

test('an earlier draw can be reversed after a later one, and the schedule repays what is owed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await lineOf(tenant);
  const first = await drawOn(tenant, id);
  await travelTo(stage, tenant, '2026-01-25');
  await drawOn(tenant, id, { amount: '1000.00' });

  await reverse(tenant, first);

  const after = await standing(tenant, id);
  expect(after).toMatchObject({
    balances: { principal_balance: '5000.00' },
    available_credit: '5000.00',
    disbursed_amount: '5000.00',
  });
  const projected = await tenant.officer.get(
    `/loans/${id}/get-future-balance-projection?as_of_date=2029-02-01`,
  );
  expect(projected.body.total_balance).toBe('0.00');
});

test('reversing draws and service credits needs a second person if the tenant requires it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await lineOf(tenant);
  const draw = await drawOn(tenant, id);
  const credit = await tenant.officer.post(`/loans/${id}/service-credits`, {
    amount: '10.00',
    reason: 'Goodwill',
  });
  await saveSettings(tenant, { approvals: { four_eyes: ['reversals'] } });

  const asked = [
    await reverse(tenant, draw),
    await tenant.officer.post(`/service-credits/${credit.body.id}/reverse`),
  ];

  expect(asked).toMatchObject([
    { status: 202, body: { kind: 'reversals' } },
    { status: 202, body: { kind: 'reversals' } },
  ]);
});
