import { Big } from 'big.js';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

/**
 * A borrower began military service in March, and the lender learns of it in November. Interest above 6 percent and
 * fees since March are forgiven (50 USC 3937). The test computes all amounts by itself, one day after another.
 */

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

const FUNDED = '2026-01-15';
const SERVICE = '2026-03-10';
const RECOGNISED = '2026-11-10';
const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  trigger: 'past_due',
  amount: '25.00',
  grace_days: 5,
};

/** The days on which the borrower paid the agreed installment: in April late, in September nothing. */
const PAID_ON = [
  '2026-02-15',
  '2026-03-15',
  '2026-04-28',
  '2026-05-15',
  '2026-06-15',
  '2026-07-15',
  '2026-08-15',
  '2026-10-15',
];

type Row = Record<string, string>;

/** Opens a case about the borrower's service. Its facts can be corrected. */
async function caseOfService(tenant: Tenant, borrower_id: string, facts: object) {
  const collector = await tenant.signedIn('collector');
  const words = { subject: 'Service', description: 'The orders arrived.' };
  const opened = await collector.post('/cases', {
    borrower_id,
    case_type: 'servicemember',
    facts,
    ...words,
  });
  expect(opened.status, JSON.stringify(opened.body)).toBe(201);
  return async (changes: object) => {
    const changed = await collector.put(`/cases/${opened.body.id}`, changes);
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  };
}

const read = async ({ officer }: Tenant, path: string) => (await officer.get(path)).body;
const rowsOf = async (tenant: Tenant, id: string) =>
  (await read(tenant, `/loans/${id}/amortization`)) as Row[];

/** What a loan owes on a day, by the daily interest of its balance. Without fees. */
function computed(day: string, installment: string, rateOn: (day: string) => string) {
  let [principal, accrued, settled] = [new Big('12000.00'), new Big(0), new Big(0)];
  for (let today = FUNDED; today < day; today = addDays(today, 1)) {
    if (PAID_ON.includes(today)) {
      const interest = accrued.round(2).minus(settled);
      settled = settled.plus(interest);
      principal = principal.minus(new Big(installment).minus(interest));
    }
    accrued = accrued.plus(principal.times(rateOn(today)).div(365));
  }
  return {
    principal_balance: principal.toFixed(2),
    accrued_interest: accrued.round(2).minus(settled).toFixed(2),
    interest: accrued.toFixed(2),
  };
}

const sixSince = (start: string) => (day: string) => (day < start ? '0.12' : '0.06');

/** The agreed amount of an installment less the interest above 6 percent on its scheduled balance. */
function reduced(agreed: readonly Row[], due_date: string | undefined, from: string) {
  const at = agreed.findIndex((row) => row['due_date'] === due_date);
  const row = agreed[at] ?? {};
  let days = 0;
  for (
    let day = agreed[at - 1]?.['due_date'] ?? FUNDED;
    day < (due_date ?? '');
    day = addDays(day, 1)
  )
    if (day >= from) days += 1;
  const forgiven = new Big(row['beginning_balance'] ?? '').times('0.06').times(days).div(365);
  return new Big(row['payment_amount'] ?? '').minus(forgiven.round(2)).toFixed(2);
}

const violationsOf = async ({ id }: Tenant) =>
  (await checkInvariants(auditor)).filter(({ tenant_id }) => tenant_id === id);

const Notice = z.object({ body: z.string() });
const noticesOf = ({ within }: Tenant, id: string) =>
  within(({ tx }) =>
    tx.any(sql.type(Notice)`
      select body from communication_logs
      where loan_id = ${id} and template_type = 'schedule_changed' order by id
    `),
  );

async function servedLoan() {
  const tenant = await stage.tenant(FUNDED);
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] });
  const loan = await newLoan(tenant, {
    product_id,
    principal_amount: '12000.00',
    interest_rate: '0.12',
    term_months: 24,
  });
  await tenant.officer.post(`/borrowers/${loan.borrower_id}/emails`, {
    email: 'grace@example.com',
  });
  const agreed = await rowsOf(tenant, loan.id);
  const installment = agreed[0]?.['payment_amount'] ?? '';
  for (const day of PAID_ON) {
    await travelTo(stage, tenant, day);
    const paid = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: installment });
    expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  }
  await travelTo(stage, tenant, RECOGNISED);
  return { tenant, ...loan, agreed, installment };
}

