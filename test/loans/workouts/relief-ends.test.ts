import { expect, test } from 'vitest';
import { closeLoans, startClose } from '../../../jobs/business-day/close-loans.job.ts';
import { SYSTEM, createWithin } from '../../../jobs/work.ts';
import { sql } from '../../../sql/database/db.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { copyLoans } from '../../setup/copy-loans.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const loanOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}`)).body as Record<string, unknown>;

const AT_TWELVE = { interest_rate: '0.12', term_months: 12 };

const statementOf = (tenant: Tenant, id: string, month: string) =>
  tenant.within(({ tx }) =>
    tx.oneFirst(sql.unsafe`
      select figures -> 'due' from statements where loan_id = ${id} and statement_month = ${month}
    `),
  ) as Promise<Record<string, unknown>>;

test('a forbearance ends after its last day: the next morning nothing is past due, on the statement too', async () => {
  const tenant = await stage.tenant('2025-09-10');
  const { id } = await newLoan(tenant, AT_TWELVE);
  await tenant.officer.post(`/loans/${id}/forbearances`, {
    start_date: '2025-09-20',
    end_date: '2025-12-31',
    reason: 'hardship',
    end_treatment: 'extend_term',
  });

  await travelTo(stage, tenant, '2026-01-01');
  const morning = await loanOf(tenant, id);
  await travelTo(stage, tenant, '2026-01-02');
  const during = await statementOf(tenant, id, '2025-11-01');
  const statement = await statementOf(tenant, id, '2025-12-01');

  expect(during).toMatchObject({ forbearance_until: '2025-12-31' });
  expect(morning).toMatchObject({
    days_past_due: 0,
    delinquency_bucket: 'current',
    past_due_amount: '0.00',
    term_months: 15,
    original_term_months: 12,
  });
  expect(statement).toMatchObject({ past_due: '0.00', days_past_due: 0, forbearance_until: null });
  expect(await loanOf(tenant, id)).toMatchObject({ days_past_due: 0, past_due_amount: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('subscribers hear of a delinquency only after the reliefs of that morning have ended', async () => {
  const tenant = await stage.tenant('2025-09-10');
  const [extended, resumed] = [await newLoan(tenant, AT_TWELVE), await newLoan(tenant, AT_TWELVE)];
  const forbear = (id: string, more: object) =>
    tenant.officer.post(`/loans/${id}/forbearances`, {
      start_date: '2025-09-20',
      end_date: '2025-12-31',
      reason: 'hardship',
      ...more,
    });
  const agreed = [
    await forbear(extended.id, { end_treatment: 'extend_term' }),
    await forbear(resumed.id, { end_treatment: 'reinstatement', suspend_delinquency: false }),
  ];

  await travelTo(stage, tenant, '2026-01-02');

  const told = await tenant.within(({ tx }) =>
    tx.any(sql.unsafe`
      select body::jsonb #>> '{data,loan_id}' as loan_id, body::jsonb #>> '{data,new_bucket}' as bucket
      from events where event_type = 'delinquency.changed' order by id
    `),
  );
  expect(agreed.map(({ status }) => status)).toEqual([201, 201]);
  // The other loan was due on October 10. On January 1 it has been past due for 83 days.
  expect(told).toEqual([
    { loan_id: resumed.id, bucket: 'dpd_1_29' },
    { loan_id: resumed.id, bucket: 'dpd_30_59' },
    { loan_id: resumed.id, bucket: 'dpd_60_89' },
  ]);
  expect(await loanOf(tenant, extended.id)).toMatchObject({ delinquency_bucket: 'current' });
  expect(await loanOf(tenant, resumed.id)).toMatchObject({ delinquency_bucket: 'dpd_60_89' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan that becomes past due in the morning on which its relief ends is announced once and counted', async () => {
  const tenant = await stage.tenant('2025-09-10');
  const { id } = await newLoan(tenant, AT_TWELVE);
  await tenant.officer.post(`/loans/${id}/forbearances`, {
    start_date: '2025-10-05',
    // The installment of October 10 reaches 30 days past due in the next morning.
    end_date: '2025-11-08',
    reason: 'hardship',
    end_treatment: 'reinstatement',
    suspend_delinquency: false,
  });

  await travelTo(stage, tenant, '2025-11-09');
  const morning = await loanOf(tenant, id);
  const told = await tenant.within(({ tx }) =>
    tx.anyFirst(sql.unsafe`
      select body::jsonb #>> '{data,new_bucket}' from events
      where event_type = 'delinquency.changed' order by id
    `),
  );

  expect(morning).toMatchObject({ delinquency_bucket: 'dpd_30_59', days_past_due: 30 });
  expect(told).toEqual(['dpd_1_29', 'dpd_30_59']);
  const { rows } = await stage.owner.query(
    'select times_delinquent_30, delinquency_days_counted from loans where id = $1',
    [id],
  );
  expect(rows).toEqual([{ times_delinquent_30: 1, delinquency_days_counted: 30 }]);
});

test('a payment on the day after a deferment ends is booked with its final split', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, AT_TWELVE);
  await tenant.officer.post(`/loans/${id}/deferments`, {
    periods: 2,
    reason: 'Holiday',
    interest_treatment: 'capitalize_at_end',
  });
  await travelTo(stage, tenant, '2026-04-15');

  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '888.49' });
  await travelTo(stage, tenant, '2026-04-16');
  const kept = await tenant.officer.get(`/payments/${paid.body.id}`);

  const split = { interest_applied: '0.00', principal_applied: '888.49' };
  expect(paid.body).toMatchObject(split);
  expect(kept.body).toMatchObject(split);
});

test('a freeze and a deferred-interest promotion end on the morning after their last day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [frozen, deferred] = [await newLoan(tenant, AT_TWELVE), await newLoan(tenant, AT_TWELVE)];
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${frozen.id}/freeze`, { until_date: '2026-01-25' });
  await admin.post(`/loans/${deferred.id}/activate-promo`, {
    promo_type: 'deferred_interest',
    end_date: '2026-01-24',
  });

  await travelTo(stage, tenant, '2026-01-24');
  const before = [await loanOf(tenant, frozen.id), await loanOf(tenant, deferred.id)];
  await travelTo(stage, tenant, '2026-01-25');

  expect(before).toMatchObject([{ is_frozen: true }, { accrued_interest: '0.00' }]);
  expect(await loanOf(tenant, frozen.id)).toMatchObject({ is_frozen: false });
  // Ten days of 10000.00 at 0.12.
  expect(await loanOf(tenant, deferred.id)).toMatchObject({ accrued_interest: '32.88' });
});

