import { expect, test, vi } from 'vitest';
import { reconcileJob } from '../../jobs/books/reconciliations/reconcile.job.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { listLoansOnlyHere } from '../../sql/books/reconciliations.ts';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { newLoan } from '../setup/loans.ts';
import { pageClient } from '../setup/pages.ts';
import { newProduct } from '../setup/products.ts';
import { startProcess } from '../setup/processes.ts';
import { runJobs } from '../setup/queue.ts';
import { newTeam } from '../setup/team.ts';
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

/** The results of a comparison, and the sign-off by a second person without and with a note. */
async function judge({ checker }: { checker: Client }, run: { id: string; fingerprint: string }) {
  const signOff = (note?: string) =>
    checker.post(`/reconciliations/${run.id}/sign-off`, { fingerprint: run.fingerprint, note });
  const withoutNote = await signOff();
  const withNote = await signOff('Known.');
  return [withoutNote.status, withNote.status];
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

test('a loan of which the file states no figure is not compared, and does not agree', async () => {
  const house = await lender(LEGACY_TERMS);
  const rows = LOANS.map(({ loan_number }) => `${loan_number},2024-12-31`);

  const run = await compare(house.maker, ['loan_number,as_of_date', ...rows].join('\n'));

  expect(run).toMatchObject({ loans_agreeing: 0, loans_not_compared: 6, days_compared: 0 });
  expect(run.summary).toMatchObject([{ kind: 'not_compared', loans: 6 }]);
  expect(await judge(house, run)).toEqual([422, 200]);
});

test('days that the figures here do not cover are counted, and need a note or to be accepted', async () => {
  const house = await lender(LEGACY_TERMS);
  const early = 'L-000001,2001-01-31,10.00,0.00,0.00,0';
  const late = 'L-000001,2031-01-31,10.00,0.00,0.00,0';
  const content = [FIGURES.trim(), early, late].join('\n');

  const run = await compare(house.maker, content);
  const { body: rows } = await house.maker.get(`/reconciliations/${run.id}/differences`);
  const accepted = await compare(house.maker, content, { accepted_kinds: 'partly_compared' });
  const onlyThese = await compare(house.maker, [FIGURES.split('\n')[0], early, late].join('\n'), {
    through_date: '2001-02-01',
  });

  expect(run).toMatchObject({
    loans_agreeing: 5,
    loans_not_compared: 1,
    days_compared: FIGURES.trim().split('\n').length - 1,
    days_not_compared: 2,
  });
  expect(rows).toMatchObject([
    {
      kind: 'partly_compared',
      days_not_compared: 2,
      reason: expect.stringContaining('2 other days'),
    },
  ]);
  expect(await judge(house, run)).toEqual([422, 200]);
  expect(accepted).toMatchObject({ loans_accepted: 1, loans_not_compared: 0 });
  expect((await judge(house, accepted))[0]).toBe(200);
  expect(onlyThese).toMatchObject({ loans_total: 6, loans_not_compared: 1, loans_differing: 5 });
});

test('a day that a file states twice is refused, and the stored reason holds no content of the file', async () => {
  const { maker } = await lender(LEGACY_TERMS);
  const lines = FIGURES.trim().split('\n');

  const twice = await compare(maker, [...lines, lines[1]].join('\n'));
  const broken = await compare(maker, `${lines[0]}\nL-000001,2024-01-31,Ada Lovelace,0,0,0\n`);

  expect(twice).toMatchObject({ status: 'failed', loans_agreeing: 0 });
  expect(twice.failure_reason).toContain(`line ${lines.length + 1}, loan_number: Two records`);
  expect(broken.failure_reason).toContain('line 2, principal: ');
  expect(broken.failure_reason).not.toMatch(/Ada|Lovelace|L-000001/);
});

test('an event that is recorded while the comparison runs counts as a later change', async () => {
  const { maker, checker, ids, tenant } = await lender(LEGACY_TERMS);
  const form = multipartForm({}, [{ name: 'figures.csv', type: 'text/csv', content: FIGURES }]);
  const { body: sent } = await postForm(maker, '/reconciliations', form);
  let paid: number | null = null;
  const within = (async (tenantId, run, options) => {
    const result = await outside.within(tenantId, run, options);
    if (!options?.readOnly || paid !== null) return result;
    const payment = { amount: '10.00', effective_date: LOANS[0]?.figures[2]?.as_of_date };
    paid = (await tenant.officer.post(`/loans/${ids[0]}/payments`, payment)).status;
    return result;
  }) as typeof outside.within;

  await runJobs(stage, { ...outside, within }, ['reconcile']);
  const { body: run } = await maker.get(`/reconciliations/${sent.id}`);
  const changes = await maker.get(`/reconciliations/${run.id}/changes`);
  const signed = await checker.post(`/reconciliations/${run.id}/sign-off`, {
    fingerprint: run.fingerprint,
  });

  expect([paid, run.loans_agreeing]).toEqual([201, 6]);
  expect(changes.body.changed_loans).toBe(1);
  expect([signed.status, signed.body.code]).toEqual([409, 'loans_changed']);
});

test('a user who is denied a balance reads it neither from a comparison nor by comparing guesses', async () => {
  const { tenant, superadmin, give } = await newTeam(stage);
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant, { status: 'active' });
  const { loan_number, disbursement_date } = (await tenant.officer.get(`/loans/${loan.id}`)).body;
  const content = `loan_number,as_of_date,principal\n${loan_number},${disbursement_date},1.23\n`;
  const run = await compare(superadmin, content);
  const before = (await admin.get(`/reconciliations/${run.id}/differences`)).body[0];
  const record = { principal_balance: true };
  await give('admin', { type: 'deny', action: '*', resource: 'loans', record });

  const shown = await admin.get(`/reconciliations/${run.id}`);
  const after = (await admin.get(`/reconciliations/${run.id}/differences`)).body[0];
  const form = multipartForm({}, [{ name: 'figures.csv', type: 'text/csv', content }]);
  const guess = await postForm(admin, '/reconciliations', form);
  const page = await pageClient(admin, '/staff').get(`/reconciliations/${run.id}`);

  expect(before).toMatchObject({ figure: 'principal', first_theirs: '1.23' });
  expect(after).toMatchObject({ figure: 'principal', kind: before.kind });
  for (const name of [
    'first_ours',
    'first_theirs',
    'last_ours',
    'last_theirs',
    'parting',
    'reason',
  ])
    expect(after, name).not.toHaveProperty(name);
  expect(shown.body).toMatchObject({ status: 'done', loans_differing: 1 });
  expect(shown.body).not.toHaveProperty('summary');
  expect(guess).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect(page.status).toBe(200);
  expect(page.body).not.toContain(before.first_ours);
});