test('service recognised eight months late lowers interest, fees and installments from its first day', async () => {
  const { tenant, id, borrower_id, agreed, installment } = await servedLoan();
  const feesBefore = (await read(tenant, `/loans/${id}/fees`)) as Row[];

  await caseOfService(tenant, borrower_id, { service_from: SERVICE });

  const balances = await read(tenant, `/loans/${id}/get-balances`);
  const fees = (await read(tenant, `/loans/${id}/fees`)) as Row[];
  const rows = await rowsOf(tenant, id);
  const books = await balancesByRole(tenant);
  const caps = await read(tenant, `/loans/${id}/rate-caps`);
  const loan = await read(tenant, `/loans/${id}`);
  const [notice, ...others] = await noticesOf(tenant, id);

  const expected = computed(RECOGNISED, installment, sixSince(SERVICE));
  expect(feesBefore.filter(({ fee_type }) => fee_type === 'late')).toHaveLength(3);
  expect(fees).toMatchObject(
    feesBefore.map(({ amount }) => ({ amount_waived: amount, outstanding_amount: '0.00' })),
  );
  expect(balances).toMatchObject({
    principal_balance: expected.principal_balance,
    accrued_interest: expected.accrued_interest,
    outstanding_fees: '0.00',
  });
  expect(loan).toMatchObject({ current_rate: '0.06', interest_rate: '0.12' });
  expect(caps).toMatchObject([
    { start_date: SERVICE, end_date: null, interest_rate: '0.06', status: 'active' },
  ]);
  // Interest above the cap was income. It is reversed, not written off.
  expect(books).toMatchObject({
    interest_income: `-${expected.interest}`,
    interest_receivable: expected.accrued_interest,
    loans_receivable: expected.principal_balance,
  });
  expect(books).not.toHaveProperty('fee_income');
  expect(books).not.toHaveProperty('charge_off_expense');
  // A paid row shows what was paid, and the last one asks for the rest of the debt.
  const open = rows.slice(0, -1).filter(({ status }) => status !== 'paid');
  expect(open.length).toBeGreaterThan(14);
  for (const { due_date, payment_amount } of open)
    expect([due_date, payment_amount]).toEqual([due_date, reduced(agreed, due_date, SERVICE)]);
  expect(await violationsOf(tenant)).toEqual([]);
  expect(notice?.body).toContain('Servicemembers Civil Relief Act');
  expect(notice?.body).toContain('6.00%');
  expect(others).toEqual([]);
  expect(await read(tenant, `/loans/${id}/1099c`)).toEqual([]);

  // The next installment is what the reduced schedule says, and the explanation names the law.
  const explained = await read(tenant, `/loans/${id}/explain?figure=accrued_interest`);
  expect(JSON.stringify(explained)).toContain('capped by law');
}, 600_000);

test('corrected dates replace the cap, and a cap recorded in error restores interest, fees and installments', async () => {
  const { tenant, id, borrower_id, agreed, installment } = await servedLoan();
  const before = {
    balances: await read(tenant, `/loans/${id}/get-balances`),
    rows: await rowsOf(tenant, id),
    books: await balancesByRole(tenant),
    loan: await read(tenant, `/loans/${id}`),
  };
  const eventCount = async () =>
    tenant.within(({ tx }) =>
      tx.oneFirst(sql.type(z.object({ count: z.int() }))`
        select count(*)::integer as count from loan_events where loan_id = ${id}
      `),
    );

  const correct = await caseOfService(tenant, borrower_id, { service_from: SERVICE });
  const once = await eventCount();
  await correct({ facts: { service_from: SERVICE, certificate_id: 'A-42' } });
  const twice = await eventCount();
  await correct({ facts: { service_from: '2026-04-01', service_to: '2026-09-30' } });
  const corrected = await read(tenant, `/loans/${id}/get-balances`);
  const correctedRows = await rowsOf(tenant, id);
  const violations = await violationsOf(tenant);
  await correct({ opened_in_error: true, resolution: 'Another person of the same name.' });

  expect(twice).toBe(once);
  const expected = computed(RECOGNISED, installment, (day) =>
    day >= '2026-04-01' && day < '2026-10-01' ? '0.06' : '0.12',
  );
  expect(corrected).toMatchObject({
    principal_balance: expected.principal_balance,
    accrued_interest: expected.accrued_interest,
  });
  expect(correctedRows.slice(9, -1).map(({ payment_amount }) => payment_amount)).toEqual(
    agreed.slice(9, -1).map(({ payment_amount }) => payment_amount),
  );
  expect(violations).toEqual([]);
  expect({
    balances: await read(tenant, `/loans/${id}/get-balances`),
    rows: await rowsOf(tenant, id),
    books: await balancesByRole(tenant),
  }).toEqual({ balances: before.balances, rows: before.rows, books: before.books });
  expect(await read(tenant, `/loans/${id}`)).toMatchObject({
    current_rate: '0.12',
    payment_amount: before.loan.payment_amount,
  });
  expect(await violationsOf(tenant)).toEqual([]);
}, 600_000);
