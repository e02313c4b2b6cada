import { expect, test } from 'vitest';
import {
  creditRecords,
  newReportingTenant,
  runCreditReports,
  type Body,
} from '../../setup/credit-reporting.ts';
import { disputeFile, disputeRequest } from '../../setup/dispute-files.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

/** A tenant on 2026-02-03 that has a subscriber code at Equifax and one loan with a credit record. */
async function newExchange() {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');
  const subscriber_codes = { equifax: ['155-AB12345', '155AB00001'] };
  await superadmin.put('/tenant/settings', { credit_reporting: { subscriber_codes } });
  const loan = await numberedLoan(tenant);
  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);
  const admin = await tenant.signedIn('admin');
  const send = (file: string, wish: object = {}) =>
    admin.post('/credit-dispute-imports', { bureau: 'equifax', file, ...wish });
  const linesOf = async (id: unknown) =>
    (await admin.get(`/credit-dispute-imports/${id}/lines?range=[0,99]`)).body as Body[];
  return { tenant, admin, send, linesOf, ...loan };
}

async function numberedLoan(tenant: Tenant, wish: Record<string, unknown> = {}) {
  const { id } = await newLoan(tenant, wish);
  const { loan_number } = (await tenant.officer.get(`/loans/${id}`)).body;
  const account_number = String(loan_number).replaceAll(/[^A-Za-z0-9]/g, '');
  return { id, account_number };
}

