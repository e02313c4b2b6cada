import { randomUUIDv7 } from 'node:crypto';
import { Big } from 'big.js';
import { afterAll, expect, test } from 'vitest';
import type { EventKind, FactsOf, LoanEvent } from '../../jobs/loans/engine/events.ts';
import { openLoan } from '../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../jobs/loans/history/record-events.ts';
import { newEvent } from '../../jobs/loans/history/new-event.ts';
import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

type Step = {
  [Kind in EventKind]: readonly [kind: Kind, facts: FactsOf<Kind> & { effective_date?: string }];
}[EventKind];

/** The steps of one loan each, on consecutive days. A step with a date is backdated. */
const LIVES: Record<string, readonly Step[]> = {
  'is paid': [
    ['payment', { amount: '315.68' }],
    ['payment', { amount: '500.00' }],
  ],
  'is paid late, and then as if on time': [
    ['fee', { amount: '25.00', fee_type: 'late' }],
    ['payment', { amount: '315.68', effective_date: '2026-01-20' }],
  ],
  'is paid more than it owes': [['payment', { amount: '10500.00' }]],
  'has money in suspense': [
    ['payment', { amount: '80.00', payment_type: 'fee_only' }],
    ['suspense_application', { amount: '50.00' }],
    ['reimbursement', { amount: '30.00' }],
  ],
  'is given a credit and a waiver': [
    ['fee', { amount: '30.00', fee_id: '00000000-0000-4000-8000-00000000fee1' }],
    ['fee_waiver', { fee_id: '00000000-0000-4000-8000-00000000fee1', amount: '10.00' }],
    ['service_credit', { amount: '40.00' }],
  ],
  'changes its rate in the past': [
    ['rate_change', { interest_rate: '0.05', effective_date: '2026-01-17' }],
    ['payment', { amount: '100.00', effective_date: '2026-01-18' }],
  ],
  'rests and capitalizes': [
    ['accrual_stop', { reason: 'freeze' }],
    ['accrual_start', { reason: 'freeze' }],
    ['capitalization', { interest: 'all', fees: 'all' }],
  ],
  'is charged off and recovered': [
    ['payment', { amount: '200.00' }],
    ['charge_off', {}],
    ['payment', { amount: '75.00', payment_type: 'recovery' }],
  ],
  'is charged off with its interest': [
    ['charge_off', { reverse_accrued_interest: false, waive_fees: false }],
    ['payment', { amount: '75.00' }],
  ],
  'is sold by its collateral': [['liquidation', { net_proceeds: '10400.00' }]],
  'is forgiven and written off': [
    ['forgiveness', { principal: '9000.00', interest: 'all' }],
    ['write_off', { amount: 'all' }],
  ],
};

test('every invariant holds on every day, after any events on loans', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loans: Record<string, string> = {};
  for (const life of Object.keys(LIVES)) loans[life] = (await newLoan(tenant)).id;
  await travelTo(stage, tenant, '2026-01-25');
  const found: unknown[] = await checkInvariants(auditor);

  for (const [step, today] of ['2026-01-25', '2026-02-03', '2026-03-10'].entries()) {
    await travelTo(stage, tenant, today);
    for (const [life, steps] of Object.entries(LIVES)) {
      const now = steps[step];
      if (now === undefined) continue;
      const [kind, facts] = now;
      const id = randomUUIDv7();
      const event = { id, kind, effective_date: today, ...facts } as LoanEvent;
      await tenant.within(async (work) => {
        const loan = await openLoan(work, loans[life] ?? '');
        await recordEvents(work, loan, [event]);
      });
    }
    found.push(...(await checkInvariants(auditor)).map((violation) => ({ today, ...violation })));
  }
  await travelTo(stage, tenant, '2026-03-20');
  found.push(...(await checkInvariants(auditor)));

  expect(found).toEqual([]);
});

type SystemEntry = { reference_type: string; debit: string; credit: string };

