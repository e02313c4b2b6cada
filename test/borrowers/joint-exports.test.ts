import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { openCase } from '../setup/cases.ts';
import { makeReportable, newReportingTenant } from '../setup/credit-reporting.ts';
import { newBorrower, newJointLoan } from '../setup/joint-loans.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { newOutside } from '../setup/outside.ts';
import { assertOk } from '../setup/portal.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { plantMarks } from '../setup/plant-marks.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const JOBS = ['issue-statements', 'render-document', 'report-credit'];
const outside = newOutside(stage.pool);

type Row = Record<string, unknown>;

/** The files of a borrower's archive, and the rows of one of its tables. */
async function archiveOf(tenant: Tenant, borrower: string) {
  const superadmin = await tenant.signedIn('superadmin');
  const ordered = assertOk(await superadmin.post(`/borrowers/${borrower}/export`));
  await runJobs(stage, outside, ['export-borrower']);
  const place = [...outside.stored].find(([key]) => key.includes(String(ordered['id'])));
  const files = unzipSync(place?.[1] ?? new Uint8Array());
  const text = (name: string) => Buffer.from(files[name] ?? Buffer.from('[]')).toString();
  return {
    names: Object.keys(files),
    rows: (table: string) => JSON.parse(text(`${table}.json`)) as Row[],
    lines: Object.keys(files)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) =>
        text(name)
          .split('\n')
          .map((line) => `${name}: ${line.trim()}`),
      ),
  };
}

const linesWith = ({ lines }: { lines: string[] }, words: RegExp) =>
  lines.filter((line) => words.test(line));

const filesOf = (lines: string[]) => [
  ...new Set(lines.map((line) => line.slice(0, line.indexOf(':')))),
];

test('everyone who owes a loan gets its statements and disclosures in their archive, and only their own letters', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, borrower_id, other } = await newJointLoan(tenant);
  const released = await newBorrower(tenant, { last_name: 'Released' });
  const path = `/loans/${id}/co-borrowers`;
  const party = assertOk(
    await tenant.officer.post(path, { borrower_id: released, role: 'guarantor' }),
  );
  const left = { reason: 'other' };
  assertOk(await tenant.officer.post(`/co-borrowers/${String(party['id'])}/release`, left));
  await travelTo(stage, tenant, '2026-02-01');
  await runJobs(stage, outside, JOBS);
  const [first] = (await tenant.officer.get(`/documents?loan_id=${id}`)).body as { id: string }[];
  await stage.owner.query(
    `insert into documents (tenant_id, loan_id, borrower_id, document_type, filename, content_type, source,
       storage_key, template, status)
     select tenant_id, loan_id, borrower_id, 'letter', 'letter.pdf', content_type, source,
       storage_key || '-letter', 'late_notice', status
     from documents where id = $1`,
    [first?.id],
  );

  const papersOf = async (borrower: string) => {
    const { names, rows } = await archiveOf(tenant, borrower);
    const papers = rows('documents/documents');
    return {
      templates: papers.map(({ template }) => String(template)).toSorted(),
      kept: papers.filter((row) => 'template_data' in row).length,
      files: names.filter((name) => name.startsWith('documents/files/')).length,
    };
  };
  const [theirs, shared, none] = [
    await papersOf(borrower_id),
    await papersOf(other),
    await papersOf(released),
  ];

  expect(theirs.templates).toEqual(
    expect.arrayContaining(['late_notice', 'monthly_statement', 'tila_disclosure']),
  );
  expect(shared.templates).toEqual(theirs.templates.filter((name) => name !== 'late_notice'));
  expect(shared.files).toBe(shared.templates.length);
  expect(shared.kept).toBe(0);
  expect(none).toEqual({ templates: [], kept: 0, files: 0 });
});

