import { randomUUIDv7 } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHART, type AccountRole } from '../../jobs/ledger/chart.ts';
import { openLoan } from '../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../jobs/loans/history/record-events.ts';
import { anyEvent } from '../loans/arbitraries.ts';
import { balancesByRole } from '../setup/ledger.ts';
import type { Client } from '../setup/client.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';
import { keeperOf, line } from './books.ts';

const stage = await newStage();
const RUNS = Number(process.env['LIVES'] ?? 2);

/** A separate account for each role, and a product that maps the roles to these accounts. */
async function mappedProduct(tenant: Tenant, admin: Client, roles: readonly AccountRole[]) {
  const gl_map: Record<string, string> = {};
  for (const { role, name, code, account_type } of CHART) {
    if (!roles.includes(role)) continue;
    const account = { code: `9${code}`, name: `${name}, Autos`, account_type };
    gl_map[role] = (await admin.post('/ledger/accounts', account)).body.id;
  }
  const program_id = await tenant.first('/programs');
  return { gl_map, product_id: await newProduct(tenant, { program_id, gl_map }, admin) };
}

const balanceOf = async (client: Client, account: string | undefined) =>
  (await client.get(`/ledger/accounts/${account}/balance`)).body.balance as string;

/** The loan's journal lines whose role is mapped but that are on another account. */
const astray = async (loanId: string, map: Record<string, string>) =>
  (
    await stage.owner.query(
      `select line.role, line.account_id from journal_lines as line
       join journal_entries as entry on entry.id = line.entry_id
       where entry.loan_id = $1 and line.account_id::text <> $2::jsonb ->> line.role`,
      [loanId, JSON.stringify(map)],
    )
  ).rows;

test('everything booked for a loan uses its product’s accounts, including nightly interest', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, accounts } = await keeperOf(tenant);
  const roles = ['cash', 'loans_receivable', 'interest_receivable', 'interest_income'] as const;
  const plain = await newLoan(tenant);
  const { gl_map, product_id } = await mappedProduct(tenant, admin, roles);
  const mapped = await newLoan(tenant, { product_id, principal_amount: '6000.00' });

  await travelTo(stage, tenant, '2026-02-15');
  const payment = { amount: '200.00', payment_date: '2026-02-15' };
  const paid = await tenant.officer.post(`/loans/${mapped.id}/payments`, payment);
  await travelTo(stage, tenant, '2026-02-20');
  const nightly = await admin.get('/ledger/entries?reference_type=interest_accrual&limit=1');
  const shares = await tenant.officer.get(`/ledger/loans/${mapped.id}/sub-ledger?limit=1000`);
  const loan = (await tenant.officer.get(`/loans/${mapped.id}`)).body;
  const other = (await tenant.officer.get(`/loans/${plain.id}`)).body;

  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  expect(nightly.body[0].lines).toMatchObject([
    { role: 'interest_receivable', account: 'Interest Receivable', debit: '2.33' },
    { role: 'interest_receivable', account: 'Interest Receivable, Autos', debit: '1.36' },
    { role: 'interest_income', account: 'Interest Income', credit: '2.33' },
    { role: 'interest_income', account: 'Interest Income, Autos', credit: '1.36' },
  ]);
  expect(await balanceOf(admin, gl_map['cash'])).toBe('-5800.00');
  expect(await balanceOf(admin, gl_map['loans_receivable'])).toBe(loan.principal_balance);
  expect(await balanceOf(admin, gl_map['interest_receivable'])).toBe(loan.accrued_interest);
  expect(await balanceOf(admin, accounts['cash'])).toBe('-10000.00');
  expect(await balanceOf(admin, accounts['loans_receivable'])).toBe(other.principal_balance);
  expect(await balanceOf(admin, accounts['interest_receivable'])).toBe(other.accrued_interest);
  const names = (shares.body as { lines: { account: string }[] }[])
    .flatMap(({ lines }) => lines)
    .map(({ account }) => account);
  expect(new Set(names)).toEqual(
    new Set(['Cash', 'Loans Receivable', 'Interest Receivable', 'Interest Income'].map(autos)),
  );
  expect(await violationsIn(stage)).toEqual([]);
});

const autos = (name: string) => `${name}, Autos`;

