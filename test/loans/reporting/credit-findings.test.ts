import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readMetro2 } from '../../../jobs/loans/reporting/metro2/read-metro2.ts';
import {
  creditRecords,
  fileLines,
  newReportedLoan,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

/** A loan whose account type was changed in March, which bureaus take for another account. */
async function retypedLoan() {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const product_id = await newProduct(tenant, { metro2_account_type: '01' }, admin);
  const loan = await newReportedLoan(tenant, { product_id });
  const makeFile = async () => (await admin.post('/credit-reporting-files')).body;
  await travelTo(stage, tenant, '2026-02-01');
  await runCreditReports(stage);
  const january = await makeFile();
  await admin.put(`/products/${product_id}`, { metro2_account_type: '02' });
  await travelTo(stage, tenant, '2026-03-01');
  await runCreditReports(stage);
  const [finding] = (await admin.get('/credit-reporting-findings')).body;
  const at = `/credit-reporting-findings/${finding?.id}`;
  return { tenant, admin, loan, finding, at, makeFile, january };
}

test('the month-end check finds a contradiction with the previous month and opens a task for its rule', async () => {
  const { tenant, loan, finding } = await retypedLoan();

  const { body: tasks } = await tenant.officer.get('/tasks?source=system');

  expect(finding).toMatchObject({
    loan_id: loan.id,
    reporting_period: '2026-02-28',
    rule: 'PROG-Type-1',
    problem: 'The account type changed.',
    fields: ['account_type'],
    may_be_right: null,
    status: 'open',
    file_id: null,
  });
  expect(tasks).toMatchObject([
    {
      title:
        'Credit reporting: check 1 records that break the rule PROG-Type-1 for the month to 2026-02-28',
      priority: 'high',
      related_id: finding.id,
    },
  ]);
});

test('a repeated check adds no second finding and no second task', async () => {
  const { tenant, admin } = await retypedLoan();
  await stage.owner.query(
    `select graphile_worker.add_job('report-credit', json_build_object('tenant_id', $1::text, 'reporting_period', '2026-02-28'))`,
    [tenant.id],
  );

  await runCreditReports(stage);

  expect((await admin.get('/credit-reporting-findings')).body).toHaveLength(1);
  expect((await tenant.officer.get('/tasks?source=system')).body).toHaveLength(1);
});

test('another tenant cannot read or decide a finding, and officers cannot either', async () => {
  const { tenant, at } = await retypedLoan();
  const stranger = await (await stage.tenant()).signedIn('admin');

  const statuses = [
    await stranger.get(at),
    await stranger.post(`${at}/accept`),
    await stranger.post(`${at}/withhold`),
    await tenant.officer.get(at),
    await tenant.officer.post(`${at}/accept`),
  ].map(({ status }) => status);

  expect(statuses).toEqual([404, 404, 404, 403, 403]);
});

test('a withheld record is not sent, and the decision cannot be undone', async () => {
  const { tenant, admin, loan, at, makeFile } = await retypedLoan();

  const withheld = await admin.post(`${at}/withhold`, { notes: 'The type must stay 01.' });
  const twice = await admin.post(`${at}/withhold`);
  const refused = await admin.post(`${at}/accept`);
  const file = await makeFile();
  const [record] = await creditRecords(tenant, loan.id);

  expect(withheld).toMatchObject({
    status: 200,
    body: {
      status: 'withheld',
      notes: 'The type must stay 01.',
      decided_by: tenant.userIds['admin'],
    },
  });
  expect(twice).toMatchObject({ status: 200, body: { notes: 'The type must stay 01.' } });
  expect(refused).toMatchObject({ status: 409, body: { code: 'already_withheld' } });
  expect(file).toMatchObject({ code: 'nothing_to_send' });
  expect(record).toMatchObject({ status: 'suppressed', suppression_reason: 'withheld' });
});

test('an accepted record is sent with its file, which lists the finding; afterwards it cannot be withheld', async () => {
  const { admin, at, makeFile, january } = await retypedLoan();

  const accepted = await admin.post(`${at}/accept`, { notes: 'Both are right.' });
  const file = await makeFile();
  const listed = (await admin.get(`/credit-reporting-files/${file.id}/findings`)).body;
  const earlier = (await admin.get(`/credit-reporting-files/${january.id}/findings`)).body;
  const refused = await admin.post(`${at}/withhold`);

  expect(accepted).toMatchObject({ status: 200, body: { status: 'accepted' } });
  expect(listed).toMatchObject([{ rule: 'PROG-Type-1', file_id: file.id, status: 'accepted' }]);
  expect(earlier).toEqual([]);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'not_queued', details: { record_status: 'reported' } },
  });
});

test('records are not checked while credit reporting is off', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');
  const product_id = await newProduct(tenant, { metro2_account_type: '01' }, superadmin);
  await newReportedLoan(tenant, { product_id });
  await travelTo(stage, tenant, '2026-02-01');
  await superadmin.put(`/products/${product_id}`, { metro2_account_type: '02' });
  await travelTo(stage, tenant, '2026-03-01');

  await runCreditReports(stage);

  expect((await superadmin.get('/credit-reporting-findings')).body).toEqual([]);
});

test('the command checks stored files by the same rules, and names lines that it cannot read', async () => {
  const { tenant, makeFile, january } = await retypedLoan();
  const february = await makeFile();
  const folder = mkdtempSync(path.join(tmpdir(), 'metro2-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const saved = await Promise.all(
    [february, january].map(async ({ filename }) => {
      const file = path.join(folder, filename);
      writeFileSync(file, `${(await fileLines(stage, tenant, filename)).join('\r\n')}\r\n`);
      return file;
    }),
  );
  const wrong = path.join(folder, 'wrong.txt');
  const [header = ''] = await fileLines(stage, tenant, january.filename);
  writeFileSync(wrong, `${header}\n0426 too short\n`);

  const checked = check('--json', ...saved);
  const single = check(...saved.slice(1));
  const refused = check(wrong);

  expect(checked.code).toBe(1);
  expect(JSON.parse(checked.out)).toMatchObject([
    { rule: 'PROG-Type-1', records: 1, problem: 'The account type changed.' },
  ]);
  expect(single).toMatchObject({ code: 0, out: 'No findings in 1 records.\n' });
  expect(refused.code).toBe(2);
  expect(refused.error).toContain('Line 2 is not a record of the 426-character format');
});

function check(...files: string[]) {
  try {
    const out = execFileSync(process.execPath, ['workers/check-credit-files.ts', ...files], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { code: 0, out, error: '' };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, out: stdout, error: stderr };
  }
}

test('a file is read with its segments, and fields that are not in their form are named', () => {
  const header = `0426HEADER${' '.repeat(37)}0131202602012026`.padEnd(426);
  const base = '04801'.padEnd(426).slice(4);
  const l1 = `L13${'NEW1'.padEnd(30)}${'ACME02'.padEnd(20)} `;

  const [account] = readMetro2(`${header}\n0480${base}${l1}\n`);

  expect(account).toMatchObject({
    activity_date: '2026-01-31',
    change: { indicator: '3', account_number: 'NEW1', identification_number: 'ACME02' },
    date_opened: null,
  });
  expect(account?.malformed).toContain('consumer account number');
  expect(() => readMetro2('not a file')).toThrow();
  expect(() => readMetro2(`${header}\n0428${base}XX`)).toThrow();
});
