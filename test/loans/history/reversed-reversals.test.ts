import { expect, test } from 'vitest';
import { z } from 'zod';
import type { EventDraft, LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { eventsInForce } from '../../../jobs/loans/engine/event-order.ts';
import { newEvent, newEvents } from '../../../jobs/loans/history/new-event.ts';
import { openLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { scheduleReason } from '../../../jobs/loans/history/recording/schedule-reason.ts';
import { listReceipts } from '../../../jobs/loans/outcomes/receipts.ts';
import { sql } from '../../../sql/database/db.ts';
import {
  creditRecords,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

/** A reversal that was itself a mistake is reversed. The event that it undid then counts again. */
const stage = await newStage();

const record = (tenant: Tenant, id: string, event: LoanEvent) =>
  tenant.within(async (work) => {
    await recordEvents(work, await openLoan(work, id), [event]);
    return event.id;
  });

const reverse = (tenant: Tenant, id: string, day: string, reverses: string) =>
  record(tenant, id, newEvent({ kind: 'reversal', effective_date: day, reverses }));

const Found = z.object({ id: z.string() });
const lastReversal = (tenant: Tenant, loanId: string) =>
  tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(Found)`
      select id from loan_events where loan_id = ${loanId} and kind = 'reversal' order by id desc limit 1
    `),
  );

/** Reverses the loan's last reversal. */
const putInForceAgain = async (tenant: Tenant, id: string, day: string) =>
  reverse(tenant, id, day, await lastReversal(tenant, id));

const Line = z.looseObject({ kind: z.string(), date: z.string(), amount: z.string() });
const Figures = z.looseObject({
  summary: z.record(z.string(), z.string()),
  activity: z.array(Line),
});
const statementOf = (tenant: Tenant, loanId: string, month: string) =>
  tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ figures: Figures }))`
      select figures from statements where loan_id = ${loanId} and statement_month = ${month}
    `),
  );

test('a charge-off that counts again keeps its date, and the books have no violations', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  await admin.post(`/loans/${id}/charge-off`, { force: true });
  const reversed = await admin.post(`/loans/${id}/reverse-charge-off`);

  await putInForceAgain(tenant, id, '2026-01-25');
  const { body } = await admin.get(`/loans/${id}`);
  await travelTo(stage, tenant, '2026-01-26');
  const { rows } = await stage.owner.query(
    `select charge_off_date::text from loan_attribute_history
     where loan_id = $1 order by from_date desc limit 1`,
    [id],
  );

  expect(reversed).toMatchObject({ status: 200, body: { status: 'active' } });
  expect(body).toMatchObject({ status: 'charged_off', charge_off_balance: '10000.00' });
  expect(body.allowed_actions).toContain('reverse-charge-off');
  expect(rows).toEqual([{ charge_off_date: '2026-01-25' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

/** Events of each kind, on loans of 10,000.00. */
const KINDS: readonly EventDraft[] = [
  { kind: 'charge_off', effective_date: '2026-01-20', reason: 'other' },
  { kind: 'charge_off', effective_date: '2026-01-20', principal_amount: '500.00' },
  { kind: 'forgiveness', effective_date: '2026-01-20', principal: '700.00' },
  { kind: 'capitalization', effective_date: '2026-01-20', interest: 'all' },
  {
    kind: 'accrual_stop',
    effective_date: '2026-01-20',
    reason: 'non_accrual',
    reverses_accrued: true,
  },
  { kind: 'acceleration', effective_date: '2026-01-20' },
  { kind: 'rate_change', effective_date: '2026-01-20', interest_rate: '0.05' },
  { kind: 'promo', effective_date: '2026-01-20', interest_rate: '0', to: '2026-02-20' },
  { kind: 'write_off', effective_date: '2026-01-20', amount: '10.00' },
  { kind: 'fee', effective_date: '2026-01-20', amount: '25.00' },
  { kind: 'payment', effective_date: '2026-01-20', amount: '900.00' },
];

test.each([
  ['with accrual relief', true],
  ['without accrual relief', false],
])('whatever is reversed and counts again, the books are right: %s', async (_, accrual_relief) => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { accounting: { accrual_relief } });
  const lives: { id: string; event: string }[] = [];
  for (const _kind of KINDS) lives.push({ id: (await newLoan(tenant)).id, event: '' });
  const found: string[][] = [];
  await travelTo(stage, tenant, '2026-01-20');
  for (const [at, life] of lives.entries()) {
    const [event] = newEvents(KINDS.slice(at, at + 1));
    if (event) life.event = await record(tenant, life.id, event);
  }
  for (const day of ['2026-01-25', '2026-01-30', '2026-02-03']) {
    await travelTo(stage, tenant, day);
    found.push(await violationsIn(stage));
    for (const life of lives) life.event = await reverse(tenant, life.id, day, life.event);
    found.push(await violationsIn(stage));
  }
  await travelTo(stage, tenant, '2026-02-05');

  expect(found.flat()).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a draw that counts again appears as a disbursement on its statement, not as a credit', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  const draw = newEvent({ kind: 'draw', effective_date: '2026-01-20', amount: '500.00' });
  await record(tenant, id, draw);
  await reverse(tenant, id, '2026-01-20', draw.id);

  await putInForceAgain(tenant, id, '2026-01-20');
  await travelTo(stage, tenant, '2026-02-01');
  const { summary, activity } = await statementOf(tenant, id, '2026-01-01');

  expect(summary).toMatchObject({ disbursements: '10500.00', credits: '0.00' });
  expect(activity.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['disbursement', '10000.00'],
    ['disbursement', '500.00'],
    ['interest', summary['interest']],
  ]);
});

test('a payment that counts again appears on the statement of that month', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-15');
  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '315.68' });
  await travelTo(stage, tenant, '2026-03-05');
  await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'clerical_error' });
  await travelTo(stage, tenant, '2026-04-10');

  await putInForceAgain(tenant, id, '2026-04-10');
  await travelTo(stage, tenant, '2026-05-01');
  const [february, march, april] = await Promise.all(
    ['2026-02-01', '2026-03-01', '2026-04-01'].map((month) => statementOf(tenant, id, month)),
  );

  const linesOf = (statement: typeof february) =>
    statement?.activity.map(({ date, kind, amount }) => [date, kind, amount]);
  expect(linesOf(february)).toContainEqual(['2026-02-15', 'payment', '-315.68']);
  expect(linesOf(march)).toContainEqual(['2026-03-05', 'payment_reversed', '315.68']);
  expect(linesOf(april)).toEqual([
    ['2026-04-10', 'payment', '-315.68'],
    ['2026-04-30', 'interest', april?.summary['interest']],
  ]);
  expect(april?.activity.at(-1)).toMatchObject({ balance: april?.summary['new_balance'] });
  // No operation restores the payment's record, so the invariants report it.
  expect(await violationsIn(stage)).toContain(
    `a record has an effect exactly while its event is in force: Payment ${paid.body.id} is reversed, and its event is in force.`,
  );
});