async function boardLoan({ officer, first, signedIn }: Tenant, loan_number: string) {
  const admin = await signedIn('admin');
  const borrower = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  const { status, body } = await admin.post('/loans/board', {
    loan_number,
    borrower_id: borrower.body.id,
    program_id: await first('/programs'),
    product_id: await first('/products'),
    principal_amount: '10000.00',
    current_principal_balance: '9000.00',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2026-01-02',
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.id);
}

const disputesOf = async ({ officer }: Tenant, loanId: string) =>
  (await officer.get(`/loans/${loanId}/credit-disputes`)).body as Body[];
/** The tasks of the exchange, without those about findings in the records of these loans. */
const tasksOf = async ({ officer }: Tenant) =>
  ((await officer.get('/tasks?source=system&sort=["created_at","ASC"]')).body as Body[]).filter(
    ({ title }) => !String(title).startsWith('Credit reporting: check'),
  );

test('a file of requests becomes disputes of the loans with these account numbers', async () => {
  const { tenant, send, linesOf, id, account_number } = await newExchange();
  const other = await numberedLoan(tenant);
  const statement = '=HYPERLINK("http://evil.test","paid, 219-09-9384")';
  const file = disputeFile([
    disputeRequest(account_number, { fcra_relevant_information: statement }),
    disputeRequest(account_number.toLowerCase(), { control_number: 'ACDV-2' }),
    disputeRequest(other.account_number, { dispute_code_2: '112' }),
    disputeRequest('NOTOURS1'),
    disputeRequest(other.account_number, { control_number: 'ACDV-3', subscriber_code: '999ZZ' }),
  ]);

  const sent = await send(file);
  const lines = await linesOf(sent.body.id);
  const [second, first] = await disputesOf(tenant, id);
  const [foreign] = await disputesOf(tenant, other.id);
  const history = await tenant.officer.get(`/loans/${id}/history`);
  const tasks = await tasksOf(tenant);

  expect(sent, JSON.stringify(sent.body)).toMatchObject({
    status: 201,
    body: { line_count: 5, recorded_count: 3, unmatched_count: 2, received_date: '2026-02-03' },
  });
  expect(lines.map(({ line, status }) => [line, status])).toEqual([
    [2, 'recorded'],
    [3, 'recorded'],
    [4, 'recorded'],
    [5, 'unknown_account'],
    [6, 'unknown_subscriber'],
  ]);
  expect(
    [first?.['dispute_number'], second?.['dispute_number']].map((n) => String(n).slice(-3)),
  ).toEqual(['-D1', '-D2']);
  expect(first).toMatchObject({
    dispute_source: 'indirect_acdv',
    bureau: 'equifax',
    acdv_control_number: `ACDV-${account_number}`,
    received_date: '2026-02-03',
    bureau_received_date: '2026-01-30',
    due_date: '2026-02-25',
    dispute_codes: ['106'],
    fcra_relevant_information: expect.not.stringContaining('219-09'),
    compliance_condition_code: 'XB',
    status: 'received',
    import_id: sent.body.id,
  });
  expect(foreign).toMatchObject({ dispute_codes: ['106', '112'] });
  expect(history.body).toContainEqual(
    expect.objectContaining({ entity_type: 'credit_disputes', entity_id: first?.['id'] }),
  );
  expect(tasks).toMatchObject([
    {
      title: 'Answer credit disputes that match no loan',
      due_date: '2026-02-25',
      description: expect.stringContaining('2 requests match no loan'),
      related_id: sent.body.id,
    },
  ]);
});

test('the same file is imported once, and again only for the requests that matched no loan', async () => {
  const { tenant, admin, send, linesOf, id, account_number } = await newExchange();
  const file = disputeFile([disputeRequest(account_number), disputeRequest('BOARDED7')]);

  const first = await send(file);
  const again = await send(file);
  const before = await tasksOf(tenant);
  const boarded = await boardLoan(tenant, 'BOARDED-7');
  const later = await send(file);
  const other = await send(disputeFile([disputeRequest(account_number), disputeRequest('NEW1')]));
  const imports = await admin.get('/credit-dispute-imports');

  expect([first.body.id, again.body.id, later.body.id]).toEqual(
    Array.from({ length: 3 }, () => first.body.id),
  );
  expect([first, again, later].map(({ body }) => body.recorded_count)).toEqual([1, 1, 2]);
  expect(before.map(({ status }) => status)).toEqual(['open']);
  expect(await disputesOf(tenant, boarded)).toHaveLength(1);
  expect(await disputesOf(tenant, id)).toHaveLength(1);
  expect(other.body).toMatchObject({ recorded_count: 1, unmatched_count: 1 });
  expect(await linesOf(other.body.id)).toMatchObject([
    { status: 'already_recorded', loan_id: id },
    { status: 'unknown_account' },
  ]);
  expect(imports.body).toHaveLength(2);
  const tasks = await tasksOf(tenant);
  expect(tasks.map(({ status }) => status)).toEqual(['canceled', 'open']);
});

test('a file with a wrong line is refused completely, with the errors of each line', async () => {
  const { tenant, send, id, account_number } = await newExchange();
  const good = disputeRequest(account_number);
  const refused = async (file: string, errors: object) => {
    const { status, body } = await send(file);
    expect({ status, errors: body.errors }, file.slice(0, 200)).toEqual({
      status: 422,
      errors: expect.objectContaining(errors),
    });
  };

  await refused(
    disputeFile([
      good,
      { ...good, control_number: 'B', dispute_code_1: '1' },
      { ...good, control_number: 'C', response_due_date: '2026-02-30' },
      { ...good, control_number: 'D', response_due_date: '2027-02-25' },
      { ...good, control_number: 'E', bureau_received_date: '2026-02-04' },
      { ...good, control_number: '=1+1' },
      { ...good, control_number: good.control_number },
      { ...good, control_number: 'G', account_number: '' },
      { ...good, control_number: 'H', account_number: '---' },
      { ...good, control_number: 'I', fcra_relevant_information: 'x'.repeat(241) },
    ]),
    {
      file: expect.stringMatching(/^9 lines are wrong. Nothing was imported/),
      'lines.3.dispute_code_1': 'Must be a code of three digits.',
      'lines.4.response_due_date': 'Is not a day of the calendar.',
      'lines.5.response_due_date': expect.stringContaining('within 60 days'),
      'lines.6.bureau_received_date': 'Must not be in the future.',
      'lines.7.control_number': expect.stringContaining('letters, digits'),
      'lines.8.control_number': 'Is already in line 2. Keep one of them.',
      'lines.9.account_number': 'Is required.',
      'lines.10.account_number': 'Must contain a letter or a digit.',
      'lines.11.fcra_relevant_information': 'Must be at most 240 characters.',
    },
  );
  await refused('control_number,account_number\n1,2\n', {
    file: expect.stringContaining('These columns are missing: subscriber_code'),
  });
  await refused(disputeFile([{ ...good, ssn: '219-09-9384' }]), {
    file: expect.stringContaining('unknown column'),
  });
  await refused(disputeFile([good]).replace('dispute_code_2', 'dispute_code_1'), {
    file: 'The column dispute_code_1 appears twice.',
  });
  await refused(disputeFile([good]).split('\r\n')[0] ?? '', { file: 'Contains no requests.' });
  await refused('   ', { file: expect.any(String) });
  await refused(`${disputeFile([good])}"never closed`, { file: expect.stringContaining('Line 3') });
  await refused(`${disputeFile([good])}a,b\n`, {
    'lines.3.fields': 'Has 2 fields, not 8.',
  });
  const wrongLine = `${disputeFile([good]).split('\r\n')[0]}\n${'a,b\n'.repeat(10_000)}`;
  const many = await send(wrongLine);
  const tooMany = await send(`${wrongLine}a,b\n`);

  expect(many.body.errors).toMatchObject({
    file: expect.stringContaining('10000 lines are wrong'),
  });
  expect(Object.keys(many.body.errors)).toHaveLength(101);
  expect(tooMany.body.errors).toEqual({
    file: 'Contains more than 10000 requests. Split it into several files.',
  });
  expect(await disputesOf(tenant, id)).toEqual([]);
  expect(await tasksOf(tenant)).toEqual([]);
});

test('10,000 requests are recorded in one import', async () => {
  const { tenant, send, id, account_number } = await newExchange();
  const base = `155AB12345,${account_number},2026-02-25,106`;
  const rows = Array.from({ length: 10_000 }, (_, at) => `C${at},${base}`);
  const header = 'control_number,subscriber_code,account_number,response_due_date,dispute_code_1';

  const sent = await send([header, ...rows].join('\n'));
  const listed = await tenant.officer.get(`/loans/${id}/credit-disputes?acdv_control_number=C9999`);

  expect(sent, JSON.stringify(sent.body)).toMatchObject({
    status: 201,
    body: { line_count: 10_000, recorded_count: 10_000, unmatched_count: 0 },
  });
  expect(listed.body).toMatchObject([{ dispute_number: expect.stringMatching(/-D10000$/) }]);
});

test('two uploads at once record each request once', async () => {
  const { tenant, send, id, account_number } = await newExchange();
  const file = disputeFile([disputeRequest(account_number), disputeRequest('NOTOURS1')]);
  const overlapping = disputeFile([
    disputeRequest(account_number),
    disputeRequest(account_number, { control_number: 'ACDV-2' }),
  ]);

  const sent = await Promise.all([send(file), send(file), send(overlapping), send(overlapping)]);

  expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(sent.map(({ body }) => body.id)).size).toBe(2);
  const disputes = await disputesOf(tenant, id);
  expect(disputes.map((one) => String(one['acdv_control_number'])).toSorted()).toEqual(
    ['ACDV-2', `ACDV-${account_number}`].toSorted(),
  );
  expect(new Set(disputes.map((one) => one['dispute_number'])).size).toBe(2);
});