test('every booked entry type is in the table that accountants review', async () => {
  const { officer } = await stage.tenant();
  const rows = (await officer.get('/ledger/system-entries')).body as SystemEntry[];
  // The accounts that an entry of this type may touch, in either direction.
  const reviewed = (reference_type: string) =>
    new Set(
      rows
        .filter((row) => row.reference_type === reference_type.replace(/_reversal$/, ''))
        .flatMap(({ debit, credit }) => [debit, credit]),
    );
  const booked = await stage.owner.query<{ reference_type: string; role: string }>(`
    select distinct entry.reference_type, account.role
    from journal_entries as entry
    join journal_lines as line on line.entry_id = entry.id
    join ledger_accounts as account on account.id = line.account_id
  `);

  const unknown = booked.rows.filter((row) => !reviewed(row.reference_type).has(row.role));

  expect(booked.rows.length).toBeGreaterThan(40);
  expect(unknown.map(({ reference_type, role }) => `${reference_type} ${role}`)).toEqual([]);
});

test('a loan’s sub-ledger adds up to its balances', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-01');
  await tenant.officer.post(`/loans/${id}/payments`, {
    amount: '400.00',
    payment_date: '2026-02-01',
    payment_method: 'check',
  });
  await travelTo(stage, tenant, '2026-02-20');

  const [daily, monthly] = await Promise.all(
    ['day', 'month'].map((by) =>
      tenant.officer.get(`/ledger/loans/${id}/sub-ledger?accruals_by=${by}&limit=1000`),
    ),
  );
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(daily?.body.length).toBe(1 + 1 + 36);
  expect(monthly?.body.length).toBe(1 + 1 + 2);
  for (const reply of [daily, monthly]) {
    expect(sumsOf(reply?.body)).toMatchObject({
      'Loans Receivable': loan.body.principal_balance,
      'Interest Receivable': loan.body.accrued_interest,
    });
  }
});

type Entry = { lines: { account: string; debit: string; credit: string }[] };

function sumsOf(entries: Entry[]): Record<string, string> {
  const sums: Record<string, Big> = {};
  for (const { account, debit, credit } of entries.flatMap(({ lines }) => lines)) {
    sums[account] = (sums[account] ?? new Big(0)).plus(debit).minus(credit);
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum.toFixed(2)]));
}

test('reversed events leave every invariant intact', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-01');
  const payment = newEvent({ kind: 'payment', effective_date: '2026-01-25', amount: '400.00' });
  const doing = (event: LoanEvent) =>
    tenant.within(async (work) => recordEvents(work, await openLoan(work, id), [event]));

  await doing(payment);
  await travelTo(stage, tenant, '2026-02-10');
  await doing(newEvent({ kind: 'reversal', effective_date: '2026-02-10', reverses: payment.id }));
  const afterReversal = await checkInvariants(auditor);
  await travelTo(stage, tenant, '2026-02-20');

  expect(afterReversal).toEqual([]);
  expect(await checkInvariants(auditor)).toEqual([]);
});

test('a boarded loan starts with its balances', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');
  const borrower = await superadmin.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });

  const boarded = await superadmin.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    loan_number: 'OLD-1',
    principal_amount: '10000.00',
    current_principal_balance: '8123.45',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2025-01-10',
    first_payment_date: '2025-02-10',
    status: 'active',
    accrued_interest: '12.34',
    outstanding_fees: '25.00',
  });
  await travelTo(stage, tenant, '2026-02-01');

  expect(boarded.status, JSON.stringify(boarded.body)).toBe(201);
  expect(await checkInvariants(auditor)).toEqual([]);
});

test('a payment counts as cash until it is reversed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  const paying = (payment_date: string) =>
    tenant.officer.post(`/loans/${id}/payments`, { amount: '400.00', payment_date });
  const [first, , scheduled] = [
    await paying('2026-01-20'),
    await paying('2026-01-18'),
    await paying('2026-01-28'),
  ];

  await tenant.officer.post(`/payments/${first?.body.id}/reverse`, { reason: 'R01' });
  const violations = await checkInvariants(auditor);
  await stage.owner.query(`update payments set status = 'completed',
    principal_applied = amount where id = '${scheduled?.body.id}'`);
  const forged = await checkInvariants(auditor);

  expect(violations).toEqual([]);
  expect(forged.map(({ message }) => message)).toEqual([
    `Payment ${scheduled?.body.id} of 400.00 is completed, and the ledger has 0.00 of it in cash.`,
  ]);
});
