import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type pg from 'pg';
import { openLog } from '../../../jobs/monitoring/log.ts';
import { resealTenant } from '../../../jobs/sealing/reseal.ts';
import { deriveKeys } from '../../../jobs/sealing/secrets.ts';
import { within } from '../../../sql/database/within.ts';
import {
  creditRecords,
  fileLines,
  makeReportable,
  newReportedLoan,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { findSecrets, readAllColumns, type SearchedPlace } from '../../setup/find-secrets.ts';
import { newLoan } from '../../setup/loans.ts';
import { expectMetro2 } from '../../setup/metro2-layout.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

let log = '';
const stage = await newStage({
  log: openLog('trace', { service: 'api' }, { write: (line) => (log += line) }),
});

/** Ends with the last four digits of the borrowers of `newLoan`. */
const SSN = '219-09-6789';
const addNumber = (tenant: Tenant, borrowerId: string, identifier: string, wish: object = {}) =>
  tenant.officer.post(`/borrowers/${borrowerId}/identities`, {
    identity_type: 'ssn',
    identifier,
    ...wish,
  });

/** Closes January and returns the segments of the file by surname. */
async function reportJanuary(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);
  const made = await admin.post('/credit-reporting-files');
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const lines = await fileLines(stage, tenant, made.body.filename);
  return { admin, made, lines };
}

test('the file contains the social security number, and no answer, row, log line or history does', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { officer } = tenant;
  const loan = await newReportedLoan(tenant);
  const added = await addNumber(tenant, loan.borrower_id, SSN);
  const signer = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  await makeReportable(tenant, signer.body.id);
  await addNumber(tenant, signer.body.id, '321-54-9876');
  await officer.post(`/loans/${loan.id}/co-borrowers`, {
    borrower_id: signer.body.id,
    role: 'co_signer',
  });

  const { made, lines } = await reportJanuary(tenant);
  const superadmin = await tenant.signedIn('superadmin');
  const answers: SearchedPlace[] = [];
  for (const path of [
    `/loans/${loan.id}/credit-reporting`,
    `/loans/${loan.id}/history`,
    `/borrowers/${loan.borrower_id}/history`,
    `/borrowers/${loan.borrower_id}/identities`,
    `/credit-reporting-files/${made.body.id}`,
    `/credit-reporting-files/${made.body.id}/records`,
    `/credit-reporting-files/${made.body.id}/download`,
    '/security-log',
    '/jobs/runs',
  ]) {
    const { status, body } = await superadmin.get(path);
    expect(status, path).toBe(200);
    answers.push({ name: path, text: JSON.stringify(body) });
  }
  const rows = await readAllColumns(stage.owner as unknown as pg.Client);

  expect(added.status, JSON.stringify(added.body)).toBe(201);
  expectMetro2(lines);
  const line = lines[1] ?? '';
  expect(line.slice(297, 306)).toBe('219096789');
  expect(line.slice(426 + 69, 426 + 78)).toBe('321549876');
  const secrets = new Map([
    ['borrower', SSN],
    ['signer', '321-54-9876'],
  ]);
  const places = [...answers, ...rows, { name: 'log', text: log }];
  expect(log).toContain('/credit-reporting-files');
  expect(findSecrets(secrets, places)).toEqual([]);
});

test('the stored file shows no number and no name, and its download is the file, also under a new key', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newReportedLoan(tenant);
  await addNumber(tenant, loan.borrower_id, SSN);
  const { admin, made, lines } = await reportJanuary(tenant);
  const { keys, link_secret: secret } = stage.installation;
  const key = `${tenant.slug}/credit-reporting/files/${made.body.filename}`;
  const { body: link } = await admin.get(`/credit-reporting-files/${made.body.id}/download`);
  const download = () => tenant.anonymous().get(`/${new URL(link.download_url).pathname}`);

  const stored = Buffer.from((await stage.installation.files.get(key)) ?? []).toString('latin1');
  const before = await download();
  const elsewhere = await (
    await stage.tenant()
  )
    .anonymous()
    .get(`/${new URL(link.download_url).pathname}`);
  stage.installation.keys = deriveKeys(`2027:${'n'.repeat(40)},${secret}`);
  const resealed = await resealTenant(
    stage.installation.keys,
    (id, steps) => within(stage.pool, id, (tx) => steps(tx)),
    tenant.id,
  );
  stage.installation.keys = deriveKeys(`2027:${'n'.repeat(40)}`);
  const after = await download();
  stage.installation.keys = keys;

  expect(stored.length).toBeGreaterThan(3 * 426);
  for (const shown of ['219096789', 'HOPPER', 'HEADER']) expect(stored).not.toContain(shown);
  expect(before).toMatchObject({ status: 200, body: `${lines.join('\n')}\n` });
  expect(before.body).toContain('219096789');
  expect(elsewhere.status).toBe(403);
  expect(made.body).toMatchObject({
    file_size: before.body.length,
    sha256_hash: createHash('sha256').update(before.body).digest('hex'),
  });
  expect(resealed).toBeGreaterThan(0);
  expect(after).toMatchObject({ status: 200, body: before.body });
});

