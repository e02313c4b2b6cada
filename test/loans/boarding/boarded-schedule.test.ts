import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

type Row = Record<
  'status' | 'beginning_balance' | 'ending_balance' | 'principal_amount' | 'interest_amount',
  string
>;

async function board(tenant: Tenant, terms: object) {
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '10000.00',
    interest_rate: '0.085',
    term_months: 36,
    ...terms,
  });
  return boarded;
}

async function rowsOf(tenant: Tenant, id: string) {
  const { body } = await tenant.officer.get(`/loans/${id}/amortization`);
  return body as Row[];
}

/**
 * Each row starts at the previous row's ending balance, the last ends at zero, and the open rows repay the
 * balance.
 */
function expectChained(rows: readonly Row[], balance: string) {
  const open = rows.filter(({ status }) => status !== 'paid');
  expect(rows.slice(1).map((row) => row.beginning_balance)).toEqual(
    rows.slice(0, -1).map((row) => row.ending_balance),
  );
  expect(open.reduce((sum, row) => sum.plus(row.principal_amount), new Big(0)).toFixed(2)).toBe(
    balance,
  );
  expect(open[0]?.beginning_balance).toBe(balance);
  expect(rows.at(-1)?.ending_balance).toBe('0.00');
}

test('a boarded loan owes the interest since its paid-through date, and its schedule’s balances connect', async () => {
  const tenant = await stage.tenant('2026-06-20');

  const { body: loan } = await board(tenant, {
    current_principal_balance: '8000.00',
    origination_date: '2025-05-15',
    first_payment_date: '2025-06-15',
    paid_through_date: '2026-06-10',
  });
  const rows = await rowsOf(tenant, loan.id);
  const open = rows.filter(({ status }) => status !== 'paid');

  // Ten days of 8000.00 at 0.085.
  expect(loan.accrued_interest).toBe('18.63');
  expectChained(rows, '8000.00');
  expect(open[0]).toMatchObject({
    status: 'past_due',
    due_date: '2026-06-15',
    interest_amount: '18.63',
    principal_amount: '297.05',
    ending_balance: '7702.95',
  });
  expect(open[1]).toMatchObject({ beginning_balance: '7702.95' });
});

test('the balances of any boarded schedule connect, also in stored versions', async () => {
  const tenant = await stage.tenant('2026-06-20');
  const anyLoan = fc.record({
    cents: fc.integer({ min: 100_000, max: 1_000_000 }),
    due: fc.constantFrom('2025-02-15', '2025-06-15', '2025-06-25', '2026-06-30'),
    paid: fc.option(fc.integer({ min: -95, max: 40 })),
    accrued_interest: fc.option(fc.constantFrom('0.00', '31.44')),
  });

  await fc.assert(
    fc.asyncProperty(anyLoan, async ({ cents, due, paid, accrued_interest }) => {
      const balance = (cents / 100).toFixed(2);
      const paid_through_date = paid === null ? null : addDays('2026-06-20', paid);
      const { status, body } = await board(tenant, {
        current_principal_balance: balance,
        accrued_interest,
        paid_through_date,
        origination_date: '2025-01-15',
        first_payment_date: due,
      });
      expect(status, JSON.stringify(body)).toBe(201);
      expectChained(await rowsOf(tenant, body.id), balance);
      const versions = await tenant.officer.get(`/loans/${body.id}/schedule-versions?version=1`);
      const kept = versions.body[0].installments as Row[];
      expect(kept.slice(1).map((row) => row.beginning_balance)).toEqual(
        kept.slice(0, -1).map((row) => row.ending_balance),
      );
    }),
    { numRuns: 12, seed: 7 },
  );
});

test('an installment that does not repay the balance is refused unless a balloon is declared', async () => {
  const tenant = await stage.tenant('2026-06-20');
  const terms = {
    principal_amount: '7000.00',
    interest_rate: '0.095',
    term_months: 36,
    origination_date: '2026-06-15',
    first_payment_date: '2026-07-15',
  };
  const boarding = (payment_amount: string, more = {}) =>
    board(tenant, { ...terms, payment_amount, ...more });

  const tooLow = await boarding('50.00');
  const balloon = await boarding('100.00');
  const declared = await boarding('100.00', { has_balloon: true });
  const level = await boarding('224.23');

  expect(tooLow).toMatchObject({
    status: 422,
    body: { errors: { payment_amount: expect.stringMatching(/not cover the interest.*224\.2/) } },
  });
  expect(balloon).toMatchObject({
    status: 422,
    body: { errors: { payment_amount: expect.stringMatching(/^Leaves .* has_balloon\.$/) } },
  });
  expect([declared.status, level.status]).toEqual([201, 201]);
});
