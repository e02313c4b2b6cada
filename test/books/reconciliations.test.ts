import { expect, test, vi } from 'vitest';
import { reconcileJob } from '../../jobs/books/reconciliations/reconcile.job.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { listLoansOnlyHere } from '../../sql/books/reconciliations.ts';
import type { Client } from '../setup/client.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { newLoan } from '../setup/loans.ts';
import { pageClient } from '../setup/pages.ts';
import { runJobs } from '../setup/queue.ts';
import { newTeam } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';
import { FIGURES, LEGACY_TERMS, LOANS, newReconciler } from './reconciled-loans.ts';

vi.setConfig({ testTimeout: 120_000 });

const stage = await newStage();
const { outside, compare, lender } = newReconciler(stage);

/** The results of a comparison, and the sign-off by a second person without and with a note. */
async function judge({ checker }: { checker: Client }, run: { id: string; fingerprint: string }) {
  const signOff = (note?: string) =>
    checker.post(`/reconciliations/${run.id}/sign-off`, { fingerprint: run.fingerprint, note });
  const withoutNote = await signOff();
  const withNote = await signOff('Known.');
  return [withoutNote.status, withNote.status];
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