test('a number that is no social security number, failed its verification or differs from the last four digits is not sent', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { officer } = tenant;
  const named = async (last_name: string, wish: object = {}) => {
    const loan = await newLoan(tenant);
    await officer.put(`/borrowers/${loan.borrower_id}`, { last_name, ...wish });
    await makeReportable(tenant, loan.borrower_id);
    return loan.borrower_id;
  };
  const itin = await named('Itin');
  await officer.post(`/borrowers/${itin}/identities`, {
    identity_type: 'itin',
    identifier: '912-70-1234',
  });
  const failed = await named('Failed', { ssn_last_four: null });
  await addNumber(tenant, failed, '219-09-0001', { verification_status: 'failed' });
  const differing = await named('Differing', { ssn_last_four: '1111' });
  await addNumber(tenant, differing, '219-09-2222');
  const two = await named('Two', { ssn_last_four: null });
  await addNumber(tenant, two, '219-09-3333', { verification_status: 'verified' });
  await officer.put(`/borrowers/${two}`, { ssn_last_four: null });
  await addNumber(tenant, two, '219-09-4444');
  await officer.put(`/borrowers/${two}`, { ssn_last_four: null });

  const { lines } = await reportJanuary(tenant);

  expectMetro2(lines);
  const sent = lines
    .slice(1, -1)
    .map((line) => [line.slice(231, 256).trim(), line.slice(297, 306)] as const);
  expect(Object.fromEntries(sent)).toEqual({
    ITIN: '000000000',
    FAILED: '000000000',
    DIFFERING: '000000000',
    TWO: '219093333',
  });
  const tasks = await officer.get('/tasks?source=system');
  expect(tasks.body).toMatchObject([
    { borrower_id: differing, title: expect.stringContaining('differs from its last four digits') },
  ]);
});

test('a file is not written with blanks if the key of a number is missing, and is completed with the key', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newReportedLoan(tenant);
  await addNumber(tenant, loan.borrower_id, SSN);
  const admin = await tenant.signedIn('admin');
  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);
  const { keys, link_secret: secret } = stage.installation;
  const other = `2027:${'x'.repeat(40)}`;

  stage.installation.keys = deriveKeys(other);
  const without = await admin.post('/credit-reporting-files');
  stage.installation.keys = deriveKeys(`${secret},${other}`);
  const pending = await admin.get('/credit-reporting-files');
  const again = await admin.post('/credit-reporting-files');
  const completed = await admin.get('/credit-reporting-files');

  expect(without.status).toBe(503);
  expect(pending.body).toMatchObject([{ status: 'pending', record_count: 1 }]);
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(completed.body).toMatchObject([{ status: 'completed' }]);
  const [, line = ''] = await fileLines(stage, tenant, completed.body[0].filename);
  expect(line.slice(297, 306)).toBe('219096789');
  stage.installation.keys = keys;
});

test('a loan keeps the identification number of its first file, and a program can have its own', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const [admin, superadmin] = [await tenant.signedIn('admin'), await tenant.signedIn('superadmin')];
  const loan = await newReportedLoan(tenant);
  const file = async (day: string) => {
    await travelTo(stage, tenant, day);
    await runCreditReports(stage);
    const { filename } = (await admin.post('/credit-reporting-files')).body;
    const lines = await fileLines(stage, tenant, filename);
    expectMetro2(lines);
    return lines.slice(1, -1).map((line) => line.slice(20, 40).trim());
  };

  const first = await file('2026-02-03');
  const settings = { credit_reporting: { identification_number: 'OTHER02' } };
  await superadmin.put('/tenant/settings', settings);
  const changed = await newReportedLoan(tenant);
  const second = await file('2026-03-03');
  const { program_id: program } = (await admin.get(`/loans/${changed.id}`)).body;
  const wrong = await admin.put(`/programs/${program}`, { credit_identification_number: '00000' });
  const set = await admin.put(`/programs/${program}`, { credit_identification_number: 'Branch7' });
  await newReportedLoan(tenant);
  const third = await file('2026-04-03');
  const [record] = await creditRecords(tenant, loan.id);

  expect(first).toEqual(['ACME01']);
  expect(second.toSorted()).toEqual(['ACME01', 'OTHER02']);
  expect(wrong).toMatchObject({
    status: 422,
    body: { errors: { credit_identification_number: expect.any(String) } },
  });
  expect(set.status, JSON.stringify(set.body)).toBe(200);
  expect(third.toSorted()).toEqual(['ACME01', 'BRANCH7', 'OTHER02']);
  expect(record).toMatchObject({ identification_number: 'ACME01' });
});

