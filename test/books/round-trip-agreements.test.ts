import { expect, test } from 'vitest';
import { openCase } from '../setup/cases.ts';
import { compareBooks } from '../setup/compare-books.ts';
import { exportedFiles } from '../setup/exported-books.ts';
import { importBookByHttp } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { assertOk } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const LATE_FEE = {
  fee_rules: [{ fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' }],
};

const differencesOf = async (source: Tenant, target: Tenant, { later = false } = {}) =>
  (await compareBooks(stage.url, source.slug, target.slug, { later })).differences;

/** A loan for each agreement, made on 20 April 2026. */
async function newAgreements(tenant: Tenant) {
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const product_id = await newProduct(tenant, LATE_FEE);
  const loan = () => newLoan(tenant, { product_id });
  const on = async (id: string, action: string, body: object) =>
    assertOk(await admin.post(`/loans/${id}/${action}`, body));
  const [forborne, lowered, deferred, later, promoted, waiting] = [
    await loan(),
    await loan(),
    await loan(),
    await loan(),
    await loan(),
    await loan(),
  ];
  const [planned, settling, frozen, promised, capped, drawn] = [
    await loan(),
    await loan(),
    await loan(),
    await loan(),
    await loan(),
    await loan(),
  ];
  await travelTo(stage, tenant, '2026-04-20');
  await on(forborne.id, 'forbearances', {
    start_date: '2026-04-20',
    end_date: '2026-05-31',
    interest_accrues: false,
    reason: 'Fewer hours.',
  });
  await on(lowered.id, 'forbearances', {
    forbearance_type: 'reduced_payment',
    reduced_payment_amount: '100.00',
    start_date: '2026-05-01',
    end_date: '2026-06-15',
    end_treatment: 'extend_term',
    reason: 'A new job in summer.',
  });
  await on(deferred.id, 'deferments', {
    periods: 2,
    interest_treatment: 'capitalize_at_end',
    reason: 'Leave.',
  });
  await on(later.id, 'deferments', { periods: 1, start_date: '2026-06-01', reason: 'Leave.' });
  await on(promoted.id, 'activate-promo', { promo_rate: '0.0199', duration_months: 1 });
  await on(waiting.id, 'modifications', {
    modification_type: 'rate_change',
    new_interest_rate: '0.04',
    effective_date: '2026-06-10',
    reason: 'hardship',
  });
  await on(planned.id, 'payment-plans', {
    plan_type: 'catch_up',
    start_date: '2026-05-05',
    frequency: 'monthly',
    number_of_payments: 3,
  });
  await on(settling.id, 'payment-plans', {
    plan_type: 'settlement',
    settlement_amount: '6000.00',
    waive_remaining: true,
    installments: [
      { due_date: '2026-05-05', amount: '3000.00' },
      { due_date: '2026-06-05', amount: '3000.00' },
    ],
  });
  await on(frozen.id, 'freeze', { reason: 'disaster', until: '2026-06-10' });
  await on(promised.id, 'promises-to-pay', {
    promised_amount: '600.00',
    promised_date: '2026-05-15',
    installments: [
      { due_date: '2026-05-01', amount: '300.00' },
      { due_date: '2026-05-15', amount: '300.00' },
    ],
  });
  await openCase(officer, capped.borrower_id, 'servicemember', {
    service_from: '2026-03-15',
    service_to: '2026-06-10',
    evidence: 'orders',
    notice_received_date: '2026-04-20',
  });
  const payment_instrument_id = await addBankAccount(officer, drawn.borrower_id);
  await on(drawn.id, 'payments', {
    amount: '400.00',
    payment_date: '2026-06-19',
    payment_instrument_id,
    notes: 'As agreed on the phone.',
  });
  return { settling, drawn };
}

/** The test closes 160 days. */
const LONG_MS = 600_000;

test(
  'reliefs, plans, promises, caps and scheduled payments continue after an import, as if the loans had stayed',
  async () => {
    const source = await stage.tenant('2026-03-01');
    const { settling } = await newAgreements(source);
    await travelTo(stage, source, '2026-04-21');
    const target = await stage.tenant('2026-04-21');

    const found = await importBookByHttp(stage, target, await exportedFiles(stage, source));
    const atOnce = await differencesOf(source, target);
    const numberOf = async (id: string) =>
      String((await source.officer.get(`/loans/${id}`)).body.loan_number);
    const settled = await numberOf(settling.id);
    for (const day of ['2026-05-05', '2026-06-05'])
      for (const tenant of [source, target]) {
        await travelTo(stage, tenant, day);
        const [loan] = (await tenant.officer.get(`/loans?loan_number=${settled}`)).body;
        assertOk(await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '3000.00' }));
      }
    for (const tenant of [source, target]) await travelTo(stage, tenant, '2026-06-20');
    const later = await differencesOf(source, target, { later: true });

    expect(found).toEqual([]);
    expect({ atOnce, later }).toEqual({ atOnce: [], later: [] });
    expect(await violationsIn(stage)).toEqual([]);
  },
  LONG_MS,
);