test('a comparison that is done stays done when the removal of its file fails', async () => {
  const { maker, tenant } = await lender(LEGACY_TERMS);
  const form = multipartForm({}, [{ name: 'figures.csv', type: 'text/csv', content: FIGURES }]);
  const { body: sent } = await postForm(maker, '/reconciliations', form);
  const payload = { tenant_id: tenant.id, reconciliation_id: sent.id };
  const lent = { ...outside } as unknown as ExternalServices;
  const crashing: ExternalServices = {
    ...lent,
    files: Object.assign(Object.create(lent.files), {
      clear: async (key: string) => {
        await lent.files.clear(key);
        throw new Error('The process was killed.');
      },
    }),
  };

  await expect(reconcileJob.run(payload, crashing)).rejects.toThrow('killed');
  await lent.within(
    payload.tenant_id,
    (work) => reconcileJob.failed?.(work, payload, 'It stopped.') ?? Promise.resolve(),
  );
  await reconcileJob.run(payload, lent);
  const { body: run } = await maker.get(`/reconciliations/${sent.id}`);

  expect(run).toMatchObject({ status: 'done', failure_reason: null, loans_agreeing: 6 });
});

test('a loan with too many rows is refused before its rows fill the memory', async () => {
  const { maker } = await lender(LEGACY_TERMS);
  const rows = Array.from({ length: 20_001 }, () => 'L-000001,2024-01-31,10.00');

  const run = await compare(maker, ['loan_number,as_of_date,principal', ...rows].join('\n'));

  expect(run.status).toBe('failed');
  expect(run.failure_reason).toContain('line 20002, loan_number: A loan has more rows');
});