test('an import needs subscriber codes and the role admin, and other tenants do not see it', async () => {
  const { admin, send, account_number } = await newExchange();
  const { tenant, send: sendToOther } = await newExchange();
  const file = disputeFile([disputeRequest(account_number)]);

  const sent = await send(file);
  const unconfigured = await admin.post('/credit-dispute-imports', { bureau: 'innovis', file });
  const officer = await tenant.officer.post('/credit-dispute-imports', { bureau: 'equifax', file });
  const foreign = await (
    await tenant.signedIn('admin')
  ).get(`/credit-dispute-imports/${sent.body.id}`);
  const future = await send(file, { received_date: '2026-02-04' });
  const own = await sendToOther(file);

  expect(unconfigured).toMatchObject({
    status: 409,
    body: { code: 'credit_reporting_not_configured' },
  });
  expect(officer.status).toBe(403);
  expect(foreign.status).toBe(404);
  expect(future).toMatchObject({
    status: 422,
    body: { errors: { received_date: expect.any(String) } },
  });
  expect(own.body.id).not.toBe(sent.body.id);
});

test('answers are exported once with their codes and corrected values, and the tasks end', async () => {
  const { tenant, admin, send, id, account_number } = await newExchange();
  const { officer } = tenant;
  const urgent = { response_due_date: '2026-02-06' };
  await send(
    disputeFile([
      disputeRequest(account_number, urgent),
      disputeRequest(account_number, { control_number: 'ACDV-2', ...urgent }),
      disputeRequest(account_number, { control_number: 'ACDV-3', ...urgent }),
    ]),
  );
  const asked = await tasksOf(tenant);
  const disputes = await disputesOf(tenant, id);
  const [third, second, first] = disputes.map((one) => `/credit-disputes/${one['id']}`);
  await officer.put(String(first), {
    status: 'responded',
    response_code: '02',
    corrected_values: { amount_past_due: 7, special_comment: null },
  });
  await officer.put(String(second), { status: 'responded', response_code: '01' });
  await officer.put(String(second), { status: 'closed' });
  await travelTo(stage, tenant, '2026-02-04');
  const unsent = await tasksOf(tenant);

  const made = await admin.post('/credit-dispute-answer-files', { bureau: 'equifax' });
  const again = await admin.post('/credit-dispute-answer-files', { bureau: 'equifax' });
  const download = await admin.get(`/credit-dispute-answer-files/${made.body.id}/download`);
  const listed = await admin.get(`/credit-dispute-answer-files/${made.body.id}/disputes`);
  const changed = await officer.put(String(first), { corrected_values: { amount_past_due: 8 } });
  const reread = await officer.get(String(first));
  const sameForm = await officer.put(String(first), { ...reread.body, findings: 'Paid in full.' });
  const key = `${tenant.slug}/credit-reporting/answers/${made.body.filename}`;
  const text = Buffer.from((await stage.installation.files.get(key)) ?? []).toString();
  const rows = text.split('\r\n').map((line) => line.split(','));
  const tasks = await tasksOf(tenant);

  expect(asked.map(({ priority }) => priority)).toEqual(['urgent', 'urgent', 'urgent']);
  expect(unsent.slice(3).map(({ title, status }) => [String(title).slice(0, 15), status])).toEqual([
    ['Send the answer', 'open'],
    ['Send the answer', 'open'],
  ]);
  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: { answer_count: 2, status: 'completed', bureau: 'equifax' },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(download.body).toMatchObject({ filename: made.body.filename });
  expect(listed.body).toHaveLength(2);
  expect(rows).toHaveLength(4);
  const column = (row: number, name: string) => rows[row]?.[rows[0]?.indexOf(name) ?? -1];
  expect(rows.slice(1, 3).map((row) => row[0])).toEqual(['ACDV-2', `ACDV-${account_number}`]);
  expect([column(1, 'response_code'), column(1, 'amount_past_due')]).toEqual(['01', '']);
  expect([
    column(2, 'subscriber_code'),
    column(2, 'account_number'),
    column(2, 'response_code'),
    column(2, 'amount_past_due'),
    column(2, 'special_comment'),
    column(2, 'current_balance'),
  ]).toEqual(['155AB12345', account_number, '02', '7', 'none', '']);
  expect(changed).toMatchObject({ status: 409, body: { code: 'already_answered' } });
  expect(sameForm.status, JSON.stringify(sameForm.body)).toBe(200);
  expect(Object.groupBy(tasks, ({ status }) => String(status))).toMatchObject({
    open: [{ related_id: String(third).slice(-36) }],
  });
  const corrected = await creditRecords(tenant, id);
  expect(corrected.filter((record) => record['correction_indicator'] === 1)).toHaveLength(1);
});

