import { expect, test } from 'vitest';
import {
  addEvidence,
  addMilitaryReport,
  consentToEsign,
  verifyIdentity,
} from '../../setup/evidence.ts';
import { newLoan } from '../../setup/loans.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const TODAY = '2026-01-15';

/** The result of one check of the loan. */
async function check(tenant: Tenant, loanId: string, code: string) {
  const run = await tenant.officer.post(`/loans/${loanId}/run-compliance-checks`, {
    checks: [code],
  });
  return run.body.checks[0] as { status: string; message: string; details: object };
}

/** A tenant at which each check counts as a failure, with a pending loan. */
async function strictLoan(codes: readonly string[], wish: object = {}) {
  const tenant = await stage.tenant(TODAY);
  const loan = await newLoan(tenant, { status: 'pending', ...wish });
  const checks = Object.fromEntries(codes.map((code) => [code, 'hard']));
  await saveSettings(tenant, { compliance: { checks } });
  return { tenant, officer: tenant.officer, ...loan };
}

async function addObligor(tenant: Tenant, loanId: string, role: string) {
  const person = await tenant.officer.post('/borrowers', {
    first_name: 'Alan',
    last_name: 'Turing',
  });
  const borrower_id = person.body.id as string;
  const added = await tenant.officer.post(`/loans/${loanId}/co-borrowers`, { borrower_id, role });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  return borrower_id;
}

test('a hard check that cannot be made fails and says what is missing; a warning skips it', async () => {
  const { tenant, id } = await strictLoan(['identity_verified', 'esign_consent', 'age_minimum']);
  const codes = ['identity_verified', 'esign_consent', 'age_minimum', 'usury_rate_cap'];
  const runAll = () => Promise.all(codes.map((code) => check(tenant, id, code)));

  const hard = await runAll();
  await saveSettings(tenant, { compliance: {} });
  const soft = await runAll();

  expect(hard.map(({ status }) => status)).toEqual(['fail', 'fail', 'fail', 'skipped']);
  expect(soft.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped', 'skipped']);
  for (const { message, details } of [...hard, ...soft]) {
    expect(message).toMatch(/^Cannot be checked\. The .+ (Add|Record) .+/);
    expect(details).toMatchObject({ reason: 'not_checkable' });
  }
});

test('identity counts if a record is verified and not expired', async () => {
  const { tenant, officer, id, borrower_id } = await strictLoan(['identity_verified']);
  const judged = () => check(tenant, id, 'identity_verified');

  await verifyIdentity(officer, borrower_id, { verification_status: 'pending' });
  const pending = await judged();
  await verifyIdentity(officer, borrower_id, { expiration_date: '2026-01-14' });
  const expired = await judged();
  await verifyIdentity(officer, borrower_id, { expiration_date: TODAY });
  const valid = await judged();

  expect(pending).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('no verified'),
  });
  expect(expired).toMatchObject({ status: 'fail', message: expect.stringContaining('expired') });
  expect(valid.status).toBe('pass');
});

test('an identity that could not be verified is reported even where checks only warn', async () => {
  const tenant = await stage.tenant(TODAY);
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await verifyIdentity(tenant.officer, borrower_id, { verification_status: 'failed' });

  expect(await check(tenant, id, 'identity_verified')).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('could not be verified'),
    details: { borrower_ids: [borrower_id] },
  });
});

test('consent to electronic records must be in force, unless documents go on paper', async () => {
  const { tenant, officer, id, borrower_id } = await strictLoan(['esign_consent']);
  const judged = () => check(tenant, id, 'esign_consent');

  const never = await judged();
  const consent = await consentToEsign(officer, borrower_id);
  const given = await judged();
  await officer.post(`/borrower-consents/${consent}/revoke`);
  const revoked = await judged();
  await officer.put(`/borrowers/${borrower_id}`, { preferred_channel: 'letter' });
  const onPaper = await judged();

  expect(never).toMatchObject({ status: 'fail', details: { reason: 'not_checkable' } });
  expect(given.status).toBe('pass');
  expect(revoked).toMatchObject({ status: 'fail', message: expect.stringContaining('no longer') });
  expect(onPaper).toMatchObject({ status: 'skipped', details: { reason: 'not_applicable' } });
});

test('each person who owes the loan is judged, until they are released', async () => {
  const codes = ['identity_verified', 'age_minimum', 'esign_consent'];
  const { tenant, officer, id, borrower_id } = await strictLoan(codes);
  await addEvidence(officer, borrower_id);
  const guarantor = await addObligor(tenant, id, 'guarantor');
  const runAll = () => Promise.all(codes.map((code) => check(tenant, id, code)));

  const before = await runAll();
  await addEvidence(officer, guarantor);
  const after = await runAll();
  const other = await addObligor(tenant, id, 'co_signer');
  const [record] = (await officer.get(`/loans/${id}/co-borrowers?borrower_id=${other}`)).body;
  const withOther = await runAll();
  await officer.post(`/co-borrowers/${record.id}/release`, { reason: 'entered_in_error' });
  const released = await runAll();

  const statuses = (results: { status: string }[]) => results.map(({ status }) => status);
  expect(statuses(before)).toEqual(['fail', 'fail', 'fail']);
  for (const { message, details } of before) {
    expect(message).toContain('The guarantor');
    expect(message).not.toContain('Turing');
    expect(details).toMatchObject({ borrower_ids: [guarantor] });
  }
  expect(statuses(after)).toEqual(['pass', 'pass', 'pass']);
  expect(statuses(withOther)).toEqual(['fail', 'fail', 'fail']);
  expect(statuses(released)).toEqual(['pass', 'pass', 'pass']);
});