/**
 * The number of frozen loans that one batch of the close unfreezes. Loans created later come after them.
 */
async function manyFrozenLoans(tenant: Tenant, morning: string) {
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    principal_amount: '5000.00',
    interest_rate: '0.12',
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    term_months: 12,
    payment_amount: '444.25',
    origination_date: '2025-11-25',
    first_payment_date: '2025-12-25',
    current_principal_balance: '5000.00',
    paid_through_date: '2025-11-25',
  });
  expect(boarded.body).toMatchObject({ id: expect.any(String) });
  await copyLoans(stage.url, 500, { tenantId: tenant.id });
  await stage.owner.query(
    `update loans set is_frozen = true, freeze_until = $2
     where tenant_id = $1 and id <> $3`,
    [tenant.id, morning, boarded.body.id],
  );
}

test('more ended reliefs than one step can process all end before their loans are billed or paid', async () => {
  const tenant = await stage.tenant('2025-11-25');
  await manyFrozenLoans(tenant, '2026-01-01');
  const [forborne, deferred] = [await newLoan(tenant, AT_TWELVE), await newLoan(tenant, AT_TWELVE)];
  await tenant.officer.post(`/loans/${forborne.id}/forbearances`, {
    start_date: '2025-11-26',
    end_date: '2025-12-31',
    reason: 'hardship',
    end_treatment: 'extend_term',
  });
  const freeze = { until_date: '2026-01-01' };
  await (await tenant.signedIn('admin')).post(`/loans/${deferred.id}/freeze`, freeze);
  await travelTo(stage, tenant, '2025-12-31');
  const lent = { within: createWithin(stage.pool, SYSTEM) } as never;
  const run = await tenant.within((work) => startClose(work, '2025-12-31'));
  const chunk = { tenant_id: tenant.id, run_id: run?.id ?? '', chunk: 1 };

  await closeLoans.run(chunk, lent);
  const early = await tenant.officer.post(`/loans/${forborne.id}/payments`, { amount: '10.00' });
  await closeLoans.run({ ...chunk, morning: true }, lent);
  const paid = await tenant.officer.post(`/loans/${forborne.id}/payments`, { amount: '10.00' });

  expect(early).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
  expect(paid.status).toBe(201);
  expect(await loanOf(tenant, deferred.id)).toMatchObject({ is_frozen: false });
  expect(await loanOf(tenant, forborne.id)).toMatchObject({ days_past_due: 0, term_months: 13 });
  expect(await statementOf(tenant, forborne.id, '2025-12-01')).toMatchObject({
    past_due: '0.00',
    days_past_due: 0,
    forbearance_until: null,
  });
  expect(await statementOf(tenant, deferred.id, '2025-12-01')).not.toBeNull();
  expect(await violationsIn(stage)).toEqual([]);
});

test('the book checks report a relief that is still in force after its last day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const dates = { start_date: '2026-01-15', end_date: '2026-01-16', reason: 'hardship' };
  await tenant.officer.post(`/loans/${id}/forbearances`, dates);
  await setBusinessDate(tenant, '2026-01-17');

  const violations = (await violationsIn(stage)).filter((found) => found.includes('a relief'));

  expect(violations).toEqual([
    expect.stringMatching(
      /its forbearance ended with 2026-01-16 and is still in force on 2026-01-17/,
    ),
  ]);
});