test('the deadline counts from the receipt by the bureau, and tasks come ten and five days before it', async () => {
  const { tenant, id } = await newExchange();
  const { officer } = tenant;
  const path = `/loans/${id}/credit-disputes`;
  const acdv = { dispute_source: 'indirect_acdv', bureau: 'equifax', dispute_codes: ['106'] };
  const dueDate = async (wish: object) => (await officer.post(path, wish)).body.due_date;

  const dates = [
    // The bureau may have received it five business days earlier: 2026-01-27.
    await dueDate(acdv),
    await dueDate({ ...acdv, bureau_received_date: '2026-01-30' }),
    await dueDate({ ...acdv, response_due_date: '2026-02-20' }),
    await dueDate({ dispute_codes: ['106'] }),
    await dueDate({ dispute_codes: ['106'], is_extended: true }),
  ];
  const wrong = await officer.post(path, { ...acdv, bureau_received_date: '2026-02-04' });
  await travelTo(stage, tenant, '2026-02-21');

  expect(dates).toEqual(['2026-02-26', '2026-03-01', '2026-02-20', '2026-03-05', '2026-03-20']);
  expect(wrong).toMatchObject({
    status: 422,
    body: { errors: { bureau_received_date: expect.any(String) } },
  });
  const tasks = await tasksOf(tenant);
  const byDispute = Object.groupBy(tasks, ({ due_date }) => String(due_date));
  expect(
    Object.fromEntries(
      Object.entries(byDispute).map(([due, found]) => [
        due,
        found?.map(({ priority }) => priority),
      ]),
    ),
  ).toEqual({
    '2026-02-20': ['high', 'urgent'],
    '2026-02-26': ['high', 'urgent'],
    '2026-03-01': ['high'],
  });
});
