import { expect, test } from 'vitest';
import { scanDocument } from '../../jobs/documents/scan.job.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { newBorrower } from '../setup/joint-loans.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newStaff } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
Object.assign(stage.installation, { scans_uploads: true });
const { tenant, deny, officer: denied } = await newStaff(stage);
const admin = await tenant.signedIn('admin');
const viewer = await tenant.signedIn('viewer');
const outside = Object.assign(newOutside(stage.pool), { files: stage.installation.files });
const loan = await newLoan(tenant, {}, admin);
const other_id = await newBorrower(tenant);
await admin.post(`/loans/${loan.id}/co-borrowers`, { borrower_id: other_id, role: 'co_borrower' });

const AFFIDAVIT = '%PDF-1.7 identity theft report of the FTC';
/** Files as people send them: an affidavit, a photo by a phone, a scan, and a fax. */
const EVIDENCE = [
  ['FTC affidavit.pdf', 'application/pdf', AFFIDAVIT, 'application/pdf'],
  ['police report.jpg', 'image/jpg', '\u00ff\u00d8\u00ff\u00e0 a photo', 'image/jpeg'],
  ['police report.heic', 'image/heif', '\0\0\0\u0018ftypheic', 'image/heic'],
  ['fax.tif', 'image/tif', 'II*\0 a fax', 'image/tiff'],
  ['report.pdf', 'application/x-pdf', AFFIDAVIT, 'application/pdf'],
  ['report.pdf', '', AFFIDAVIT, 'application/pdf'],
] as const;

const upload = (fields: object, [name, type, content]: readonly [string, string, string, string]) =>
  postForm(
    admin,
    '/documents',
    Buffer.from(
      multipartForm({ document_type: 'correspondence', loan_id: loan.id, ...fields }, [
        { name, type: type === '' ? 'application/octet-stream' : type, content },
      ]),
      'latin1',
    ),
  );
const scan = (document_id: string, found: string | null) =>
  scanDocument.run(
    { tenant_id: tenant.id, document_id },
    { ...outside, scan: async () => ({ found }) },
  );
const openTheftCase = (document_ids: readonly string[]) =>
  admin.post('/cases', {
    borrower_id: loan.borrower_id,
    case_type: 'identity_theft',
    subject: 'Identity theft',
    description: 'A report arrived.',
    facts: { report_type: 'ftc_affidavit', report_received_date: '2026-01-15' },
    document_ids,
  });

test('an affidavit and police reports of every usual type are scanned and attached to a case', async () => {
  const uploaded = [];
  for (const evidence of EVIDENCE) uploaded.push(await upload({}, evidence));
  const ids = uploaded.map(({ body }) => String(body.id));
  const opened = await openTheftCase(ids);
  const held = await admin.get(`/documents/${ids[0]}`);
  for (const id of ids) await scan(id, null);
  const clean = await admin.get(`/documents/${ids[0]}`);
  const file = await stage.installation.files.get(clean.body.storage_key);
  const read = await admin.get(`/cases/${opened.body.id}`);

  expect(uploaded.map(({ status, body }) => [status, body.content_type])).toEqual(
    EVIDENCE.map(([, , , type]) => [201, type]),
  );
  expect(held.body).toMatchObject({ status: 'held', download_url: null });
  expect(clean.body).toMatchObject({ status: 'uploaded', is_visible_to_borrower: false });
  expect(Buffer.from(file ?? []).toString()).toBe(AFFIDAVIT);
  expect(opened.status, JSON.stringify(opened.body)).toBe(201);
  expect(read.body.document_ids).toEqual(ids);
});

test('a file with a virus, of a wrong type or about another person is not evidence', async () => {
  const other = await newLoan(tenant, {}, admin);
  const bad = await upload({}, EVIDENCE[0]);
  await scan(bad.body.id, 'Eicar-Signature');
  const infected = await admin.get(`/documents/${bad.body.id}`);
  const page = await upload({}, ['report.html', 'text/html', '<html>', '']);
  const json = await admin.post('/documents', { loan_id: loan.id });
  const stranger = await upload({ loan_id: other.id }, EVIDENCE[0]);
  const opened = await openTheftCase([stranger.body.id]);

  expect(infected.body).toMatchObject({ status: 'infected', download_url: null });
  expect([page.status, json.status]).toEqual([415, 415]);
  expect(page.body.message).toContain('Supported types: application/pdf, image/png, image/jpeg');
  expect(json.body.message).toContain('Send a form as multipart/form-data');
  expect(opened).toMatchObject({
    status: 422,
    body: { errors: { document_ids: expect.any(String) } },
  });
});

test('a document belongs to any person who owes the loan', async () => {
  const own = await upload({ borrower_id: other_id }, EVIDENCE[0]);
  const stranger = await upload({ borrower_id: await newBorrower(tenant) }, EVIDENCE[0]);

  expect(own).toMatchObject({ status: 201, body: { borrower_id: other_id } });
  expect(stranger).toMatchObject({
    status: 422,
    body: { errors: { borrower_id: 'Must be a person who owes this loan.' } },
  });
});

test('names and content of evidence are hidden from a user who is denied the facts of cases', async () => {
  const made = await upload({ metadata: JSON.stringify({ note: 'affidavit' }) }, EVIDENCE[0]);
  await scan(made.body.id, null);
  const rejected = await admin.post(`/documents/${made.body.id}/reject`, {
    reason: 'The affidavit is not signed.',
  });
  await deny('cases', 'facts');

  const seen = {
    list: await denied.get('/documents'),
    history: await denied.get(`/loans/${loan.id}/history`),
  };
  const filtered = await denied.get('/documents?filename=FTC%20affidavit.pdf');
  const opened = await denied.get(`/documents/${made.body.id}`);
  const all = await viewer.get('/documents?filename=FTC%20affidavit.pdf');

  expect(rejected.status, JSON.stringify(rejected.body)).toBe(200);
  expect([seen.list.status, seen.history.status]).toEqual([200, 200]);
  expect(JSON.stringify([seen.list.body, seen.history.body])).not.toMatch(/affidavit|police/i);
  expect(filtered.status).toBe(422);
  expect(opened.status).toBe(403);
  expect(all.body.length).toBeGreaterThan(0);
});
