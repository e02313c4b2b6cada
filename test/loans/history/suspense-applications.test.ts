import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

/** A loan with this amount in suspense. */
async function waiting(tenant: Tenant, amount: string) {
  const { id } = await newLoan(tenant);
  await tenant.officer.post(`/loans/${id}/payments`, { amount, payment_type: 'fee_only' });
  return id;
}

const Figures = z.looseObject({ activity: z.array(z.looseObject({ kind: z.string() })) });

/** The lines of the loan's latest statement. */
const activityOf = async (tenant: Tenant, id: string) =>
  (
    await tenant.within(({ tx }) =>
      tx.oneFirst(sql.type(z.object({ figures: Figures }))`
        select figures from statements where loan_id = ${id} order by statement_month desc limit 1
      `),
    )
  ).activity;

const apply = (tenant: Tenant, id: string, body: object = {}, options = {}) =>
  tenant.officer.post(`/loans/${id}/suspense-applications`, body, options);

test('suspense is applied manually like a payment of that day, and a reversal returns it to suspense', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await waiting(tenant, '500.00');
  await travelTo(stage, tenant, '2026-01-25');

  const applied = await apply(tenant, id, { amount: '400.00', notes: 'As asked by phone' });
  const books = await balancesByRole(tenant);
  const entries = await tenant.officer.get(`/loans/${id}/suspense`);
  const history = await tenant.officer.get(`/loans/${id}/history`);
  const path = `/suspense-applications/${applied.body.id}`;
  const reversed = await tenant.officer.post(`${path}/reverse`, { reason: 'A mistake' });
  const again = await tenant.officer.post(`${path}/reverse`);
  const deleted = await tenant.officer.delete(path);

  expect(applied).toMatchObject({
    status: 201,
    body: { interest_applied: '23.29', principal_applied: '376.71', source: 'staff' },
  });
  expect(applied.body.journal_entry_id).not.toBeNull();
  expect(books).toMatchObject({ borrower_suspense: '-100.00', loans_receivable: '9623.29' });
  expect(entries.body).toContainEqual(
    expect.objectContaining({ entry_type: 'application', amount: '-400.00' }),
  );
  expect(history.body).toContainEqual(
    expect.objectContaining({ entity_type: 'suspense_applications', action: 'create' }),
  );
  expect(await eventTypes(tenant)).toContain('suspense.applied');
  expect(reversed).toMatchObject({ status: 200, body: { status: 'reversed' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(deleted).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(await balancesByRole(tenant)).toMatchObject({
    borrower_suspense: '-500.00',
    loans_receivable: '10000.00',
  });
  // The statement shows both, and no amount remains.
  await travelTo(stage, tenant, '2026-02-01');
  const activity = await activityOf(tenant, id);
  const moved = { principal: '376.71', interest: '23.29', fees: '0.00', amount: '400.00' };
  expect(activity).toContainEqual(
    expect.objectContaining({
      kind: 'suspense_application_reversed',
      date: '2026-01-25',
      ...moved,
    }),
  );
  expect(activity).toContainEqual(
    expect.objectContaining({ kind: 'suspense_applied', amount: '-400.00' }),
  );
  expect(activity.map(({ kind }) => kind)).not.toContain('applied_otherwise');
});

test('no more is applied than is in suspense and than the loan owes, and of two concurrent requests one is refused', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await waiting(tenant, '300.00');

  const tooMuch = await apply(tenant, id, { amount: '300.01' });
  const noFees = await apply(tenant, id, { payment_type: 'fee_only' });
  const tomorrow = await apply(tenant, id, { effective_date: '2026-01-16' });
  const both = await Promise.all([
    apply(tenant, id, { amount: '200.00' }),
    apply(tenant, id, { amount: '200.00' }),
  ]);
  const headers = { 'Idempotency-Key': 'once' };
  const once = await apply(tenant, id, { amount: '40.00' }, { headers });
  const repeated = await apply(tenant, id, { amount: '40.00' }, { headers });
  const rest = await apply(tenant, id);
  const nothing = await apply(tenant, id);

  const exceeds = { status: 409, body: { code: 'exceeds_suspense' } };
  expect(tooMuch).toMatchObject(exceeds);
  expect(tooMuch.body.details).toMatchObject({ suspense_balance: '300.00' });
  expect(noFees).toMatchObject({ status: 409, body: { code: 'exceeds_balance' } });
  expect(tomorrow).toMatchObject({
    status: 422,
    body: { errors: { effective_date: 'Must not be in the future.' } },
  });
  expect(both).toContainEqual(expect.objectContaining({ status: 201 }));
  expect(both.find(({ status }) => status === 409)?.body.details.suspense_balance).toBe('100.00');
  expect(repeated.body.id).toBe(once.body.id);
  expect(rest.body).toMatchObject({ amount: '60.00', principal_applied: '60.00' });
  expect(nothing).toMatchObject({ ...exceeds });
  expect(nothing.body.details).toMatchObject({ suspense_balance: '0.00' });
});

test('applying suspense needs a second person if the tenant requires it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await waiting(tenant, '300.00');
  await saveSettings(tenant, { approvals: { four_eyes: ['suspense'] } });
  const admin = await tenant.signedIn('admin');

  const asked = await apply(tenant, id);
  const before = await balancesByRole(tenant);
  const agreed = await admin.post(`/approvals/${asked.body.approval_id}/approve`);

  expect(asked).toMatchObject({ status: 202, body: { kind: 'suspense' } });
  expect(before).toMatchObject({ borrower_suspense: '-300.00' });
  expect(agreed).toMatchObject({ status: 200 });
  expect(await balancesByRole(tenant)).not.toHaveProperty('borrower_suspense');
});

test('if the tenant allows it, the close pays every whole due bill from suspense', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const ids = {
    half: await waiting(tenant, '200.00'),
    one: await waiting(tenant, '400.00'),
    two: await waiting(tenant, '700.00'),
  };
  await travelTo(stage, tenant, '2026-02-20');
  const untouched = await balancesByRole(tenant);
  await saveSettings(tenant, { suspense: { pays_bills: true } });
  await travelTo(stage, tenant, '2026-03-20');

  expect(untouched).toMatchObject({ borrower_suspense: '-1300.00' });
  const made = async (id: string) =>
    (await tenant.officer.get(`/loans/${id}/suspense-applications?ordering=effective_date`)).body;
  expect(await made(ids.half)).toEqual([]);
  const bill = { amount: '315.68', source: 'rule', payment_type: 'regular' };
  expect(await made(ids.one)).toMatchObject([{ ...bill, effective_date: '2026-02-20' }]);
  expect(await made(ids.two)).toMatchObject([
    { ...bill, effective_date: '2026-02-20' },
    { ...bill, effective_date: '2026-03-15' },
  ]);
  const paid = await tenant.officer.get(`/loans/${ids.two}`);
  expect(paid.body).toMatchObject({ days_past_due: 0, suspense_balance: '68.64' });
  const activity = await activityOf(tenant, ids.two);
  expect(activity).toContainEqual(
    expect.objectContaining({ date: '2026-02-20', kind: 'suspense_applied', amount: '-315.68' }),
  );
  expect(activity.map(({ kind }) => kind)).not.toContain('applied_otherwise');
  const parked = await tenant.within(({ tx }) =>
    tx.any(sql.type(z.object({ error: z.string() }))`select error from cob_loan_errors`),
  );
  expect(parked).toEqual([]);
});