test('the archive of a joint loan shows to each person the loan without what is about the other', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const { id, borrower_id, other } = await newJointLoan(tenant);
  const gone = await newBorrower(tenant, { last_name: 'Marlowe' });
  const path = `/loans/${id}/co-borrowers`;
  const party = assertOk(await officer.post(path, { borrower_id: gone, role: 'guarantor' }));
  const left = { reason: 'divorce', notes: 'Marlowe moved out.' };
  assertOk(await officer.post(`/co-borrowers/${String(party['id'])}/release`, left));
  for (const [who, last_name] of [
    [borrower_id, 'Quillfeather'],
    [other, 'Ravenscroft'],
  ] as const) {
    assertOk(await officer.put(`/borrowers/${who}`, { last_name }));
    await makeReportable(tenant, who, { street_line_1: `1 ${last_name} Street` });
    const account = await addBankAccount(admin, who, {
      is_verified: true,
      account_holder_name: last_name,
    });
    assertOk(
      await officer.post(`/loans/${id}/payments`, {
        amount: '50.00',
        payment_instrument_id: account,
        notes: `${last_name} called.`,
      }),
    );
  }
  assertOk(
    await officer.post(`/loans/${id}/credit-disputes`, {
      dispute_codes: ['106'],
      consumer_statement: 'Ravenscroft and Quillfeather disagree.',
    }),
  );
  await officer.post(`/loans/${id}/compliance-check`, {});
  await travelTo(stage, tenant, '2026-02-01');
  await runJobs(stage, outside, JOBS);

  const [theirs, shared] = [await archiveOf(tenant, borrower_id), await archiveOf(tenant, other)];

  expect(linesWith(theirs, /Ravenscroft|Marlowe|divorce/)).toEqual([]);
  expect(linesWith(shared, /Quillfeather|Marlowe|divorce/)).toEqual([]);
  expect(theirs.rows('credit/credit_reporting_records')).toMatchObject([
    { loan_id: id, ecoa_code: '2', consumer: { surname: 'Quillfeather' } },
  ]);
  const [record] = shared.rows('credit/credit_reporting_records');
  expect(record).toMatchObject({
    loan_id: id,
    co_consumers: [{ surname: 'Ravenscroft', ecoa_code: '2' }],
  });
  expect(record).not.toHaveProperty('consumer');
  expect(record).not.toHaveProperty('ecoa_code');
  for (const { rows } of [theirs, shared]) {
    expect(rows('loans/loans').map((row) => row['id'])).toEqual([id]);
    expect(rows('loans/payments')).toHaveLength(2);
    const names = rows('books/order_accounts').map((row) => row['individual_name']);
    expect(names).toContain('Redacted');
    expect(names).toHaveLength(2);
    expect(rows('credit/credit_disputes')).toHaveLength(1);
    expect(rows('loans/installments')).toHaveLength(36);
  }
});

test('the archive of a borrower does not say that another person is bankrupt, serves or has died', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { officer } = tenant;
  const { id, borrower_id, other } = await newJointLoan(tenant);
  const petition = { chapter: '7', petition_date: '2026-01-15' };
  await openCase(officer, other, 'bankruptcy', petition);
  await openCase(officer, other, 'servicemember', { service_from: '2026-01-15' });
  await travelTo(stage, tenant, '2026-01-20');
  await openCase(officer, other, 'deceased', { date_of_death: '2026-01-18' });
  await travelTo(stage, tenant, '2026-02-01');
  await runJobs(stage, outside, ['report-credit']);

  const archive = await archiveOf(tenant, borrower_id);

  expect((await officer.get(`/loans/${id}`)).body.sub_status).toBe('deceased');
  expect(archive.rows('loans/loan_snapshots').length).toBeGreaterThan(10);
  expect(archive.rows('loans/loans')[0]).not.toHaveProperty('is_acceleration_forbidden');
  expect(linesWith(archive, /bankruptcy|"deceased"|active_duty|servicemember|stay_/)).toEqual([]);
});

// Last in this file, because the planted rows are well formed but inconsistent.
test('no planted word about one person is in the archive of the other', async () => {
  const [tenant, second] = [await stage.tenant(), await stage.tenant()];
  const { id, borrower_id, other } = await newJointLoan(tenant);
  const account = await addBankAccount(await tenant.signedIn('admin'), other, {
    is_verified: true,
  });
  const payment = { amount: '50.00', payment_instrument_id: account };
  assertOk(await tenant.officer.post(`/loans/${id}/payments`, payment));
  await newLoan(tenant, { borrower_id: other });
  await plantMarks(stage.owner, tenant.id, other, 'ravenscroft');
  await moveToLoan(id, other);
  const owed = await newJointLoan(second);
  assertOk(await second.officer.post(`/loans/${owed.id}/payments`, { amount: '50.00' }));
  await plantMarks(stage.owner, second.id, owed.borrower_id, 'quillfeather');

  const [ofBorrower, ofOther] = [
    await archiveOf(tenant, borrower_id),
    await archiveOf(tenant, other),
  ];
  const ofSecond = await archiveOf(second, owed.other);

  expect(linesWith(ofBorrower, /ravenscroft/)).toEqual([]);
  expect(linesWith(ofOther, /ravenscroft/).length).toBeGreaterThan(30);
  expect(ofSecond.rows('loans/loans').map((row) => row['id'])).toContain(owed.id);
  // A paper for both, a change of the co-borrower's record, and that record.
  expect(filesOf(linesWith(ofSecond, /quillfeather/))).toEqual([
    'documents/documents.json',
    'history/audit_log.json',
    'loans/co_borrowers.json',
  ]);
});

/** Makes every row that names the person a row about the loan. */
async function moveToLoan(loanId: string, borrowerId: string) {
  const db = await stage.owner.connect();
  try {
    await db.query('begin; set local session_replication_role = replica');
    const { rows } = await db.query<{ name: string }>(
      `select table_name as name from app.borrower_tables where 2 = (
         select count(*) from pg_attribute
         where attrelid = table_name::regclass and attname in ('loan_id', 'borrower_id'))`,
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const { name } of rows)
      await db.query(`update ${name} set loan_id = $1 where borrower_id = $2`, [
        loanId,
        borrowerId,
      ]);
    // Statements and disclosures go to both, letters only to their recipient.
    await db.query(`update documents set template = 'late_notice' where borrower_id = $1`, [
      borrowerId,
    ]);
    // A pending archive would be returned instead of a new one.
    await db.query('delete from borrower_exports');
    await db.query('commit');
  } finally {
    db.release();
  }
}