test('a charged-off loan that the file lacks is missing, and the list has all such loans', async () => {
  const { maker, tenant } = await lender(LEGACY_TERMS);
  const { id } = await newLoan(tenant, { status: 'active' });
  const lost = await maker.post(`/loans/${id}/charge-off`);
  const { loan_number } = (await tenant.officer.get(`/loans/${id}`)).body;
  const only = FIGURES.split('\n').filter((line, at) => at === 0 || line.startsWith('L-000001,'));

  const run = await compare(maker, only.join('\n'), { loans_here: 'all' });
  const boarded = await compare(maker, only.join('\n'));
  const none = await compare(maker, only.join('\n'), { loans_here: 'none' });
  const { body: rows } = await maker.get(`/reconciliations/${run.id}/differences`);
  const place = { after: rows[2].loan_number as string, limit: 2, loans_here: 'all' } as const;
  const listed = await outside.within(tenant.id, ({ tx }) => listLoansOnlyHere(tx, run.id, place), {
    readOnly: true,
  });

  expect(lost.status, JSON.stringify(lost.body)).toBe(200);
  const numbers = rows.map((row: { loan_number: string }) => row.loan_number);
  expect(run.summary).toMatchObject([{ kind: 'missing_loan', loans: 6 }]);
  expect(run.loans_only_here).toBe(0);
  // The loan that was lent here cannot be in the old system. It is only counted.
  expect(boarded).toMatchObject({ loans_differing: 5, loans_only_here: 1 });
  expect(none).toMatchObject({ loans_agreeing: 1, loans_differing: 0, loans_only_here: 6 });
  expect(numbers).toContain(loan_number);
  expect(listed.map(({ number }) => number)).toEqual(numbers.slice(3, 5));
});

test('the differences are a CSV file with a temporary link, which a denied field and a lower role do not get', async () => {
  const { tenant, superadmin, give } = await newTeam(stage);
  const two = LOANS.slice(0, 2);
  await boardLoans(tenant, { ...LEGACY_TERMS, day_count: 'actual_365' }, two);
  const admin = await tenant.signedIn('admin');
  const run = await compare(superadmin, legacyFiles(two)['figures.csv'] ?? '');
  const { body: rows } = await superadmin.get(`/reconciliations/${run.id}/differences?limit=100`);

  const link = await superadmin.get(`/reconciliations/${run.id}/download`);
  const place = new URL(link.body.download_url as string);
  const file = await tenant.anonymous().get(`/${place.pathname}`);
  const record = { principal_balance: true };
  await give('admin', { type: 'deny', action: '*', resource: 'loans', record });
  const denied = await admin.get(`/reconciliations/${run.id}/download`);
  const viewer = await (await tenant.signedIn('viewer')).get(`/reconciliations/${run.id}/download`);

  expect(run.has_file).toBe(true);
  const lines = String(file.body).trim().split('\n');
  expect(lines[0]).toBe(
    'loan_number,figure,kind,is_accepted,reason,first_date,first_ours,first_theirs,last_date,last_ours,last_theirs,days_differing,days_not_compared',
  );
  expect(lines.slice(1).map((line) => line.split(',').slice(0, 3).join(' '))).toEqual(
    rows.map(
      (row: Record<string, string>) => `${row['loan_number']} ${row['figure']} ${row['kind']}`,
    ),
  );
  expect([denied.status, viewer.status]).toEqual([403, 403]);
});

