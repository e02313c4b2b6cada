import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import {
  sliceColumns,
  expectControls,
  parseNachaFile,
  buildReturnFile,
  readSentFile,
} from '../setup/nacha.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

async function configured(today: string) {
  const tenant = await stage.tenant(today);
  return { tenant, admin: await tenant.signedIn('admin') };
}

async function enroll(tenant: Tenant, account: Record<string, unknown> = {}) {
  const loan = await newLoan(tenant);
  const path = `/borrowers/${loan.borrower_id}`;
  const instrument = await tenant.officer.post(`${path}/payment-instruments`, {
    account_holder_name: 'Grace Hopper',
    routing_number: '021000021',
    account_number: '000123456789',
    account_type: 'checking',
    ...account,
  });
  const payment_instrument_id = instrument.body.id as string;
  await tenant.officer.post(`${path}/autopay-plans`, { loan_id: loan.id, payment_instrument_id });
  return { ...loan, payment_instrument_id };
}

const textOf = (tenant: Tenant, filename: string) => readSentFile(stage, tenant, filename);

test('an autopay draw goes to the bank once, and its return is recorded once', async () => {
  const { tenant, admin } = await configured('2026-01-15');
  const [good, bad, savings, business] = [
    await enroll(tenant),
    await enroll(tenant),
    await enroll(tenant, { account_type: 'savings', routing_number: '121000248' }),
    await enroll(tenant, { account_type: 'business_checking', account_holder_name: 'Hopper LLC' }),
  ];
  await travelTo(stage, tenant, '2026-02-18');

  const made = await admin.post('/nacha-files');
  const again = await admin.post('/nacha-files');
  const file = parseNachaFile(await textOf(tenant, made.body.filename));
  const entries = await admin.get(`/nacha-files/${made.body.id}/entries`);
  const link = await admin.get(`/nacha-files/${made.body.id}/download`);

  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: {
      file_date: '2026-02-18',
      file_id_modifier: 'A',
      effective_entry_date: '2026-02-19',
      entry_count: 4,
      debit_total: '1262.72',
      credit_total: '0.00',
      status: 'completed',
      skipped: [],
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expectControls(file);
  expect(file.batches.map(({ header }) => sliceColumns(header, 51, 53))).toEqual(['CCD', 'PPD']);
  expect(sliceColumns(file.batches[1]?.header ?? '', 70, 75)).toBe('260219');
  expect(
    file.batches[1]?.entries.map((entry) => sliceColumns(entry, 2, 3)).toSorted(undefined),
  ).toEqual(['27', '27', '37']);
  expect(file.batches[1]?.entries.map((entry) => sliceColumns(entry, 13, 29).trim())).toContain(
    '000123456789',
  );
  expect(link.body.filename).toBe(made.body.filename);
  const downloaded = await tenant.anonymous().get(`/${new URL(link.body.download_url).pathname}`);
  expect(downloaded).toMatchObject({ status: 200, body: expect.stringContaining('000123456789') });
  const stored = await stage.installation.files.get(
    `${tenant.slug}/nacha/files/${made.body.filename}`,
  );
  expect(Buffer.from(stored ?? []).toString('latin1')).not.toMatch(/^$|000123456789|HOPPER/i);
  for (const body of [made.body, entries.body, (await admin.get('/nacha-files')).body])
    expect(JSON.stringify(body)).not.toMatch(/000123456789|_sealed/);
  const forbidden = await tenant.officer.get(`/nacha-files/${made.body.id}/download`);
  expect(forbidden.status).toBe(403);

  const paymentOf = async (loanId: string) =>
    (await tenant.officer.get(`/loans/${loanId}/payments`)).body[0];
  const lineOf = async (loanId: string) => {
    const { id } = await paymentOf(loanId);
    const sent = entries.body.find(({ payment_id }: { payment_id: string }) => payment_id === id);
    return (
      file.lines.find((line) => line.startsWith('6') && line.endsWith(sent.trace_number)) ?? ''
    );
  };
  const stranger = `${(await lineOf(good.id)).slice(0, 79)}091000019999999`;
  const differs = (await lineOf(savings.id)).replace('0000031568', '0000031569');
  const returns = buildReturnFile(
    [await lineOf(bad.id), 'R01'],
    [stranger, 'R01'],
    [differs, 'R01'],
    [await lineOf(business.id), 'C01'],
  );
  const taken = await admin.post('/nacha-returns', { file: returns });
  const repeated = await admin.post('/nacha-returns', { file: returns });

  expect(taken.status, JSON.stringify(taken.body)).toBe(200);
  const outcomes = (body: { entries: { status: string }[] }) =>
    body.entries.map(({ status }) => status);
  expect(outcomes(taken.body)).toEqual(['returned', 'unknown', 'amount_differs', 'change_notice']);
  expect(outcomes(repeated.body).slice(0, 3)).toEqual([
    'already_returned',
    'unknown',
    'amount_differs',
  ]);
  expect(await paymentOf(bad.id)).toMatchObject({ status: 'returned', return_code: 'R01' });
  for (const loan of [good, savings, business])
    expect(await paymentOf(loan.id)).toMatchObject({ status: 'completed' });
  expect((await tenant.officer.get(`/loans/${bad.id}`)).body.principal_balance).toBe('10000.00');

  await travelTo(stage, tenant, '2026-02-24');
  const second = await admin.post('/nacha-files');
  const retry = parseNachaFile(await textOf(tenant, second.body.filename));
  expectControls(retry);
  expect(retry.batches.map(({ header }) => sliceColumns(header, 54, 63))).toEqual(['RETRY PYMT']);
  expect(second.body).toMatchObject({ entry_count: 1, debit_total: '315.68' });
});

test('a disbursement is sent as a credit, and its return creates a task', async () => {
  const { tenant, admin } = await configured('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoan(tenant, { status: 'approved' });
  const instrument = await admin.post(`/borrowers/${loan.borrower_id}/payment-instruments`, {
    routing_number: '021000021',
    account_number: '55555',
    account_type: 'savings',
    is_verified: true,
  });
  const paid = await officer.post(`/loans/${loan.id}/disbursements`, {
    method: 'ach',
    payment_instrument_id: instrument.body.id,
  });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);

  const made = await admin.post('/nacha-files', { file_date: '2026-01-16' });
  const file = parseNachaFile(await textOf(tenant, made.body.filename));
  const entry = file.batches[0]?.entries[0] ?? '';
  const books = await balancesByRole(tenant);
  const taken = await admin.post('/nacha-returns', { file: buildReturnFile([entry, 'R03']) });

  // January 17 to 19, 2026 are a weekend and a holiday.
  expect(made.body).toMatchObject({
    effective_entry_date: '2026-01-20',
    credit_total: '10000.00',
    debit_total: '0.00',
  });
  expectControls(file);
  expect([
    sliceColumns(entry, 2, 3),
    sliceColumns(entry, 30, 39),
    sliceColumns(entry, 55, 66),
  ]).toEqual(['32', '0001000000', 'GRACE HOPPER']);
  expect(taken.body.entries).toMatchObject([{ status: 'returned', disbursement_id: paid.body.id }]);
  expect((await officer.get(`/disbursements/${paid.body.id}`)).body.status).toBe('failed');
  expect((await officer.get('/tasks?source=system')).body).toMatchObject([
    { loan_id: loan.id, title: expect.stringMatching(/came back \(R03\)/) },
  ]);
  expect(await balancesByRole(tenant)).toEqual(books);
});

test('without an originator nothing is sent, and an invalid file is refused with its line', async () => {
  const tenant = await stage.tenant();
  await saveSettings(tenant, { nacha: {} });
  const admin = await tenant.signedIn('admin');

  const refused = await admin.post('/nacha-files');
  const short = await admin.post('/nacha-returns', { file: `1${' '.repeat(93)}\n6 short` });
  const none = await admin.post('/nacha-returns', { file: 'hello' });

  expect(refused).toMatchObject({ status: 409, body: { code: 'nacha_not_configured' } });
  expect(refused.body.details.missing).toHaveLength(7);
  expect(short).toMatchObject({
    status: 422,
    body: { errors: { file: expect.stringMatching(/Line 2/) } },
  });
  expect(none.status).toBe(422);
});

test('eight concurrent runs send every entry once', async () => {
  const { tenant, admin } = await configured('2026-01-15');
  await enroll(tenant);
  await enroll(tenant);
  await travelTo(stage, tenant, '2026-02-18');

  const replies = await Promise.all(Array.from({ length: 8 }, () => admin.post('/nacha-files')));

  const sent = replies.filter(({ status }) => status === 201);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.body.entry_count).toBe(2);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(7);
});