test('the MLA check uses the newest report from 30 days before the application, and no free text', async () => {
  const { tenant, officer, id, borrower_id } = await strictLoan(['mla_36_percent'], {
    interest_rate: '0.40',
  });
  const judged = () => check(tenant, id, 'mla_36_percent');
  const report = (status_date: string, result: string) =>
    addMilitaryReport(officer, borrower_id, { database: 'mla', result, status_date });

  await officer.put(`/borrowers/${borrower_id}`, { military_status: 'none' });
  const unchecked = await judged();
  await report('2025-12-15', 'none');
  const tooEarly = await judged();
  await report('2025-12-16', 'none');
  const clear = await judged();
  const mistake = await addMilitaryReport(officer, borrower_id, {
    database: 'mla',
    result: 'covered',
    status_date: '2026-01-02',
  });
  const covered = await judged();
  await officer.delete(`/military-reports/${mistake}`);
  const corrected = await judged();

  expect(unchecked).toMatchObject({ status: 'fail', details: { reason: 'not_checkable' } });
  expect(tooEarly).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('2025-12-16'),
  });
  expect(clear.status).toBe('pass');
  expect(covered).toMatchObject({ status: 'fail', message: expect.stringContaining('36 percent') });
  expect(corrected.status).toBe('pass');
});

test('a military rate within the cap passes without a report', async () => {
  const { tenant, id } = await strictLoan(['mla_36_percent'], { interest_rate: '0.20' });

  expect((await check(tenant, id, 'mla_36_percent')).status).toBe('pass');
});

test('the SCRA check caps debts from before the service, of each obligor', async () => {
  const tenant = await stage.tenant(TODAY);
  const { id, borrower_id } = await newLoan(tenant, { disbursement_date: '2026-01-05' });
  const { officer } = tenant;
  await saveSettings(tenant, { compliance: { checks: { scra_rate_cap: 'hard' } } });
  const judged = () => check(tenant, id, 'scra_rate_cap');
  const report = (borrowerId: string, facts: object) =>
    addMilitaryReport(officer, borrowerId, { database: 'scra', status_date: TODAY, ...facts });

  const unchecked = await judged();
  await report(borrower_id, { result: 'none' });
  const clear = await judged();
  await report(borrower_id, { result: 'active_duty', active_duty_from: '2025-06-01' });
  const inServiceBefore = await judged();
  const second = await addObligor(tenant, id, 'co_borrower');
  const secondUnchecked = await judged();
  await report(second, { result: 'active_duty', active_duty_from: '2026-01-10' });
  const capped = await judged();

  expect(unchecked).toMatchObject({ status: 'fail', details: { reason: 'not_checkable' } });
  expect(clear.status).toBe('pass');
  expect(inServiceBefore.status).toBe('pass');
  expect(secondUnchecked).toMatchObject({ details: { borrower_ids: [second] } });
  expect(capped).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('above 6 percent while the co-borrower is on active duty'),
  });
});

test('a servicemember case decides before a report', async () => {
  const tenant = await stage.tenant(TODAY);
  const { officer } = tenant;
  const { id, borrower_id } = await newLoan(tenant, { disbursement_date: '2026-01-05' });
  const { id: application } = await newLoan(tenant, { status: 'pending', interest_rate: '0.40' });
  const { borrower_id: applicant } = (await officer.get(`/loans/${application}`)).body;
  await addMilitaryReport(officer, borrower_id, {
    database: 'scra',
    result: 'active_duty',
    status_date: TODAY,
    active_duty_from: '2026-01-10',
  });
  await addMilitaryReport(officer, applicant, {
    database: 'mla',
    result: 'none',
    status_date: TODAY,
  });
  const serve = (borrowerId: string) =>
    officer.post('/cases', {
      borrower_id: borrowerId,
      case_type: 'servicemember',
      subject: 'Orders received',
      description: 'Called to active duty.',
      facts: { service_from: '2026-01-10' },
    });
  const before = [
    await check(tenant, id, 'scra_rate_cap'),
    await check(tenant, application, 'mla_36_percent'),
  ];

  const opened = [await serve(borrower_id), await serve(applicant)];
  const after = [
    await check(tenant, id, 'scra_rate_cap'),
    await check(tenant, application, 'mla_36_percent'),
  ];

  expect(before.map(({ status }) => status)).toEqual(['warn', 'pass']);
  expect(opened.map(({ status }) => status)).toEqual([201, 201]);
  expect(after).toMatchObject([
    // The case caps the rate.
    { status: 'pass' },
    { status: 'warn', message: expect.stringContaining('covered borrower') },
  ]);
});

test('a military report whose parts contradict each other is refused', async () => {
  const tenant = await stage.tenant(TODAY);
  const { body: borrower } = await tenant.officer.post('/borrowers', {
    first_name: 'Grace',
    last_name: 'Hopper',
  });
  const valid = {
    database: 'scra',
    result: 'active_duty',
    status_date: TODAY,
    certificate_id: 'A1',
  };
  const refusals = [
    ['status_date', { status_date: '2026-01-16' }],
    ['result', { result: 'covered' }],
    ['result', { database: 'mla' }],
    ['active_duty_from', { result: 'none', active_duty_from: '2025-01-01' }],
    ['active_duty_from', { active_duty_from: '2026-01-16' }],
    ['active_duty_until', { active_duty_until: '2026-01-14' }],
  ] as const;

  for (const [field, part] of refusals) {
    const refused = await tenant.officer.post(`/borrowers/${borrower.id}/military-reports`, {
      ...valid,
      ...part,
    });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: { [field]: expect.any(String) } },
    });
  }
});
