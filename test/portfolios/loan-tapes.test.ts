import { expect, test } from 'vitest';
import { generateTape, enqueueDueTapes } from '../../jobs/portfolios/generate-tape.job.ts';
import { nextRun } from '../../jobs/portfolios/tape-config.ts';
import { TAPE_COLUMNS } from '../../sql/portfolios/tape-columns.ts';
import { insertDailySnapshots } from '../setup/daily-snapshots.ts';
import { newLoan } from '../setup/loans.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { newOutside } from '../setup/outside.ts';
import { travelTo } from '../setup/queue.ts';
import { readDocument, newTapeConfig } from '../setup/tape-files.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a tape holds the chosen columns of the loans of its portfolio', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const [one, two] = await insertLoans(
    tenant,
    { loan_number: 'A-1', principal_balance: '8000.10', accrual_rate: '0.1' },
    { loan_number: 'A-2', principal_balance: '0', status: 'paid_off' },
    { loan_number: 'A-3' },
  );
  const portfolio = await admin.post('/portfolios', { name: 'P' });
  await admin.post(`/portfolios/${portfolio.body.id}/assign-loans`, { loan_ids: [one, two] });
  const config = await admin.post('/loan-tape-configs', {
    name: 'Buyers / weekly',
    portfolio_id: portfolio.body.id,
    format: 'csv',
    columns: ['loan_number', 'borrower_name', 'principal_balance', 'interest_rate', 'portfolio'],
    schedule: 'monthly',
  });

  const made = await admin.post(`/loan-tape-configs/${config.body.id}/generate`);
  const text = await readDocument(stage, tenant, made.body.document_id);
  const read = await admin.get(`/loan-tapes/${made.body.id}`);

  expect(config).toMatchObject({ status: 201, body: { next_run_at: '2026-01-31' } });
  expect(made).toMatchObject({
    status: 200,
    body: {
      status: 'completed',
      row_count: 1,
      as_of_date: '2026-01-15',
      totals: { principal_balance: '8000.10' },
      download_url: expect.stringContaining('http'),
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      warnings: expect.arrayContaining([
        { code: 'no_state', message: expect.any(String), count: 1 },
      ]),
    },
  });
  expect(text).toBe(
    'loan_number,borrower_name,principal_balance,interest_rate,portfolio\r\n' +
      'A-1,Bo Rower,8000.10,0.1,P\r\n',
  );
  expect(read.body).toMatchObject({ id: made.body.id, status: 'completed' });
});

test('every column of the catalogue can be read, today and of a day that is closed', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const [loan] = await insertLoans(tenant, { principal_balance: '4000', status: 'charged_off' });
  await insertDailySnapshots(stage, tenant, loan ?? '', {
    '2026-01-12': { days_past_due: 31 },
    '2026-01-13': {},
    '2026-01-14': { days_past_due: 30, times_delinquent_30: 2 },
  });
  const config = await admin.post('/loan-tape-configs', {
    name: 'All',
    format: 'json',
    columns: TAPE_COLUMNS,
  });
  const url = `/loan-tape-configs/${config.body.id}/generate`;

  const today = await admin.post(url);
  const past = await admin.post(url, { as_of_date: '2026-01-14' });
  const unknown = await admin.post(url, { as_of_date: '2026-01-11' });
  const ahead = await admin.post(url, { as_of_date: '2026-01-16' });
  const rows = JSON.parse(await readDocument(stage, tenant, past.body.document_id));

  expect(today).toMatchObject({ status: 200, body: { row_count: 1 } });
  expect(rows).toMatchObject([
    {
      loan_id: loan,
      status: 'active',
      principal_balance: '5000.00',
      total_paid: '6.00',
      times_30: 2,
      times_60: 0,
      days_past_due: 30,
      as_of_date: '2026-01-14',
    },
  ]);
  expect(Object.keys(rows[0])).toEqual(TAPE_COLUMNS);
  expect(unknown).toMatchObject({ status: 409, body: { code: 'no_loan_snapshots' } });
  expect(ahead.status).toBe(422);
});