test('a loan that is blocked for identity theft after its month ended is not sent until the block ends', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { officer } = tenant;
  const [blocked, other] = [await newReportedLoan(tenant), await newReportedLoan(tenant)];
  const label = (action: string) =>
    officer.post(`/loans/${blocked.id}/${action}`, { labels: ['identity-theft-block'] });
  const file = async (day: string) => {
    await travelTo(stage, tenant, day);
    await runCreditReports(stage);
    return admin.post('/credit-reporting-files');
  };

  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);
  const queued = await creditRecords(tenant, blocked.id);
  const labeled = await label('add-labels');
  const february = await file('2026-02-03');
  const held = await creditRecords(tenant, blocked.id);
  const march = await file('2026-03-03');
  const unlabeled = await label('remove-labels');
  const april = await file('2026-04-03');
  const sent = await creditRecords(tenant, blocked.id);
  const untouched = await creditRecords(tenant, other.id);

  expect([labeled.status, unlabeled.status]).toEqual([200, 200]);
  expect(queued).toMatchObject([{ status: 'queued' }]);
  expect(held).toMatchObject([
    { status: 'suppressed', suppression_reason: 'identity_theft_block', file_id: null },
  ]);
  expect([february, march, april].map(({ body }) => body.record_count)).toEqual([1, 1, 2]);
  expect(sent.map(({ status }) => status)).toEqual(['reported', 'suppressed', 'suppressed']);
  expect(untouched.map(({ status }) => status)).toEqual(['reported', 'reported', 'reported']);
});

test('a case of identity theft, also of a co-borrower, blocks the loan from its report until its release', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { officer } = tenant;
  const [stolen, joint] = [await newReportedLoan(tenant), await newReportedLoan(tenant)];
  const victim = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  await makeReportable(tenant, victim.body.id);
  const co = { borrower_id: victim.body.id, role: 'co_borrower' };
  await officer.post(`/loans/${joint.id}/co-borrowers`, co);
  const file = async (day: string) => {
    await travelTo(stage, tenant, day);
    await runCreditReports(stage);
    return (await admin.post('/credit-reporting-files')).body;
  };
  const openCase = async (borrower_id: string, loan_id: string) => {
    const opened = await officer.post('/cases', {
      borrower_id,
      loan_id,
      case_type: 'identity_theft',
      subject: 'Identity theft',
      description: 'An FTC affidavit arrived.',
      facts: { report_received_date: '2026-02-02' },
    });
    expect(opened.status, JSON.stringify(opened.body)).toBe(201);
    return String(opened.body.id);
  };

  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);
  const ofStolen = await openCase(stolen.borrower_id, stolen.id);
  await openCase(victim.body.id, joint.id);
  const february = await file('2026-02-03');
  const update = await admin.post(`/loans/${stolen.id}/credit-corrections`, {
    reason: 'Typed wrongly.',
    corrected_values: { current_balance: 1 },
  });
  await travelTo(stage, tenant, '2026-02-21');
  const released = await officer.put(`/cases/${ofStolen}`, {
    facts: { report_received_date: '2026-02-02', released_date: '2026-02-20' },
    facts_reason: 'The bureau rescinded the block.',
  });
  const march = await file('2026-03-03');
  const records = await creditRecords(tenant, stolen.id);
  const ofJoint = await creditRecords(tenant, joint.id);

  expect(february).toMatchObject({ code: 'nothing_to_send' });
  expect(update).toMatchObject({ status: 409, body: { code: 'nothing_reported' } });
  expect(released.status, JSON.stringify(released.body)).toBe(200);
  expect(march).toMatchObject({ record_count: 1 });
  expect(records.map(({ status }) => status)).toEqual(['reported', 'suppressed']);
  expect(ofJoint.map(({ suppression_reason: reason }) => reason)).toEqual([
    'identity_theft_block',
    'identity_theft_block',
  ]);
});
