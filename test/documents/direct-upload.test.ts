import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { scanDocument } from '../../jobs/documents/scan.job.ts';
import { localFiles } from '../../jobs/files/local-files.ts';
import { FORM_TYPE, multipartForm, postForm } from '../setup/forms.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const folder = await mkdtemp(path.join(tmpdir(), 'servicing-direct-'));
const spool = path.join(folder, 'spool');
const secret = 'a secret of more than thirty-two characters';
const files = localFiles({ folder: path.join(folder, 'files'), secret });
Object.assign(stage.installation, { files, link_secret: secret });
afterAll(() => rm(folder, { recursive: true, force: true }));

const tenant = await stage.tenant();
const { officer } = tenant;
const loan = await newLoan(tenant);
const about = { loan_id: loan.id, document_type: 'insurance' };
const PDF = '%PDF-1.7 the policy';
const upload = (
  fields: object = {},
  parts = [{ content: PDF }] as Parameters<typeof multipartForm>[1],
) => postForm(officer, '/documents', multipartForm({ ...about, ...fields }, parts));

const kept = async () => ({
  documents: (await officer.get('/documents')).headers['content-range'],
  stored: (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted(),
});

test('a file uploaded as a form is stored immediately and read back unchanged', async () => {
  const metadata = JSON.stringify({ policy: 'A-17' });

  const made = await upload({ metadata, filename: 'policy 2026.pdf' });
  const read = await officer.get(`/documents/${made.body.id}`);
  const file = await officer.get(`/${new URL(read.body.download_url).pathname}`);
  const history = await officer.get(`/loans/${loan.id}/history`);

  expect(made).toMatchObject({
    status: 201,
    body: {
      status: 'uploaded',
      source: 'direct',
      content_type: 'application/pdf',
      borrower_id: loan.borrower_id,
      filename: 'policy 2026.pdf',
      file_size: PDF.length,
      sha256_hash: createHash('sha256').update(PDF).digest('hex'),
      storage_key: `${tenant.slug}/${loan.id}/insurance/policy 2026.pdf`,
      metadata: { policy: 'A-17' },
      uploaded_by: tenant.userIds['loan_officer'],
    },
  });
  expect(file).toMatchObject({ status: 200, body: PDF });
  expect(history.body.slice(0, 2)).toMatchObject([
    { entity_type: 'documents', action: 'confirm-upload', entity_id: made.body.id },
    { entity_type: 'documents', action: 'create', entity_id: made.body.id },
  ]);
});

test('a form’s fields may follow its file, and a file name cannot leave its folder', async () => {
  const raw = multipartForm({}, [{ content: PDF, name: '../../../etc/passwd' }]).replace(
    /--\r\n$/,
    '',
  );
  const after = multipartForm({ ...about, document_type: 'title' }).slice(
    '--the-end-of-a-part'.length,
  );

  const made = await postForm(officer, '/documents', raw + after);

  expect(made.status).toBe(201);
  expect(made.body.storage_key).toBe(`${tenant.slug}/${loan.id}/title/passwd`);
});

test.each([
  ['a.csv', 'application/octet-stream', 'name,amount\nNora,1', 'text/csv'],
  ['a.pdf', 'application/octet-stream', PDF, 'application/pdf'],
  ['a.pdf', 'image/png', PDF, 415],
  ['a.pdf', 'application/pdf', '<html><script>alert(1)</script>', 415],
  ['a.svg', 'image/svg+xml', '<svg onload="alert(1)"/>', 415],
  ['a.exe', 'application/octet-stream', 'MZ\u0000\u0001', 415],
])('%s sent as %s is identified by its bytes', async (name, type, content, expected) => {
  const { status, body } = await upload({}, [{ name, type, content }]);

  expect(status === 201 ? body.content_type : status).toBe(expected);
});

test('an invalid form is refused with the reason, and nothing is stored', async () => {
  const before = await kept();
  const wrong = async (fields: object, parts?: Parameters<typeof multipartForm>[1]) => {
    const { status, body } = await upload(fields, parts);
    return [status, ...Object.entries(body.errors ?? { code: body.code }).flat()];
  };
  const two = [{ content: PDF }, { content: PDF, field: 'other' }];
  const twice = multipartForm(about, [{ content: PDF }]);
  const repeated = await postForm(
    officer,
    '/documents',
    multipartForm(about).replace(/--\r\n$/, '') + twice.slice('--the-end-of-a-part'.length),
  );

  expect(await wrong({}, [])).toEqual([422, 'file', 'Is required.']);
  expect(await wrong({ file: PDF }, [])).toEqual([
    422,
    'file',
    'Must be sent as a file, with its Content-Type.',
  ]);
  expect(await wrong({}, [{ content: '' }])).toEqual([422, 'file', 'Must not be empty.']);
  expect(await wrong({}, two)).toEqual([422, 'file', 'Send exactly one file.']);
  expect(await wrong({}, [{ content: PDF, field: 'scan' }])).toEqual([
    422,
    'file',
    'Send the file in the field named file.',
  ]);
  expect(repeated.body.errors).toMatchObject({ loan_id: 'Is given more than once.' });
  expect(await wrong({ metadata: '{' })).toEqual([422, 'metadata', expect.any(String)]);
  expect(await wrong({ metadata: '{"constructor":1}' })).toEqual([
    422,
    'metadata',
    'Has a key that is not allowed.',
  ]);
  expect((await wrong({ document_type: '../other' })).slice(0, 2)).toEqual([422, 'document_type']);
  expect((await wrong({ borrower_id: loan.id })).slice(0, 2)).toEqual([422, 'borrower_id']);
  expect((await wrong({ loan_id: loan.borrower_id })).slice(0, 2)).toEqual([422, 'loan_id']);
  expect(await wrong({ notes: 'x'.repeat(70_000) })).toEqual([413, 'code', 'payload_too_large']);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`field${at}`, 'x']));
  expect(await wrong(many)).toEqual([413, 'code', 'payload_too_large']);
  expect(await kept()).toEqual(before);
});