test('columns and filters that do not exist are named and refused', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const refusal = async (body: object) =>
    (await admin.post('/loan-tape-configs', { name: 'T', ...body })).body.errors;

  expect(await refusal({ columns: ['loan_number', 'ssn; drop table loans'] })).toEqual({
    'columns.1': 'ssn; drop table loans is not a column of a tape.',
  });
  expect(await refusal({ columns: [] })).toHaveProperty('columns');
  expect(await refusal({ columns: ['loan_id', 'loan_id'] })).toHaveProperty('columns');
  expect(await refusal({ columns: ['toString'] })).toHaveProperty(['columns.0']);
  expect(await refusal({ columns: ['loan_id'], filters: { ssn: '1' } })).toHaveProperty('filters');
  expect(await refusal({ columns: ['loan_id'], format: 'pdf' })).toHaveProperty('format');
});

test('tapes that are due are ordered with the close of their day, once, and made by the workers', async () => {
  const tenant = await stage.tenant('2026-01-31');
  const admin = await tenant.signedIn('admin');
  await insertLoans(tenant, {}, {});
  const config = await admin.post('/loan-tape-configs', {
    name: 'Month end',
    columns: ['loan_number'],
    schedule: 'monthly',
  });
  const outside = newOutside(stage.pool);

  const ordered = await tenant.within(async (work) => [
    await enqueueDueTapes(work, '2026-01-30'),
    await enqueueDueTapes(work, '2026-01-31'),
    await enqueueDueTapes(work, '2026-01-31'),
  ]);
  const tape = await stage.owner.query('select id from loan_tapes where tenant_id = $1', [
    tenant.id,
  ]);
  const payload = { tenant_id: tenant.id, tape_id: tape.rows[0].id };
  const waiting = await admin.get(`/loan-tapes/${payload.tape_id}`);
  await generateTape.run(payload, outside);
  await generateTape.run(payload, outside);
  const documents = await stage.owner.query('select id from documents where tenant_id = $1', [
    tenant.id,
  ]);
  const after = await admin.get(`/loan-tape-configs/${config.body.id}`);

  expect(ordered).toEqual([0, 1, 0]);
  expect(waiting.body).toMatchObject({ status: 'pending', download_url: null });
  expect(documents.rows).toHaveLength(1);
  expect(after.body).toMatchObject({
    next_run_at: '2026-02-28',
    last_generated_at: expect.any(String),
  });
});

test.each([
  ['daily', '2026-01-15', '2026-01-15'],
  ['weekly', '2026-01-15', '2026-01-18'],
  ['weekly', '2026-01-18', '2026-01-18'],
  ['monthly', '2026-02-01', '2026-02-28'],
  ['quarterly', '2026-01-31', '2026-03-31'],
  ['quarterly', '2026-12-31', '2026-12-31'],
  ['none', '2026-01-15', null],
] as const)('a %s tape asked for on %s is first made on %s', (schedule, from, expected) => {
  const first = nextRun(schedule, from);

  expect(first).toBe(expected);
});

test('a tape is compared with the books of its day, and found among the tapes that were made', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-16');
  const columns = ['loan_number', 'principal_balance'];
  const { generate } = await newTapeConfig(stage, tenant, admin, { columns, format: 'xlsx' });

  const made = await generate({ as_of_date: '2026-01-15' });
  const trial = (await admin.get('/ledger/trial-balance?as_of_date=2026-01-15')).body.accounts;
  await tenant.officer.post(`/loans/${id}/payments`, {
    amount: '500.00',
    payment_date: '2026-01-15',
  });
  const later = await generate({ as_of_date: '2026-01-15' });
  const listed = await tenant.officer.get('/loan-tapes?format=xlsx&ordering=created_at');

  const owed = trial.find(({ code }: { code: string }) => code === '1100').debit;
  expect(made.body).toMatchObject({
    format: 'xlsx',
    filename: expect.stringMatching(/\.xlsx$/),
    totals: { principal_balance: owed, ledger_principal: '20000.00', ledger_difference: '0.00' },
  });
  expect(made.body.warnings).not.toContainEqual(expect.objectContaining({ code: 'differing' }));
  // A day's tape contains what its close knew. Later entries appear separately.
  expect(later.body).toMatchObject({
    totals: { principal_balance: '20000.00', ledger_difference: '500.00' },
    warnings: expect.arrayContaining([expect.objectContaining({ code: 'differing', count: 1 })]),
  });
  expect(later.body.checksum).toBe(made.body.checksum);
  expect(listed.body.map((tape: { id: string }) => tape.id)).toEqual([made.body.id, later.body.id]);
});
