import { expect, test, vi } from 'vitest';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { startProcess } from '../setup/processes.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';
import type { Client } from '../setup/client.ts';
import { legacyFiles, writeBook } from './legacy-book.ts';
import { LEGACY, runLegacyBook, type LegacyLoan } from './legacy-system.ts';

vi.setConfig({ testTimeout: 120_000 });

const stage = await newStage();
/** Payments take effect on the day of their receipt, as the API takes them. */
const LOANS = runLegacyBook(6, { conventions: { ...LEGACY, payment_lag_days: 0 }, months: 6 });
const FIGURES = legacyFiles(LOANS)['figures.csv'] ?? '';
const LEGACY_TERMS = { day_count: '30_360', rounding_mode: 'down' };

const outside = {
  within: createWithin(stage.pool, SYSTEM, stage.installation),
  files: stage.installation.files,
};

async function boardLoans(tenant: Tenant, terms: Record<string, unknown>, loans = LOANS) {
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const program_id = await tenant.first('/programs');
  const product_id = await newProduct(tenant, terms);
  const parents = { borrower_id, program_id, product_id };
  const ids: string[] = [];
  for (const loan of loans) ids.push(await boardLoan(tenant, parents, loan));
  return ids;
}

async function boardLoan(tenant: Tenant, parents: object, loan: LegacyLoan): Promise<string> {
  const admin = await tenant.signedIn('admin');
  const { history, figures, ...terms } = loan;
  const last = figures.at(-1);
  const made = await admin.post('/loans/board', {
    ...terms,
    ...parents,
    status: 'active',
    current_principal_balance: last?.principal,
    accept_difference: true,
    history: { transactions: history },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.id as string;
}

async function compare(client: Client, content: string, fields: Record<string, string> = {}) {
  const form = multipartForm(fields, [{ name: 'figures.csv', type: 'text/csv', content }]);
  const sent = await postForm(client, '/reconciliations', form);
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  await runJobs(stage, outside, ['reconcile']);
  return (await client.get(`/reconciliations/${sent.body.id}`)).body;
}

async function lender(terms: Record<string, unknown>) {
  const tenant = await stage.tenant('2024-12-31');
  const ids = await boardLoans(tenant, terms);
  const maker = await tenant.signedIn('admin');
  const checker = await tenant.signedIn('superadmin');
  return { tenant, ids, maker, checker };
}

test('a history that was boarded with the conventions of the old system agrees to the cent', async () => {
  const { maker, checker } = await lender(LEGACY_TERMS);

  const run = await compare(maker, FIGURES);
  const stranger = await (await stage.tenant('2024-12-31')).signedIn('superadmin');
  const foreign = await Promise.all([
    stranger.get(`/reconciliations/${run.id}`),
    stranger.get(`/reconciliations/${run.id}/differences`),
    stranger.get(`/reconciliations/${run.id}/changes`),
    stranger.post(`/reconciliations/${run.id}/sign-off`, { fingerprint: run.fingerprint }),
  ]);
  const own = await maker.post(`/reconciliations/${run.id}/sign-off`, {
    fingerprint: run.fingerprint,
  });
  const other = await checker.post(`/reconciliations/${run.id}/sign-off`, {
    fingerprint: 'a'.repeat(64),
  });
  const signed = await checker.post(`/reconciliations/${run.id}/sign-off`, {
    fingerprint: run.fingerprint,
  });

  expect(run).toMatchObject({
    status: 'done',
    loans_total: 6,
    loans_agreeing: 6,
    loans_differing: 0,
    summary: [],
  });
  expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect([own.status, own.body.code]).toEqual([409, 'four_eyes']);
  expect([other.status, other.body.code]).toEqual([409, 'fingerprint_differs']);
  expect(signed.status).toBe(200);
  expect(signed.body.signed_off_at).not.toBeNull();
});

test('with another day count, each loan is named with both computations, and a note is needed', async () => {
  const { maker, checker, ids } = await lender({ ...LEGACY_TERMS, day_count: 'actual_365' });

  const run = await compare(maker, FIGURES);
  const accepted = await compare(maker, FIGURES, { accepted_kinds: 'day_count' });
  const { body: rows } = await maker.get(`/reconciliations/${run.id}/differences?limit=100`);
  const signOff = (note?: string) =>
    checker.post(`/reconciliations/${run.id}/sign-off`, { fingerprint: run.fingerprint, note });
  const withoutNote = await signOff();
  const withNote = await signOff('The old system counts 30/360.');

  expect(run).toMatchObject({ loans_agreeing: 0, loans_differing: 6 });
  expect(run.summary).toMatchObject([{ kind: 'day_count', loans: 6, is_accepted: false }]);
  expect(accepted).toMatchObject({ loans_accepted: 6, loans_differing: 0 });
  expect(accepted.fingerprint).not.toBe(run.fingerprint);
  expect(rows[0]).toMatchObject({
    kind: 'day_count',
    reason: 'day count: actual/365 here, 30/360 there',
    parting: { ours: { steps: [{ text: expect.stringContaining('365') }] } },
  });
  expect(new Set(rows.map((row: { loan_id: string }) => row.loan_id))).toEqual(new Set(ids));
  expect(withoutNote.status).toBe(422);
  expect(withNote.body.sign_off_note).toBe('The old system counts 30/360.');
});

test('a later change of a loan’s past is counted, and prevents the sign-off', async () => {
  const { maker, checker, ids, tenant } = await lender(LEGACY_TERMS);
  const run = await compare(maker, FIGURES);
  const before = await maker.get(`/reconciliations/${run.id}/changes`);

  const paid = await tenant.officer.post(`/loans/${ids[0]}/payments`, {
    amount: '10.00',
    effective_date: LOANS[0]?.figures[2]?.as_of_date,
  });
  const after = await maker.get(`/reconciliations/${run.id}/changes`);
  const signed = await checker.post(`/reconciliations/${run.id}/sign-off`, {
    fingerprint: run.fingerprint,
  });
  const again = await compare(maker, FIGURES);

  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  expect([before.body.changed_loans, after.body.changed_loans]).toEqual([0, 1]);
  expect([signed.status, signed.body.code]).toEqual([409, 'loans_changed']);
  expect(again.status, JSON.stringify(again)).toBe('done');
  expect(again.summary).toMatchObject([{ kind: 'missing_event', loans: 1 }]);
});

test('loans that only one system has, and a file that cannot be read, are told', async () => {
  const { maker } = await lender(LEGACY_TERMS);
  const lines = FIGURES.trim().split('\n');
  const [header, ...rows] = lines;
  const withoutFirst = rows.filter((row) => !row.startsWith('L-000001,'));
  const unknown = 'X-9,2024-01-31,10.00,0.00,0.00,0';

  const run = await compare(maker, [header, ...withoutFirst, unknown].join('\n'));
  const broken = await compare(maker, `${header}\nL-000001,2024-01-31,ten,0.00,0.00,0\n`);

  expect(run.summary).toMatchObject([{ kind: 'missing_loan', loans: 2 }]);
  expect(broken.status).toBe('failed');
  expect(broken.failure_reason).toContain('line 2');
});

test('npm run reconcile compares a book without loans here, writes a CSV and exits with 0, 1 or 2', async () => {
  const tenant = await stage.tenant('2024-12-31');
  await newProduct(tenant, { code: 'OLD', ...LEGACY_TERMS });
  const files = legacyFiles(LOANS);
  const withProduct = {
    ...files,
    'loans.csv': (files['loans.csv'] ?? '')
      .split('\n')
      .map((line, at) => (line === '' ? '' : `${line},${at === 0 ? 'product_code' : 'OLD'}`))
      .join('\n'),
  };
  const folder = writeBook(withProduct);
  const run = async (...words: string[]) => {
    const { ended, said } = startProcess('workers/reconcile.ts', words, {
      DATABASE_URL: stage.url,
      LOG_LEVEL: 'silent',
    });
    return { code: await ended, output: said() };
  };
  const from = ['--tenant', tenant.slug];

  const equal = await run(...from, '--book', folder);
  const here = await run(...from, '--out', `${writeBook({})}/differences.csv`, folder);
  const accepted = await run(...from, '--accept', 'missing_loan', folder);
  const misuse = await run(...from, '--accept', 'nonsense', folder);

  expect(equal).toMatchObject({ code: 0, output: expect.stringContaining('6 loans agree') });
  expect(here).toMatchObject({ code: 1, output: expect.stringContaining('Missing loan') });
  expect(here.output).toContain('Wrote 6 differences');
  expect(accepted.code).toBe(0);
  expect(misuse).toMatchObject({ code: 2, output: expect.stringContaining('Usage:') });
});