test('an incomplete form is refused', async () => {
  const before = await kept();
  const whole = multipartForm(about, [{ content: PDF }]);

  const json = await officer.post('/documents', about);
  const unbound = await postForm(officer, '/documents', whole, {
    'Content-Type': 'multipart/form-data',
  });
  const half = await postForm(officer, '/documents', whole.slice(0, -40));
  const stranger = await postForm(await tenant.signedIn('viewer'), '/documents', whole);
  const forged = await postForm(officer, '/documents', whole, { 'X-CSRFToken': 'another' });

  expect([json, unbound, half, stranger, forged].map(({ status }) => status)).toEqual([
    415, 400, 400, 403, 403,
  ]);
  expect(await kept()).toEqual(before);
});

test('a client that disconnects in the middle leaves nothing', async () => {
  vi.stubEnv('TMPDIR', spool);
  await mkdir(spool, { recursive: true });
  const before = await kept();
  const whole = multipartForm(about, [{ content: 'x'.repeat(100_000) }]);
  const headers = {
    Host: tenant.host,
    'Content-Type': FORM_TYPE,
    'Content-Length': whole.length,
    Cookie: [...officer.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'X-CSRFToken': officer.cookies.get('csrftoken') ?? '',
  };
  const sending = request({
    host: '127.0.0.1',
    port: stage.port,
    method: 'POST',
    headers,
    path: '/api/v1/documents',
  });
  sending.on('error', () => {});
  sending.write(whole.slice(0, 50_000));
  await vi.waitFor(async () => expect(await readdir(spool)).toHaveLength(1));

  sending.destroy();
  await vi.waitFor(async () => expect(await readdir(spool)).toEqual([]));
  vi.unstubAllEnvs();

  expect(await kept()).toEqual(before);
});

test('a file above the tenant’s limit is refused, with or without a declared size', async () => {
  await saveSettings(tenant, { documents: { max_bytes: 1024 } });
  const before = await kept();
  const content = `%PDF-${'x'.repeat(2048)}`;

  const small = await upload({}, [{ content }]);
  const large = await upload({}, [{ content: content.repeat(200) }]);
  await saveSettings(tenant, { documents: {} });

  expect([small, large]).toMatchObject([
    { status: 413, body: { code: 'payload_too_large' } },
    { status: 413, body: { code: 'payload_too_large' } },
  ]);
  expect(await kept()).toEqual(before);
});

test('a form sent twice with one Idempotency-Key is stored once', async () => {
  const key = { 'Idempotency-Key': 'a-policy' };
  const form = (content: string) => multipartForm(about, [{ content }]);

  const first = await postForm(officer, '/documents', form(PDF), key);
  const again = await postForm(officer, '/documents', form(PDF), key);
  const other = await postForm(officer, '/documents', form(`${PDF} of next year`), key);

  expect(first.status).toBe(201);
  expect(again.body.id).toBe(first.body.id);
  expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_key_reuse' } });
});

describe('with a virus scanner', () => {
  const outside = newOutside(stage.pool);
  const scanned = (document_id: string, scan: (typeof outside)['scan']) =>
    scanDocument.run({ tenant_id: tenant.id, document_id }, { ...outside, files, scan });

  /** A file uploaded while scanning is on, and not scanned so far. */
  async function held() {
    Object.assign(stage.installation, { scans_uploads: true });
    const { body } = await upload();
    Object.assign(stage.installation, { scans_uploads: false });
    const read = async () => (await officer.get(`/documents/${body.id}`)).body;
    return { id: body.id as string, status: body.status as string, read };
  }

  test('a file is held until the scanner finds nothing in it', async () => {
    const { id, status, read } = await held();

    const waiting = await read();
    const verified = await officer.post(`/documents/${id}/verify`);
    const away = scanned(id, () => Promise.reject(new Error('No scanner.')));
    await expect(away).rejects.toThrow('No scanner.');
    const still = await read();
    await scanned(id, async () => ({ found: null }));
    const clean = await read();

    expect([status, waiting.status, still.status]).toEqual(['held', 'held', 'held']);
    expect([waiting.download_url, still.download_url]).toEqual([null, null]);
    expect(verified).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(clean).toMatchObject({ status: 'uploaded', download_url: expect.any(String) });
  });

  test('a file with a virus is removed, and no user can release it', async () => {
    const { id, read } = await held();

    await scanned(id, async () => ({ found: 'Eicar-Signature' }));
    await scanned(id, async () => ({ found: null }));
    const bad = await read();
    const verified = await officer.post(`/documents/${id}/verify`);
    const history = await officer.get(`/loans/${loan.id}/history`);

    expect(bad).toMatchObject({
      status: 'infected',
      download_url: null,
      rejection_reason: 'The virus scanner found Eicar-Signature in the file.',
    });
    expect(verified.status).toBe(409);
    expect(await files.describe(bad.storage_key)).toBeNull();
    expect(history.body[0]).toMatchObject({ action: 'scan', actor_type: 'system', entity_id: id });
  });
});
