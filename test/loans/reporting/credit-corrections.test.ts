import { expect, test } from 'vitest';
import {
  creditRecords,
  fileLines,
  newReportedLoan,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

/** A tenant on 2026-02-03 with a loan whose January record is in a file. */
async function newReported() {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newReportedLoan(tenant);
  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);
  const { status } = await admin.post('/credit-reporting-files');
  expect(status).toBe(201);
  const path = `/loans/${loan.id}/credit-corrections`;
  const correct = (values: object, wish: object = {}) =>
    admin.post(path, { reason: 'Typed wrongly.', corrected_values: values, ...wish });
  return { tenant, admin, loan, path, correct };
}

test('a correction keeps who asked, why, and each changed field before and after', async () => {
  const { tenant, admin, loan, path, correct } = await newReported();
  const [reported] = await creditRecords(tenant, loan.id);

  const made = await correct({ current_balance: 9000, account_status: '71', credit_limit: null });
  const listed = await tenant.officer.get(path);
  const records = await creditRecords(tenant, loan.id);
  const file = await admin.post('/credit-reporting-files');
  const sent = await admin.get(`/credit-corrections/${made.body.id}`);
  const [, line = ''] = await fileLines(stage, tenant, file.body.filename);

  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: {
      correction_number: expect.stringMatching(/-C1$/),
      action: 'update',
      reason: 'Typed wrongly.',
      requested_by: tenant.userIds['admin'],
      reporting_period: '2026-01-31',
      bureaus: ['equifax', 'experian', 'transunion'],
      record_id: reported?.['id'],
      before: { current_balance: reported?.['current_balance'], account_status: '11' },
      after: { current_balance: 9000, account_status: '71' },
      status: 'waiting',
    },
  });
  expect(listed.body).toHaveLength(1);
  expect(records).toHaveLength(2);
  expect(records.find(({ id }) => id === reported?.['id'])).toEqual(reported);
  expect(records.find(({ id }) => id === made.body.corrected_record_id)).toMatchObject({
    correction_indicator: 1,
    current_balance: 9000,
    account_status: '71',
    credit_dispute_id: null,
    compliance_condition_code: null,
    payment_history_profile: reported?.['payment_history_profile'],
  });
  expect([line.slice(19, 20), line.slice(123, 125), line.slice(154, 163)]).toEqual([
    '1',
    '71',
    '000009000',
  ]);
  expect(sent.body).toMatchObject({ status: 'in_file', file_id: file.body.id });
});

test('a correction that staff submit through the portal of the bureaus is not sent in a file', async () => {
  const { tenant, admin, correct } = await newReported();
  const made = await correct({ amount_past_due: 12 });
  const path = `/credit-corrections/${made.body.id}`;

  const form = await admin.get(`${path}/form`);
  const ofOfficer = await tenant.officer.get(`${path}/form`);
  const submitted = await admin.post(`${path}/submit`, { aud_control_number: 'AUD-77' });
  const again = await admin.post(`${path}/submit`, { aud_control_number: 'AUD-78' });
  const file = await admin.post('/credit-reporting-files');

  expect(form, JSON.stringify(form.body)).toMatchObject({
    status: 200,
    body: {
      correction_number: made.body.correction_number,
      reason: 'Typed wrongly.',
      requested_by: 'admin User',
      identification_number: 'ACME01',
      consumer: { surname: 'Hopper', city: 'Arlington', date_of_birth: '1980-12-09' },
      ssn_last_four: '6789',
    },
  });
  const fields = form.body.fields as { name: string; is_corrected: boolean }[];
  expect(fields.filter(({ is_corrected }) => is_corrected)).toEqual([
    { name: 'amount_past_due', before: '0', after: '12', is_corrected: true },
  ]);
  expect(ofOfficer.status).toBe(403);
  expect(submitted, JSON.stringify(submitted.body)).toMatchObject({
    status: 200,
    body: {
      status: 'submitted',
      aud_control_number: 'AUD-77',
      submitted_by: tenant.userIds['admin'],
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'already_submitted' } });
  expect(file).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
});

test('a correction that cannot be right is refused', async () => {
  const { tenant, admin, loan, path, correct } = await newReported();
  const unreported = await newLoan(tenant);
  const refused = async (values: object, wish: object = {}) => {
    const { status, body } = await correct(values, wish);
    return [status, body.code ?? '', body.errors?.corrected_values ?? ''];
  };

  expect(await refused({})).toEqual([
    422,
    'validation_error',
    expect.stringContaining('Must change'),
  ]);
  expect(await refused({ account_status: '11' })).toEqual([
    422,
    'validation_error',
    expect.stringContaining('Must change'),
  ]);
  expect(await refused({ loan_id: loan.id })).toEqual([
    422,
    'validation_error',
    expect.stringContaining('May name'),
  ]);
  expect((await refused({ current_balance: -1 }))[0]).toBe(422);
  expect(await refused({ date_first_delinquency: '2026-03-01' })).toEqual([
    422,
    'validation_error',
    expect.stringContaining('2026-01-15 to 2026-01-31'),
  ]);
  expect((await refused({ current_balance: 1 }, { action: 'delete' }))[0]).toBe(422);
  expect((await refused({ current_balance: 1 }, { reason: ' ' }))[0]).toBe(422);
  const never = await admin.post(`/loans/${unreported.id}/credit-corrections`, {
    reason: 'Typed wrongly.',
    corrected_values: { current_balance: 1 },
  });
  expect(never).toMatchObject({ status: 409, body: { code: 'nothing_reported' } });
  expect(await tenant.officer.post(path, { reason: 'x' })).toMatchObject({ status: 403 });
  const missing = await admin.post(
    '/loans/00000000-0000-7000-8000-000000000001/credit-corrections',
    { reason: 'x', corrected_values: { current_balance: 1 } },
  );
  expect(missing.status).toBe(404);
});