test('credit records include a payment and a payoff that count again', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [loan, closed] = [await newLoan(tenant), await newLoan(tenant)];
  await travelTo(stage, tenant, '2026-02-15');
  const paid = await admin.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  await admin.post(`/payments/${paid.body.id}/reverse`, { reason: 'clerical_error' });
  const payoff = await admin.post(`/loans/${closed.id}/pay-off`);
  const [{ id: payoffId = '' } = {}] = (await admin.get(`/loans/${closed.id}/payments`)).body;
  await admin.post(`/payments/${payoffId}/reverse`, { reason: 'clerical_error' });

  for (const { id } of [loan, closed]) await putInForceAgain(tenant, id, '2026-02-15');
  await travelTo(stage, tenant, '2026-03-01');
  await runCreditReports(stage);
  const [ofPaid] = await creditRecords(tenant, loan.id);
  const [ofClosed] = await creditRecords(tenant, closed.id);

  expect(payoff.status, JSON.stringify(payoff.body)).toBe(200);
  expect(ofPaid).toMatchObject({ reporting_period: '2026-02-28', actual_payment_amount: 315 });
  expect(ofClosed).toMatchObject({ account_status: '13', date_closed: '2026-02-15' });
});

const PAID: LoanEvent = {
  id: 'p',
  kind: 'payment',
  effective_date: '2026-02-01',
  amount: '100.00',
};
const REVERSED: LoanEvent = {
  id: 'r',
  kind: 'reversal',
  effective_date: '2026-02-02',
  reverses: 'p',
};
const AGAIN: LoanEvent = {
  id: 'rr',
  kind: 'reversal',
  effective_date: '2026-02-03',
  reverses: 'r',
};

test('a schedule that changes says whether a payment was reversed or counts again', () => {
  const [known, all] = [
    [PAID, REVERSED],
    [PAID, REVERSED, AGAIN],
  ];

  expect(scheduleReason([REVERSED], known, '2026-02-03')).toBe('payment_reversed');
  expect(scheduleReason([AGAIN], all, '2026-02-03')).toBe('payment_found');
});

test('a refund reduces a payment that counts again', () => {
  const refund: LoanEvent = {
    id: 'b',
    kind: 'reimbursement',
    effective_date: '2026-02-04',
    amount: '30.00',
  };
  const events = [PAID, REVERSED, AGAIN, refund];

  const receipts = listReceipts(events, eventsInForce(events, '2026-02-05'));

  expect(receipts).toEqual([{ effective_date: '2026-02-01', amount: '70.00' }]);
});