test('a trial balance with the columns of the old system is compared through a mapping', async () => {
  const { maker } = await lender(LEGACY_TERMS);
  const lines = LOANS.map(({ loan_number, figures }) => {
    const { principal, interest, fees, days_past_due } = figures.at(-1) ?? figures[0]!;
    return `${loan_number},"$${principal}","$${interest}",$${fees},${days_past_due},North`;
  });
  const date = LOANS[0]?.figures.at(-1)?.as_of_date ?? '';
  const content = [
    'Loan Trial Balance',
    'Loan ID,UPB,Accrued Int,Fees Due,Days Late,Branch',
    ...lines.filter((_, at) => LOANS[at]?.figures.at(-1)?.as_of_date === date),
    'Total,"$1,234,567.89",,,,',
  ].join('\n');
  const mapping = `
figures:
  money: { currency: '$', thousands: ',' }
  columns:
    loan_number: Loan ID
    as_of_date: { value: '${date}' }
    principal: UPB
    interest: Accrued Int
    fees: Fees Due
    days_past_due: Days Late
  ignore: [Branch]
# An import's mapping describes the loans of the same system.
loans:
  dates: MM/dd/yyyy
  columns: { loan_number: Loan ID }
`;

  const run = await compare(maker, content, { mapping, loans_here: 'none' });
  const wrong = await compare(maker, content.replace(/^L-000001,"\$[\d.]+"/m, 'L-000001,"$1.23"'), {
    mapping,
    loans_here: 'none',
  });

  expect(run).toMatchObject({ status: 'done', loans_differing: 0, loans_not_compared: 0 });
  expect(run.loans_agreeing).toBeGreaterThan(0);
  expect(wrong.summary).toMatchObject([{ kind: 'unknown', loans: 1 }]);
});

test('loans that were boarded as paid off compare as zero, and their payments so far with the balances', async () => {
  const tenant = await stage.tenant('2024-12-31');
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const program_id = await tenant.first('/programs');
  const product_id = await newProduct(tenant, LEGACY_TERMS);
  const admin = await tenant.signedIn('admin');
  const board = async (loan_number: string, more: object) => {
    const made = await admin.post('/loans/board', {
      borrower_id,
      program_id,
      product_id,
      loan_number,
      principal_amount: '5000.00',
      interest_rate: '0.12',
      term_months: 36,
      origination_date: '2024-01-15',
      ...more,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  };
  await board('P-1', { status: 'paid_off', current_principal_balance: '0.00' });
  await board('P-2', { status: 'paid_off', current_principal_balance: '0.00' });
  await board('A-1', {
    status: 'active',
    current_principal_balance: '4100.00',
    metadata: { tape: { paid_interest: '400.00', paid_late_fees: '15.00' } },
  });
  const content = [
    'loan_number,as_of_date,principal,interest,status,payoff_amount,paid_principal,paid_interest,paid_fees,paid_total',
    'P-1,2024-12-31,0.00,0.00,paid_off,0.00,5000.00,,,',
    'P-2,2024-12-31,12.50,,active,,,,,',
    'A-1,2024-12-31,4100.00,,active,,900.00,400.00,15.00,1315.00',
  ].join('\n');

  const run = await compare(admin, content);
  const { body: rows } = await admin.get(`/reconciliations/${run.id}/differences`);

  expect(run).toMatchObject({ loans_total: 3, loans_agreeing: 2, loans_differing: 1 });
  expect(rows).toMatchObject([
    { loan_number: 'P-2', figure: 'principal', first_ours: '0.00', first_theirs: '12.50' },
    { loan_number: 'P-2', figure: 'status', first_ours: 'paid_off', first_theirs: 'active' },
  ]);
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
  const lessFigures = FIGURES.replaceAll(/^L-000001,.*\n/gm, '');
  const gaps = writeBook({
    ...withProduct,
    'figures.csv': `${lessFigures}X-9,2024-01-31,1.00,,,\n`,
  });
  const uneven = await run(...from, '--book', gaps);
  const misuse = await run(...from, '--accept', 'nonsense', folder);
  const help = await run('--help');

  expect(equal).toMatchObject({ code: 0, output: expect.stringContaining('6 loans agree') });
  expect(here).toMatchObject({ code: 1, output: expect.stringContaining('Missing loan') });
  expect(here.output).toContain('Wrote the differences');
  expect(accepted.code).toBe(0);
  expect(uneven).toMatchObject({ code: 1, output: expect.stringContaining('5 loans agree') });
  expect(uneven.output).toContain('1 differ, 1 were not or only partly compared');
  expect(uneven.output).toContain('Missing loan');
  expect(misuse).toMatchObject({ code: 2, output: expect.stringContaining('Usage:') });
  expect(help.code).toBe(0);
  for (const kind of ['missing_loan', 'day_count', 'not_kept', 'partly_compared'])
    expect(help.output).toContain(kind);
});