test('while information is blocked because of identity theft, only a deletion is sent', async () => {
  const { tenant, admin, loan, correct } = await newReported();
  await tenant.officer.post(`/loans/${loan.id}/add-labels`, { labels: ['identity-theft-block'] });

  const update = await correct({ current_balance: 9000 });
  const deletion = await correct({}, { action: 'delete_fraud' });
  const file = await admin.post('/credit-reporting-files');
  const [, line = ''] = await fileLines(stage, tenant, file.body.filename);
  const again = await correct({ current_balance: 9000 });

  expect(update).toMatchObject({ status: 409, body: { code: 'information_blocked' } });
  expect(deletion).toMatchObject({ status: 201, body: { after: { account_status: 'DF' } } });
  expect([line.slice(19, 20), line.slice(123, 125)]).toEqual(['1', 'DF']);
  expect(again).toMatchObject({ status: 409, body: { code: 'already_deleted' } });
});

test('a second person approves exactly the record and the values that the first one saw', async () => {
  const { tenant, admin, loan, correct } = await newReported();
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/tenant/settings', { approvals: { four_eyes: ['credit_corrections'] } });

  const asked = await correct({ current_balance: 9000 });
  const shown = await superadmin.get(`/approvals/${asked.body.approval_id}`);
  const own = await admin.post(`/approvals/${asked.body.approval_id}/approve`);
  const waiting = await creditRecords(tenant, loan.id);
  const approved = await superadmin.post(`/approvals/${asked.body.approval_id}/approve`);
  const records = await creditRecords(tenant, loan.id);
  const [correction] = (await admin.get(`/loans/${loan.id}/credit-corrections`)).body;
  const late = await correct({ current_balance: 8000 });
  await travelTo(stage, tenant, '2026-03-03');
  await runCreditReports(stage);
  const moved = await superadmin.post(`/approvals/${late.body.approval_id}/approve`);

  expect(asked).toMatchObject({ status: 202, body: { kind: 'credit_corrections' } });
  expect(JSON.stringify(shown.body)).toContain('"after":{"current_balance":9000}');
  expect(own.status).toBe(409);
  expect(waiting).toHaveLength(1);
  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect(records).toHaveLength(2);
  expect(correction).toMatchObject({ requested_by: tenant.userIds['admin'] });
  expect(moved.status).toBe(409);
});

test('an answer to a dispute can correct the account status', async () => {
  const { tenant, loan } = await newReported();
  const { officer } = tenant;
  const dispute = { dispute_codes: ['106'], corrected_values: { account_status: '13' } };
  const made = await officer.post(`/loans/${loan.id}/credit-disputes`, dispute);

  await officer.put(`/credit-disputes/${made.body.id}`, {
    status: 'responded',
    response_code: '02',
  });

  const records = await creditRecords(tenant, loan.id);
  expect(records.find((record) => record['correction_indicator'] === 1)).toMatchObject({
    account_status: '13',
    credit_dispute_id: made.body.id,
    compliance_condition_code: 'XH',
  });
});

test('a correction that contradicts itself is stored with findings and tasks, and can be withheld', async () => {
  const { tenant, admin, correct } = await newReported();

  const made = await correct({ account_status: '71', date_first_delinquency: null });
  const path = `/credit-reporting-findings?record_id=${made.body.corrected_record_id}`;
  const found = (await admin.get(path)).body as { id: string; rule: string; status: string }[];
  const tasks = (await tenant.officer.get('/tasks?status=open')).body as { title: string }[];
  const withheld = await admin.post(`/credit-reporting-findings/${found[0]?.id}/withhold`);
  const after = await admin.get(`/credit-corrections/${made.body.id}`);
  const file = await admin.post('/credit-reporting-files');

  expect(found.map(({ rule }) => rule).toSorted()).toEqual(['Status-APD-2', 'Status-DOFD-1']);
  const titles = tasks.map(({ title }) => title).filter((title) => title.includes('correction'));
  expect(titles.toSorted()).toEqual([
    expect.stringContaining('Status-APD-2'),
    expect.stringContaining('Status-DOFD-1'),
  ]);
  expect(withheld.status, JSON.stringify(withheld.body)).toBe(200);
  expect(after.body).toMatchObject({ status: 'withheld' });
  expect(file).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
});

test('a second person sees which rules a correction breaks before approving it', async () => {
  const { tenant, path } = await newReported();
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/tenant/settings', { approvals: { four_eyes: ['credit_corrections'] } });
  const admin = await tenant.signedIn('admin');

  const asked = await admin.post(path, {
    reason: 'Typed wrongly.',
    corrected_values: { account_status: '13' },
  });
  const { body: approvals } = await superadmin.get('/approvals?status=pending');

  expect(asked.status).toBe(202);
  expect(JSON.stringify(approvals)).toContain('Status-Balance-1');
});
