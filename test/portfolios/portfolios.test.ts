import { expect, test } from 'vitest';
import { assignToDynamicPortfolios } from '../../jobs/portfolios/assign.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const NOWHERE = '0198a000-0000-7000-8000-000000000000';

test('a dynamic portfolio takes loans that match its criteria and have no portfolio', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const [fits, , , , , , taken] = await insertLoans(
    tenant,
    { origination_date: '2026-01-10', labels: ['prime'], interest_rate: '0.1' },
    { origination_date: '2025-12-31', labels: ['prime'], interest_rate: '0.1' },
    { origination_date: '2026-01-10', labels: [], interest_rate: '0.1' },
    { origination_date: '2026-01-10', labels: ['prime'], interest_rate: '0.2' },
    { origination_date: '2026-01-10', labels: ['prime'], interest_rate: '0.1', status: 'paid_off' },
    { origination_date: '2026-01-10', labels: ['prime'], interest_rate: '0.1', is_archived: true },
    { origination_date: '2026-01-10', labels: ['prime'], interest_rate: '0.1' },
  );
  const other = await admin.post('/portfolios', { name: 'Hand-picked' });
  await admin.post(`/portfolios/${other.body.id}/assign-loans`, { loan_ids: [taken] });
  const created = await admin.post('/portfolios', {
    name: 'Prime 2026',
    portfolio_type: 'dynamic',
    criteria: {
      program_id: [await tenant.first('/programs')],
      origination_date_start: '2026-01-01',
      origination_date_end: '2026-01-31',
      labels: 'prime',
      max_rate: '0.15',
      min_term_months: 36,
    },
  });
  const url = `/portfolios/${created.body.id}/auto-assign`;

  const dry = await admin.post(url, { dry_run: true });
  const first = await admin.post(url);
  const second = await admin.post(url);
  const read = await admin.get(`/portfolios/${created.body.id}`);

  expect(dry).toMatchObject({ status: 200, body: { assigned_count: 1, loan_ids: [fits] } });
  expect(first.body).toEqual({
    portfolio_id: created.body.id,
    assigned_count: 1,
    loan_ids: [fits],
  });
  expect(second.body).toMatchObject({ assigned_count: 0, loan_ids: [] });
  expect(read.body).toMatchObject({ loan_count: 1, status: 'active' });
});

test('criteria are compared with the borrower and the loan', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const [loan] = await insertLoans(tenant, { delinquency_bucket: 'dpd_30_59' });
  await tenant.officer.post(`/borrowers/${await tenant.first('/borrowers')}/addresses`, {
    street_line_1: '1 Main St',
    city: 'Austin',
    state: 'TX',
    postal_code: '78701',
  });
  const matches = async (criteria: object) => {
    const name = JSON.stringify(criteria);
    const made = await admin.post('/portfolios', { name, portfolio_type: 'dynamic', criteria });
    const url = `/portfolios/${made.body.id}/auto-assign`;
    return (await admin.post(url, { dry_run: true })).body.assigned_count;
  };

  expect(loan).toBeDefined();
  expect(await matches({ state: 'TX' })).toBe(1);
  expect(await matches({ state: ['CA', 'NV'] })).toBe(0);
  expect(await matches({ delinquency_bucket: ['current', 'dpd_30_59'] })).toBe(1);
  expect(await matches({ status: 'approved' })).toBe(0);
  expect(await matches({ min_principal: '10000.01' })).toBe(0);
  expect(await matches({ max_principal: '10000.00', max_term_months: 36 })).toBe(1);
  expect(await matches({ origination_date_start: '2020-01-01' })).toBe(0);
});

test('criteria that are empty, contradictory or name unknown records are refused', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const refusal = async (criteria: object) => {
    const body = { name: 'P', portfolio_type: 'dynamic', criteria };
    return Object.keys((await admin.post('/portfolios', body)).body.errors ?? {});
  };

  expect(await refusal({})).toEqual(['criteria']);
  expect(await refusal({ min_rate: '0.2', max_rate: '0.1' })).toEqual(['criteria.max_rate']);
  expect(await refusal({ program_id: NOWHERE })).toEqual(['criteria.program_id']);
  expect(await refusal({ product_id: [NOWHERE] })).toEqual(['criteria.product_id']);
  expect(await refusal({ credit_score: 700 })).toEqual(['criteria']);
  expect(await refusal({ status: 'denied' })).toEqual(['criteria.status']);
});

test('loans are assigned to a static portfolio manually, all or none', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const [one, two, three] = await insertLoans(tenant, {}, {}, {});
  const first = (await admin.post('/portfolios', { name: 'First' })).body.id;
  const second = (await admin.post('/portfolios', { name: 'Second' })).body.id;
  const assign = (id: string, loan_ids: unknown[]) =>
    admin.post(`/portfolios/${id}/assign-loans`, { loan_ids });

  const done = await assign(first, [one, two, one]);
  const again = await assign(first, [one]);
  const elsewhere = await assign(second, [three, two]);
  const unknown = await assign(second, [three, NOWHERE]);
  const untouched = await admin.get(`/portfolios/${second}`);
  const wrongKind = await admin.post(`/portfolios/${first}/auto-assign`);
  await admin.delete(`/portfolios/${second}`);
  const archived = await assign(second, [three]);
  const list = await admin.get('/portfolios?status=archived');

  expect(done.body).toMatchObject({ assigned_count: 2 });
  expect(again.body).toMatchObject({ assigned_count: 0 });
  expect(elsewhere).toMatchObject({
    status: 409,
    body: { code: 'already_assigned', details: { loan_ids: [two] } },
  });
  expect(unknown).toMatchObject({
    status: 422,
    body: { errors: { loan_ids: expect.any(String) } },
  });
  expect(untouched.body.loan_count).toBe(0);
  expect(wrongKind).toMatchObject({ status: 409, body: { code: 'not_dynamic' } });
  expect(archived).toMatchObject({ status: 409, body: { code: 'portfolio_archived' } });
  expect(list.body).toMatchObject([{ id: second, status: 'archived' }]);
});

