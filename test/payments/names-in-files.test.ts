import { expect, test } from 'vitest';
import { metro2File } from '../../jobs/loans/reporting/metro2/write-metro2.ts';
import {
  makeReportable,
  creditRecords,
  runCreditReports,
  newReportingTenant,
} from '../setup/credit-reporting.ts';
import { newLoan } from '../setup/loans.ts';
import { sliceColumns, addBankAccount, readSentEntries } from '../setup/nacha.ts';
import { travelTo } from '../setup/queue.ts';
import { readSealedFile } from '../setup/sealed-files.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const NAMES: [name: string, printed: string][] = [
  ['Đức Đặng', 'DUC DANG'],
  ['Łukasz Wałęsa', 'LUKASZ WALESA'],
  ['Ørsted Æsir', 'ORSTED AESIR'],
  ['小龙 李', 'XIAOLONG LI'],
  ['Ελένη Παππά', 'ELENI PAPPA'],
  ['Юлия Щукина', 'YULIYA SHCHUKINA'],
  ['Zoë O’Neill-Ångström', "ZOE O'NEILL-ANGSTROM"],
];

async function ordered(tenant: Tenant, account_holder_name: string) {
  const loan = await newLoan(tenant);
  const account = await addBankAccount(tenant.officer, loan.borrower_id, { account_holder_name });
  const path = `/loans/${loan.id}/payments`;
  const order = { amount: '100.00', payment_instrument_id: account };
  const { body } = await tenant.officer.post(path, order);
  return { loan, payment: body.id as string, receipt: body.receipt_number as string };
}

test('a bank file transliterates names of any script into Latin letters, and keeps digits', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const receipts = new Map<string, string>();
  for (const [name, printed] of NAMES) receipts.set((await ordered(tenant, name)).receipt, printed);

  const made = await admin.post('/nacha-files');
  const lines = await readSentEntries(stage, tenant, made.body.filename);

  const names = new Map(
    lines.map((line) => [sliceColumns(line, 40, 54).trim(), sliceColumns(line, 55, 76).trim()]),
  );
  expect(names).toEqual(receipts);
  for (const line of lines)
    expect([
      sliceColumns(line, 4, 12),
      sliceColumns(line, 13, 29).trim(),
      sliceColumns(line, 30, 39),
    ]).toEqual(['021000021', '000123456789', '0000010000']);
});

test('an order whose name cannot be transliterated becomes a task, and the others are sent', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const nameless = await ordered(tenant, '🙂 ···');
  const tasks = async () => (await tenant.officer.get('/tasks?source=system')).body;

  const none = await admin.post('/nacha-files');
  await ordered(tenant, 'Ørsted');
  const made = await admin.post('/nacha-files');
  const lines = await readSentEntries(stage, tenant, made.body.filename);

  const skipped = [{ payment_id: nameless.payment, reason: 'name_not_printable' }];
  expect(none).toMatchObject({ status: 409, body: { details: { skipped } } });
  expect(made).toMatchObject({ status: 201, body: { entry_count: 1, skipped } });
  expect(lines.map((line) => sliceColumns(line, 55, 76).trim())).toEqual(['ORSTED']);
  expect(await tasks()).toMatchObject([
    {
      title: expect.stringContaining('no Latin letters'),
      loan_id: nameless.loan.id,
      related_id: nameless.payment,
    },
  ]);
});

test('a bureau’s file has names in Latin letters; a person whose name has none is left out', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [vietnamese, nameless] = [await newLoan(tenant), await newLoan(tenant)];
  const rename = (loan: { borrower_id: string }, first_name: string, last_name: string) =>
    tenant.officer.put(`/borrowers/${loan.borrower_id}`, { first_name, last_name });
  for (const { borrower_id } of [vietnamese, nameless]) await makeReportable(tenant, borrower_id);
  await rename(vietnamese, 'Đức', 'Đặng');
  await rename(nameless, 'Ada', '☺☺');
  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);

  const made = await admin.post('/credit-reporting-files');
  const again = await admin.post('/credit-reporting-files');
  const { filename } = made.body;
  const text = await readSealedFile(stage, tenant, 'credit_reporting_files', filename);
  const lines = text.trimEnd().split('\n');

  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { record_count: 1 } });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(lines).toHaveLength(3);
  expect([
    sliceColumns(lines[1] ?? '', 232, 256).trim(),
    sliceColumns(lines[1] ?? '', 257, 276).trim(),
  ]).toEqual(['DANG', 'DUC']);
  expect(await creditRecords(tenant, nameless.id)).toMatchObject([
    { status: 'suppressed', suppression_reason: 'name_not_printable' },
  ]);
  // Tasks about findings in the records name no loan.
  const tasks = (await tenant.officer.get('/tasks?source=system')).body as { loan_id: unknown }[];
  expect(tasks.filter(({ loan_id }) => loan_id !== null)).toMatchObject([
    { loan_id: nameless.id, title: expect.stringContaining('no Latin letters') },
  ]);
});

test('the reporter in a bureau’s file is in Latin letters too', () => {
  const file = metro2File(
    {
      reporter_name: 'Crédit Łódź',
      reporter_address: '1 Æbleveien',
      reporter_phone: '',
      identification_number: 'ACME01',
      innovis: '',
      equifax: '',
      experian: '',
      transunion: '',
    },
    { activity_date: '2026-01-31', created_at: '2026-02-03T10:00:00Z' },
    [],
  );

  expect(sliceColumns(file, 80, 119).trim()).toBe('CREDIT LODZ');
  expect(file).toMatch(/1 AEBLEVEIEN/);
});