test('a change of the map applies only to new loans, so that no receivable is split', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, accounts } = await keeperOf(tenant);
  const { gl_map, product_id } = await mappedProduct(tenant, admin, ['loans_receivable']);
  const before = await newLoan(tenant, { product_id });

  const changed = await admin.put(`/products/${product_id}`, { gl_map: {} });
  const after = await newLoan(tenant, { product_id });
  await travelTo(stage, tenant, '2026-02-15');
  for (const { id } of [before, after]) {
    const payment = { amount: '315.68', payment_date: '2026-02-15' };
    await tenant.officer.post(`/loans/${id}/payments`, payment);
  }
  const principal = (await tenant.officer.get(`/loans/${before.id}`)).body.principal_balance;
  const off = await admin.put(`/ledger/accounts/${gl_map['loans_receivable']}`, {
    is_active: false,
  });

  expect(changed.status).toBe(200);
  expect(await balanceOf(admin, gl_map['loans_receivable'])).toBe(principal);
  expect(await balanceOf(admin, accounts['loans_receivable'])).toBe(principal);
  expect(off).toMatchObject({ status: 409, body: { code: 'in_use' } });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a role maps to an active account of its type that is not a header', async () => {
  const tenant = await stage.tenant();
  const { admin, accounts } = await keeperOf(tenant);
  const header = { code: '1900', name: 'Assets', account_type: 'asset', is_header: true };
  const spare = { code: '1950', name: 'Old cash', account_type: 'asset' };
  const group = (await admin.post('/ledger/accounts', header)).body.id;
  const old = (await admin.post('/ledger/accounts', spare)).body.id;
  await admin.put(`/ledger/accounts/${old}`, { is_active: false });

  const refused = await admin.post('/products', {
    name: 'Autos',
    code: 'AUTOS',
    gl_map: {
      cash: old,
      loans_receivable: group,
      interest_receivable: accounts['fee_income'],
      fee_income: accounts['interest_income'],
    },
  });

  expect(refused).toMatchObject({ status: 422 });
  expect(refused.body.errors).toEqual({
    'gl_map.cash': 'Is not active.',
    'gl_map.loans_receivable': 'Is a header, which only groups accounts.',
    'gl_map.interest_receivable': 'Must be an account of the type asset.',
  });
});

test('a manual entry for a loan uses the roles that its map assigns to the accounts', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, accounts } = await keeperOf(tenant);
  const { gl_map, product_id } = await mappedProduct(tenant, admin, ['loans_receivable']);
  const { id } = await newLoan(tenant, { product_id });
  const write = (account: string | undefined) =>
    admin.post('/ledger/entries', {
      entry_date: '2026-01-15',
      loan_id: id,
      lines: [line(account, '10.00'), line(accounts['cash'], '-10.00')],
    });

  const mapped = await write(gl_map['loans_receivable']);
  const draft = await write(accounts['rounding']);
  const posted = await admin.post(`/ledger/entries/${draft.body.id}/post`);

  expect(mapped).toMatchObject({ status: 201, body: { status: 'draft' } });
  expect(mapped.body.lines).toMatchObject([{ role: 'loans_receivable' }, { role: 'cash' }]);
  expect(posted.body.lines).toMatchObject([{ role: 'rounding' }, { role: 'cash' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('all entries of a loan with mapped accounts use these accounts', async () => {
  const roles = CHART.map(({ role }) => role);
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(roles, { minLength: 1 }),
      fc.array(anyEvent, { minLength: 3, maxLength: 6 }),
      async (mapped, story) => {
        const tenant = await stage.tenant('2026-01-31');
        const { admin } = await keeperOf(tenant);
        const { gl_map, product_id } = await mappedProduct(tenant, admin, mapped);
        const { id } = await newLoan(tenant, { product_id });
        await travelTo(stage, tenant, '2026-03-02');
        for (const draft of story) {
          if ('reverses' in draft || 'fee_id' in draft) continue;
          const event = { ...draft, id: randomUUIDv7(), effective_date: '2026-03-01' };
          await tenant.within(async (work) =>
            recordEvents(work, await openLoan(work, id), [event]),
          );
        }
        await travelTo(stage, tenant, '2026-03-04');

        expect(await astray(id, gl_map)).toEqual([]);
        expect(Object.keys(await balancesByRole(tenant))).not.toEqual([]);
        expect(await violationsIn(stage)).toEqual([]);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 300_000);
