import { expect, test } from 'vitest';
import { reportCredit } from '../../jobs/loans/credit/report-credit.job.ts';
import { metro2File } from '../../jobs/loans/credit/metro2.ts';
import { filesInUse } from '../../jobs/documents/store.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { newLoan } from '../setup/loans.ts';
import { drain, travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const lent = { within: workOf(stage.pool, SYSTEM) } as never;
const reported = () => drain(stage, lent, ['report-credit']);

type Body = Record<string, unknown>;
const recordsOf = async (tenant: Tenant, loanId: string) =>
  (await tenant.officer.get(`/loans/${loanId}/credit-reporting`)).body as Body[];

const REPORTER = {
  enabled: true,
  reporter_name: 'Acme Lending',
  reporter_address: '1 Main Street, Springfield IL 62701',
  reporter_phone: '+12175550100',
  program_ids: { equifax: '155AB12345', experian: 'A1234', transunion: '1234567' },
};

async function reporting(today: string) {
  const tenant = await stage.tenant(today);
  const superadmin = await tenant.signedIn('superadmin');
  const saved = await superadmin.put('/tenant/settings', { credit_reporting: REPORTER });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  return tenant;
}

test('each month-end has its record, and a repeat writes none', async () => {
  const tenant = await reporting('2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-10');
  await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  await travelTo(stage, tenant, '2026-05-01');
  await reported();
  const payload = { tenant_id: tenant.id, reporting_period: '2026-04-30' };
  await Promise.all([reportCredit.run(payload, lent), reportCredit.run(payload, lent)]);

  const records = await recordsOf(tenant, loan.id);

  expect(records.map(({ reporting_period }) => reporting_period)).toEqual([
    '2026-04-30',
    '2026-03-31',
    '2026-02-28',
    '2026-01-31',
  ]);
  // The instalment of the 15th of March is 16 days late at the end of March and 46 in April.
  expect(records.map(({ account_status }) => account_status)).toEqual(['71', '11', '11', '11']);
  expect(records.map(({ payment_history_profile }) => payment_history_profile)).toEqual([
    `000${'B'.repeat(21)}`,
    `00${'B'.repeat(22)}`,
    `0${'B'.repeat(23)}`,
    'B'.repeat(24),
  ]);
  expect(records[0]).toMatchObject({
    status: 'queued',
    bureaus: ['equifax', 'experian', 'transunion'],
    portfolio_type: 'I',
    account_type: '01',
    terms_duration: '036',
    terms_frequency: 'M',
    scheduled_monthly_payment: 315,
    actual_payment_amount: 0,
    highest_credit: 10000,
    amount_past_due: 631,
    date_first_delinquency: '2026-03-15',
    payment_rating: null,
    ecoa_code: '1',
  });
  expect(records[2]).toMatchObject({
    actual_payment_amount: 315,
    date_last_payment: '2026-02-10',
    amount_past_due: 0,
    date_first_delinquency: null,
  });
  expect(JSON.stringify(records)).not.toMatch(/ssn/);
});

test('a loan that is paid off is told once more, and one that is charged off every month', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [paid, lost] = [await newLoan(tenant), await newLoan(tenant)];
  const pending = await newLoan(tenant, { status: 'approved' });
  await travelTo(stage, tenant, '2026-02-05');
  await tenant.officer.post(`/loans/${paid.id}/pay-off`);
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${lost.id}/charge-off`, { reason: 'fraud' });
  await travelTo(stage, tenant, '2026-04-01');
  await reported();

  const ofPaid = await recordsOf(tenant, paid.id);
  const ofLost = await recordsOf(tenant, lost.id);

  expect(ofPaid.map(({ account_status }) => account_status)).toEqual(['13', '11']);
  expect(ofPaid[0]).toMatchObject({
    status: 'draft',
    reporting_period: '2026-02-28',
    date_closed: '2026-02-05',
    current_balance: 0,
    payment_rating: '0',
  });
  expect(ofLost.map(({ account_status }) => account_status)).toEqual(['97', '97', '11']);
  expect(ofLost[0]).toMatchObject({
    current_balance: 10000,
    amount_past_due: 10000,
    original_charge_off_amount: 10000,
    scheduled_monthly_payment: 0,
    payment_history_profile: `L0${'B'.repeat(22)}`,
  });
  expect(ofLost[0]?.['date_first_delinquency']).toBe(ofLost[1]?.['date_first_delinquency']);
  expect(await recordsOf(tenant, pending.id)).toEqual([]);
});

/** Reads fields by the columns that the resource guide prints, counted from one. */
const at = (line: string, from: number, to: number) => line.slice(from - 1, to);

test('a file has a header, a segment of 426 characters for each record, and a trailer that counts', async () => {
  const tenant = await reporting('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant);
  await newLoan(tenant);
  const { officer } = tenant;
  await officer.put(`/borrowers/${loan.borrower_id}`, {
    date_of_birth: '1980-12-09',
    middle_name: 'Brewster',
    suffix: 'Jr.',
  });
  await officer.post(`/borrowers/${loan.borrower_id}/addresses`, {
    street_line_1: '10 Käfer Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201-1234',
    residence_code: 'O',
  });
  await officer.post(`/borrowers/${loan.borrower_id}/phones`, { phone_number: '+17035550123' });
  await travelTo(stage, tenant, '2026-02-03');
  await reported();

  const made = await admin.post('/credit-reporting-files');
  const again = await admin.post('/credit-reporting-files');
  const forbidden = await officer.get('/credit-reporting-files');
  const text = Buffer.from(
    (await filesInUse().files.get(`${tenant.slug}/credit-reporting/files/${made.body.filename}`)) ??
      [],
  ).toString();
  const lines = text.split('\n');
  const [record] = await recordsOf(tenant, loan.id);

  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: { reporting_period: '2026-01-31', record_count: 2, status: 'completed' },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(forbidden.status).toBe(403);
  expect(lines.pop()).toBe('');
  expect(lines.map(({ length }) => length)).toEqual([426, 426, 426, 426]);
  const [header = '', , , trailer = ''] = lines;
  const line = lines.find((one) => at(one, 43, 72).trim() === record?.['consumer_account_number']);
  const field = (from: number, to: number) => at(line ?? '', from, to);
  expect([at(header, 1, 10), at(header, 23, 32), at(header, 33, 37), at(header, 48, 55)]).toEqual([
    '0426HEADER',
    '155AB12345',
    'A1234',
    '01312026',
  ]);
  expect(at(header, 80, 119).trim()).toBe('ACME LENDING');
  expect(at(header, 216, 225)).toBe('2175550100');
  expect(field(1, 5)).toBe('04261');
  expect(field(73, 83)).toBe('I0101152026');
  expect(field(93, 105)).toBe('000010000036M');
  expect([field(106, 114), field(124, 126), field(127, 150)]).toEqual([
    '000000315',
    '11 ',
    'B'.repeat(24),
  ]);
  expect(field(155, 163)).toBe('000010039');
  expect([field(182, 189), field(190, 197), field(214, 214)]).toEqual([
    '01312026',
    '00000000',
    'F',
  ]);
  expect([field(232, 256), field(257, 276), field(277, 297)].map((one) => one.trim())).toEqual([
    'HOPPER',
    'GRACE',
    'BREWSTER            J',
  ]);
  expect([field(298, 306), field(307, 314), field(315, 324), field(325, 325)]).toEqual([
    '000000000',
    '12091980',
    '7035550123',
    '1',
  ]);
  expect([field(328, 329), field(330, 361).trim(), field(394, 413).trim()]).toEqual([
    'US',
    '10 KAFER STREET',
    'ARLINGTON',
  ]);
  expect([field(414, 415), field(416, 424), field(426, 426)]).toEqual(['VA', '222011234', 'O']);
  expect(at(trailer, 1, 11)).toBe('0426TRAILER');
  // Records, blocks, status 11, dates of birth in all and in base segments, telephones.
  expect(
    [
      [12, 20],
      [57, 65],
      [84, 92],
      [363, 371],
      [372, 380],
      [399, 407],
    ].map(([from = 0, to = 0]) => Number(at(trailer, from, to))),
  ).toEqual([2, 4, 2, 1, 1, 1]);
  expect(
    at(trailer, 12, 407)
      .match(/.{9}/g)
      ?.map(Number)
      .reduce((one, other) => one + other),
  ).toBe(11);
  expect(record).toMatchObject({ status: 'reported', file_id: made.body.id });
});

test('a file without records is a header and a trailer', () => {
  const reporter = {
    ...{ reporter_name: 'A', reporter_address: '', reporter_phone: '' },
    ...{ innovis: '', equifax: '', experian: '', transunion: '' },
  };
  const facts = { activity_date: '2026-01-31', created_at: '2026-02-01T00:00:00.000Z' };

  const lines = metro2File(reporter, facts, []).split('\n');

  expect(lines.map(({ length }) => length)).toEqual([426, 426, 0]);
});

test('a dispute moves its condition, warns in time, and an answer corrects the record', async () => {
  const tenant = await reporting('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-03');
  await reported();

  const made = await officer.post(`/loans/${loan.id}/credit-disputes`, {
    dispute_source: 'indirect_acdv',
    bureau: 'equifax',
    dispute_codes: ['106'],
  });
  const path = `/credit-disputes/${made.body.id}`;
  const early = await officer.put(path, { status: 'closed' });
  const mute = await officer.put(path, { status: 'responded' });
  await officer.put(path, { status: 'investigating' });
  await travelTo(stage, tenant, '2026-03-06');
  await reported();
  const overdue = await officer.get(path);
  const tasks = await officer.get('/tasks?source=system&ordering=created_at');
  const [disputed] = await recordsOf(tenant, loan.id);
  const answered = await officer.put(path, {
    ...overdue.body,
    status: 'responded',
    response_code: '02',
    corrected_values: { amount_past_due: 7 },
  });
  const closed = await officer.put(path, { status: 'closed' });
  const records = await recordsOf(tenant, loan.id);
  const wrong = await officer.post(`/loans/${loan.id}/credit-disputes`, {
    dispute_codes: ['106'],
    corrected_values: { loan_id: loan.id },
  });

  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: { status: 'received', due_date: '2026-03-05', compliance_condition_code: 'XB' },
  });
  expect(early).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(mute).toMatchObject({
    status: 422,
    body: { errors: { response_code: expect.anything() } },
  });
  expect(overdue.body.status).toBe('overdue');
  expect(tasks.body.map(({ priority }: Body) => priority)).toEqual(['high', 'urgent']);
  expect(disputed).toMatchObject({
    reporting_period: '2026-02-28',
    compliance_condition_code: 'XB',
    correction_indicator: 0,
  });
  expect(answered, JSON.stringify(answered.body)).toMatchObject({
    status: 200,
    body: { status: 'responded', compliance_condition_code: 'XH' },
  });
  expect(closed.body).toMatchObject({ status: 'closed', resolved_at: expect.any(String) });
  expect(records).toHaveLength(3);
  expect(records.find(({ correction_indicator }) => correction_indicator === 1)).toMatchObject({
    reporting_period: '2026-02-28',
    amount_past_due: 7,
    compliance_condition_code: 'XH',
    credit_dispute_id: made.body.id,
    status: 'queued',
    payment_history_profile: disputed?.['payment_history_profile'],
  });
  expect(wrong).toMatchObject({ status: 422 });
});