test('loans keep their investors and portfolios, and a sold loan posts to the investor', async () => {
  const source = await stage.tenant('2026-01-15');
  const [sold, shared] = [await newLoan(source), await newLoan(source)];
  const { sell, investor_id } = await newPortfolioForSale(source, sold.id);
  const admin = await source.signedIn('admin');
  assertOk(await sell({ purchase_price_ratio: '0.98', settlement_date: '2026-02-14' }));
  assertOk(
    await admin.post(`/investors/${investor_id}/loan-assignments`, {
      loan_id: shared.id,
      ownership_percentage: '0.4',
      assignment_type: 'participation',
    }),
  );
  await travelTo(stage, source, '2026-02-20');
  assertOk(await source.officer.post(`/loans/${sold.id}/payments`, { amount: '315.68' }));
  const target = await stage.tenant('2026-02-20');

  const found = await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const atOnce = await differencesOf(source, target);
  for (const tenant of [source, target]) await travelTo(stage, tenant, '2026-04-20');
  const later = await differencesOf(source, target, { later: true });

  expect(found).toEqual([]);
  expect(atOnce).toEqual([]);
  expect(later).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('an archived product and accounts of the lender come with the book', async () => {
  const source = await stage.tenant('2026-01-15');
  const admin = await source.signedIn('admin');
  const receivable = assertOk(
    await admin.post('/ledger/accounts', {
      code: '1110',
      name: 'Auto loans',
      account_type: 'asset',
    }),
  );
  const product_id = await newProduct(source, { gl_map: { loans_receivable: receivable['id'] } });
  await newLoan(source, { product_id });
  expect((await admin.delete(`/products/${product_id}`)).status).toBeLessThan(300);
  await travelTo(stage, source, '2026-02-10');
  const target = await stage.tenant('2026-02-10');

  const found = await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const differences = await differencesOf(source, target);
  const products = (await (await target.signedIn('admin')).get('/products')).body as object[];

  expect(found).toEqual([]);
  expect(differences).toEqual([]);
  expect(products.filter((one) => 'is_active' in one && one.is_active === false)).toHaveLength(1);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a modification that waits stays canceled on a loan that was charged off', async () => {
  const source = await stage.tenant('2026-01-15');
  const admin = await source.signedIn('admin');
  const loan = await newLoan(source);
  assertOk(
    await admin.post(`/loans/${loan.id}/modifications`, {
      modification_type: 'rate_change',
      new_interest_rate: '0.04',
      effective_date: '2026-06-10',
      reason: 'hardship',
    }),
  );
  assertOk(await admin.post(`/loans/${loan.id}/charge-off`, { reason: 'fraud' }));
  const target = await stage.tenant('2026-01-15');

  await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const modifications = (await target.officer.get('/modifications')).body as object[];

  expect(modifications).toMatchObject([{ status: 'canceled' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('settings that decide about figures are compared, and never changed', async () => {
  const source = await stage.tenant('2026-01-15');
  await newLoan(source);
  await saveSettings(source, { delinquency: { satisfied_tolerance: '5.00' } });
  const files = await exportedFiles(stage, source);
  const target = await stage.tenant('2026-01-15');

  const found = await importBookByHttp(stage, target, files);
  const { delinquency } = (await (await target.signedIn('admin')).get('/tenant/settings')).body;

  expect(found).toMatchObject([
    { code: 'setting_differs', severity: 'warning', file: 'settings.csv' },
  ]);
  expect(delinquency.satisfied_tolerance).toBe('0.00');
  expect(files.get('README.md')?.toString()).toContain('What is not part');
});

test('the final file of a servicing transfer is a book that the new servicer imports', async () => {
  const source = await stage.tenant('2026-01-15');
  const [moved] = [await newLoan(source), await newLoan(source)];
  const admin = await source.signedIn('admin');
  await travelTo(stage, source, '2026-03-02');
  assertOk(await source.officer.post(`/loans/${moved.id}/payments`, { amount: '315.68' }));
  const transfer = assertOk(
    await admin.post('/servicing-transfers', {
      direction: 'out',
      effective_date: '2026-03-18',
      servicer_name: 'Next Servicing',
      servicer_address_line_1: '1 Next Street',
      servicer_address_line_2: 'Austin, TX 78701',
      servicer_phone: '+15125550100',
      late_notice_reason: 'combined_notice',
      loan_ids: [moved.id],
    }),
  );
  await travelTo(stage, source, '2026-03-19');
  await runJobs(stage, {}, ['send-transfer-notices']);
  const scope = { portfolio_id: null, servicing_transfer_id: String(transfer['id']) };
  // The transfer moved the interest until its morning.
  const target = await stage.tenant('2026-03-18');

  await importBookByHttp(stage, target, await exportedFiles(stage, source, { scope }));
  const [loan, ...others] = (await target.officer.get('/loans')).body;
  const [left] = (await admin.get(`/servicing-transfers/${String(transfer['id'])}/loans`)).body;
  const payments = (await target.officer.get(`/loans/${loan.id}/payments`)).body;

  expect(others).toEqual([]);
  expect(loan).toMatchObject({
    status: 'active',
    principal_balance: left.principal_balance,
    outstanding_fees: left.outstanding_fees,
    accrued_interest: left.accrued_interest,
  });
  expect(payments).toMatchObject([{ amount: '315.68', payment_date: '2026-03-02' }]);
  expect(await violationsIn(stage)).toEqual([]);
});
