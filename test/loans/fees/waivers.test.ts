import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

async function charged(tenant: Tenant) {
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  const fee = await tenant.officer.post(`/loans/${id}/fees`, {
    fee_type: 'legal',
    amount: '25.00',
  });
  return { id, fee_id: fee.body.id as string };
}

const pay = (tenant: Tenant, id: string, amount: string, effective_date?: string) =>
  tenant.officer.post(`/loans/${id}/payments`, { amount, effective_date });
const waive = (tenant: Tenant, fee_id: string, more: object = {}) =>
  tenant.officer.post(`/fees/${fee_id}/waive`, { reason: 'Not the borrower’s fault', ...more });

async function standing(tenant: Tenant, { id, fee_id }: { id: string; fee_id: string }) {
  const { officer } = tenant;
  const [balances, fee, payments, ledger] = await Promise.all([
    officer.get(`/loans/${id}/get-balances`),
    officer.get(`/fees/${fee_id}`),
    officer.get(`/loans/${id}/payments`),
    balancesByRole(tenant),
  ]);
  const { amount_paid, amount_waived, status } = fee.body;
  const [payment] = payments.body;
  const { fees_applied, interest_applied, principal_applied } = payment;
  const split = { fees_applied, interest_applied, principal_applied };
  return { balances: balances.body, fee: { amount_paid, amount_waived, status }, split, ledger };
}

test('a late-entered payment does not pay a waived fee, in either order of entry', async () => {
  const [one, other] = [await stage.tenant('2026-01-15'), await stage.tenant('2026-01-15')];
  const [late, early] = [await charged(one), await charged(other)];

  await travelTo(stage, one, '2026-02-01');
  expect(await waive(one, late.fee_id)).toMatchObject({ status: 200 });
  expect(await pay(one, late.id, '500.00', '2026-01-25')).toMatchObject({ status: 201 });
  await travelTo(stage, other, '2026-01-25');
  await pay(other, early.id, '500.00');
  await travelTo(stage, other, '2026-02-01');
  await waive(other, early.fee_id);

  const found = await standing(one, late);
  expect(found.fee).toEqual({ amount_paid: '0.00', amount_waived: '25.00', status: 'waived' });
  expect(found.split).toEqual({
    fees_applied: '0.00',
    interest_applied: '23.29',
    principal_applied: '476.71',
  });
  expect(await standing(other, early)).toEqual(found);
});

const Entry = z.object({ entry_date: z.string(), reference_type: z.string(), amount: z.string() });

test('a waiver and its consequences are booked and announced on the day it is entered', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await charged(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  await pay(tenant, loan.id, '500.00');
  await travelTo(stage, tenant, '2026-02-10');
  await waive(tenant, loan.fee_id);

  const entries = await tenant.within(({ tx }) =>
    tx.any(sql.type(Entry)`
      select entry.entry_date, entry.reference_type, sum(line.debit) as amount
      from journal_entries as entry join journal_lines as line on line.entry_id = entry.id
      where entry.entry_date = '2026-02-10' and entry.loan_id = ${loan.id}
      group by entry.id, entry.entry_date, entry.reference_type order by entry.id
    `),
  );
  expect(entries).toEqual([
    expect.objectContaining({ reference_type: 'interest_accrual' }),
    expect.objectContaining({ reference_type: 'payment', amount: '50.00' }),
    expect.objectContaining({ reference_type: 'fee_waiver', amount: '25.00' }),
  ]);
  await travelTo(stage, tenant, '2026-03-01');
  const { activity, summary } = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(
      z.object({
        figures: z.looseObject({
          summary: z.looseObject({ credits: z.string() }),
          activity: z.array(z.looseObject({ kind: z.string() })),
        }),
      }),
    )`
      select figures from statements
      where loan_id = ${loan.id} and statement_month = '2026-02-01'
    `),
  );
  expect(summary.credits).toBe('25.00');
  expect(activity).toContainEqual(
    expect.objectContaining({ date: '2026-02-10', kind: 'fee_waived', amount: '-25.00' }),
  );
  expect(activity.map(({ kind }) => kind)).not.toContain('credit');
});

test('when a paid fee is waived, the money pays the loan or waits for a refund', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await charged(tenant);
  await pay(tenant, loan.id, '10.00');
  const part = await waive(tenant, loan.fee_id, { amount: '20.00' });
  const more = await waive(tenant, loan.fee_id, { amount: '6.00' });
  await tenant.officer.post(`/loans/${loan.id}/pay-off`, {});
  const rest = await waive(tenant, loan.fee_id);
  const again = await waive(tenant, loan.fee_id);

  expect(part.body).toMatchObject({ amount_paid: '5.00', amount_waived: '20.00' });
  expect(more).toMatchObject({
    status: 409,
    body: { code: 'exceeds_outstanding', details: { waivable_amount: '5.00' } },
  });
  expect(rest.body).toMatchObject({ amount_paid: '0.00', status: 'waived' });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_waive' } });
  const after = await tenant.officer.get(`/loans/${loan.id}`);
  expect(after.body).toMatchObject({ status: 'paid_off', suspense_balance: '5.00' });
  const tasks = await tenant.officer.get('/tasks');
  expect(tasks.body.map(({ title }: { title: string }) => title)).toContain(
    `Refund the suspense balance of ${after.body.loan_number}`,
  );
});