test('a transfer moves the loans it finds, lists the others, and is in each loan’s history', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const [one, two, stray] = await insertLoans(tenant, {}, {}, {});
  const from = (await admin.post('/portfolios', { name: 'From' })).body.id;
  const to = (await admin.post('/portfolios', { name: 'To' })).body.id;
  await admin.post(`/portfolios/${from}/assign-loans`, { loan_ids: [one, two] });
  const transfer = (body: object) => admin.post(`/portfolios/${from}/transfer-loans`, body);

  const some = await transfer({
    target_portfolio_id: to,
    loan_ids: [one, stray],
    notes: 'Rebalancing',
  });
  const rest = await transfer({ destination_portfolio_id: to, all: true });
  const vague = await transfer({ target_portfolio_id: to });
  const itself = await transfer({ target_portfolio_id: from, all: true });
  const nowhere = await transfer({ target_portfolio_id: NOWHERE, all: true });
  const history = await stage.owner.query(
    'select action, reason, changes from audit_log where loan_id = $1 order by created_at desc',
    [one],
  );

  expect(some.body).toMatchObject({
    transferred_count: 1,
    loan_ids: [one],
    skipped: [{ loan_id: stray, reason: 'not_in_portfolio' }],
  });
  expect(rest.body).toMatchObject({ transferred_count: 1, loan_ids: [two], skipped: [] });
  expect([vague.status, itself.status, nowhere.status]).toEqual([422, 422, 422]);
  expect(history.rows[0]).toMatchObject({
    action: 'transfer-portfolio',
    reason: 'Rebalancing',
    changes: { portfolio_id: { old: from, new: to } },
  });
});

test('portfolios that want the same loans concurrently never share one', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  await insertLoans(tenant, ...Array.from({ length: 30 }, () => ({})));
  const ids: string[] = [];
  for (const name of ['A', 'B', 'C']) {
    const body = { name, portfolio_type: 'dynamic', criteria: { max_rate: '1' } };
    ids.push((await admin.post('/portfolios', body)).body.id);
  }

  const answers = await Promise.all(ids.map((id) => admin.post(`/portfolios/${id}/auto-assign`)));
  const counts = answers.map(({ body }) => body.assigned_count as number);
  await insertLoans(tenant, {});
  const nightly = await tenant.within(assignToDynamicPortfolios);

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(counts.reduce((sum, count) => sum + count)).toBe(30);
  expect(new Set(answers.flatMap(({ body }) => body.loan_ids)).size).toBe(30);
  expect(nightly).toBe(1);
});

test('vintages show how the loans of each period have performed', async () => {
  const tenant = await stage.tenant('2026-03-20');
  const admin = await tenant.signedIn('admin');
  const ids = await insertLoans(
    tenant,
    { disbursement_date: '2026-01-05' },
    {
      disbursement_date: '2026-01-25',
      delinquency_bucket: 'dpd_90_119',
      principal_balance: '8000',
    },
    { disbursement_date: '2026-02-01', status: 'paid_off', principal_balance: '0' },
    {
      disbursement_date: '2026-02-02',
      status: 'charged_off',
      principal_balance: '0',
      charge_off_amount: '9000',
      charge_off_balance: '8500',
    },
    { status: 'approved', principal_balance: '0' },
  );
  const { id } = (await admin.post('/portfolios', { name: 'All' })).body;
  await admin.post(`/portfolios/${id}/assign-loans`, { loan_ids: ids });

  const months = await admin.get(`/portfolios/${id}/vintages`);
  const quarters = await admin.get(`/portfolios/${id}/vintages?period=quarter`);
  const wrong = await admin.get(`/portfolios/${id}/vintages?period=week`);

  expect(months.body).toEqual([
    {
      vintage: '2026-01',
      loan_count: 2,
      original_principal: '20000.00',
      current_principal: '18000.00',
      paid_off_count: 0,
      charged_off_count: 0,
      charged_off_amount: '0.00',
      recovered_amount: '0.00',
      delinquent_30_plus_count: 1,
      delinquency_rate: '0.444444',
      cumulative_default_rate: '0.500000',
      cumulative_loss_rate: '0.000000',
      months_on_book: 2,
    },
    expect.objectContaining({
      vintage: '2026-02',
      paid_off_count: 1,
      charged_off_count: 1,
      charged_off_amount: '9000.00',
      recovered_amount: '500.00',
      cumulative_loss_rate: '0.425000',
      delinquency_rate: '0.000000',
      months_on_book: 1,
    }),
  ]);
  expect(quarters.body).toMatchObject([{ vintage: '2026-Q1', loan_count: 4 }]);
  expect(wrong.status).toBe(422);
});
