import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { localFiles } from '../../jobs/files/local-files.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const folder = await mkdtemp(path.join(tmpdir(), 'servicing-files-'));
const secret = 'a secret of more than thirty-two characters';
Object.assign(stage.installation, { files: localFiles({ folder, secret }), link_secret: secret });
afterAll(() => rm(folder, { recursive: true, force: true }));

const file = '%PDF-1.7 the file';
const sha256_hash = createHash('sha256').update(file).digest('hex');
const confirmation = { file_size: file.length, sha256_hash };

/** An officer who has announced a file, and an anonymous client that has only the link. */
async function announced(filename = 'pay stub.pdf') {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const link = await officer.post('/documents/create-upload-link', {
    loan_id: loan.id,
    document_type: 'income_verification',
    filename,
    content_type: 'application/pdf',
  });
  const bearer = tenant.anonymous();
  const put = (raw = file, type = 'application/pdf') =>
    bearer.send('PUT', `/${new URL(link.body.upload_url).pathname}`, undefined, {
      raw,
      headers: { 'Content-Type': type },
    });
  const confirm = (body: object = confirmation) =>
    officer.post(`/documents/${link.body.id}/confirm-upload`, body);
  return { tenant, officer, loan, link, bearer, put, confirm };
}

test('a file is announced, uploaded, confirmed and read', async () => {
  const { tenant, officer, loan, link, bearer, put, confirm } = await announced();

  const stored = await put();
  const confirmed = await confirm();
  const read = await officer.get(`/documents/${link.body.id}`);
  const download = await bearer.get(`/${new URL(read.body.download_url).pathname}`);

  expect(link).toMatchObject({ status: 201, body: { upload_url: expect.stringMatching(/^http/) } });
  expect(stored).toMatchObject({ status: 200, body: confirmation });
  expect(confirmed).toMatchObject({
    status: 200,
    body: {
      status: 'uploaded',
      source: 'upload_link',
      borrower_id: loan.borrower_id,
      storage_key: `${tenant.slug}/${loan.id}/income_verification/pay stub.pdf`,
    },
  });
  expect(download).toMatchObject({ status: 200, body: file });
  expect(download.headers['content-disposition']).toBe(
    "attachment; filename*=UTF-8''pay%20stub.pdf",
  );
});

test('a confirmed file cannot be changed by its link or with another hash', async () => {
  const { put, confirm } = await announced();
  await put();
  await confirm();

  const again = await put('another file');
  const same = await confirm({ ...confirmation, sha256_hash: sha256_hash.toUpperCase() });
  const other = await confirm({ file_size: 1, sha256_hash: '0'.repeat(64) });

  expect(again.status).toBe(403);
  expect(same).toMatchObject({ status: 200, body: { status: 'uploaded' } });
  expect(other).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
});

test('a confirmation before the upload, or for another file, is refused', async () => {
  const { put, confirm } = await announced();

  const early = await confirm();
  await put('something else');
  const mismatch = await confirm();
  await put();
  const confirmed = await confirm();

  expect(early).toMatchObject({ status: 409, body: { code: 'upload_missing' } });
  expect(mismatch).toMatchObject({ status: 409, body: { code: 'hash_mismatch' } });
  expect(confirmed.status).toBe(200);
});

test('a link accepts only its own file type, and cannot be tampered with', async () => {
  const { tenant, link, put } = await announced();
  const forged = link.body.upload_url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));

  const typed = await put(file, 'text/html');
  const stranger = await tenant
    .anonymous()
    .send('PUT', `/${new URL(forged).pathname}`, undefined, { raw: file });

  expect(typed.status).toBe(415);
  expect(stranger).toMatchObject({ status: 403, body: { code: 'link_invalid' } });
});

test.each([
  ['../../etc/passwd', /income_verification\/passwd$/],
  ['a/b\\c.pdf', /income_verification\/c\.pdf$/],
])('the file name %s cannot leave its folder', async (filename, key) => {
  const { put, confirm } = await announced(filename);

  await put();
  const { body } = await confirm();

  expect(body).toMatchObject({ filename, storage_key: expect.stringMatching(key) });
});

test('files with the same name are kept apart, also with folders in the name and when sent together', async () => {
  const { officer, loan } = await announced();
  const announce = (filename: string) =>
    officer.post('/documents/create-upload-link', {
      loan_id: loan.id,
      document_type: 'title',
      filename,
      content_type: 'application/pdf',
    });

  const names = ['deed.pdf', 'scans/deed.pdf', 'C:\\scans\\deed.pdf', 'deed.pdf', 'deed.pdf'];
  const links = await Promise.all(names.map(announce));
  const listed = await officer.get(`/documents?loan_id=${loan.id}&document_type=title`);
  const keys = listed.body.map(({ storage_key }: { storage_key: string }) => storage_key);

  expect(links.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect(new Set(keys).size).toBe(5);
  for (const key of keys) expect(key).toMatch(/\/title\/([0-9a-f]{8}-)?deed\.pdf$/);
});

test('an upload that started before the confirmation does not replace the confirmed file', async () => {
  const { tenant, officer, link, bearer, put, confirm } = await announced();
  await put();
  const slow = request({
    host: '127.0.0.1',
    port: tenant.port,
    method: 'PUT',
    path: new URL(link.body.upload_url).pathname,
    headers: { Host: tenant.host, 'Content-Type': 'application/pdf' },
  });
  const answered = once(slow, 'response');
  slow.write('%PDF-1.7 another ');
  await vi.waitFor(async () => expect(await filesIn(folder)).toHaveLength(2));

  const confirmed = await confirm();
  slow.end('file');
  const [answer] = (await answered) as [IncomingMessage];
  const read = await officer.get(`/documents/${link.body.id}`);
  const download = await bearer.get(`/${new URL(read.body.download_url).pathname}`);

  expect(confirmed.status).toBe(200);
  expect(answer.statusCode).toBe(403);
  expect(download.body).toBe(file);
});

/** The files of the newest folder: stored ones and incomplete ones. */
async function filesIn(root: string) {
  const all = await readdir(root, { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile());
  const latest = files.find(({ name }) => name.startsWith('.'))?.parentPath;
  return files.filter(({ parentPath }) => parentPath === latest);
}

test('a document is verified or rejected with a reason, only once it is uploaded', async () => {
  const { officer, link, put, confirm } = await announced();
  const path = `/documents/${link.body.id}`;
  const early = await officer.post(`${path}/verify`);
  await put();
  await confirm();

  const reply = await officer.post(`${path}/reject`, { reason: ' \n ' });
  await officer.post(`${path}/verify`, { notes: 'Read it.' });
  const again = await officer.post(`${path}/verify`);
  const rejected = await officer.post(`${path}/reject`, { reason: 'Page 2 is missing.' });
  await officer.delete(path);
  const archived = await officer.post(`${path}/verify`);

  expect(early).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', details: { allowed_actions: [] } },
  });
  expect(again).toMatchObject({
    status: 409,
    body: { details: { current_status: 'verified', allowed_actions: ['reject'] } },
  });
  expect(reply).toMatchObject({ status: 422, body: { errors: { reason: 'Must not be empty.' } } });
  expect(rejected.body).toMatchObject({
    status: 'rejected',
    verified_by: null,
    verified_at: null,
    verification_notes: null,
  });
  expect(archived).toMatchObject({ status: 409, body: { code: 'archived' } });
});

test('a document whose link was never used shows as expired', async () => {
  const { tenant, officer, link } = await announced();
  await stage.owner.query("update documents set expires_at = now() - interval '1 second'");

  const read = await officer.get(`/documents/${link.body.id}`);
  const listed = await officer.get('/documents?status=expired');
  const pending = await tenant.officer.get('/documents?status=pending&source=upload_link');

  expect(read.body.status).toBe('expired');
  expect(listed.body).toMatchObject([{ id: link.body.id }]);
  expect(pending.body).toEqual([]);
});

test('a confirmation repeated under one key gets the same answer twice', async () => {
  const { officer, link, put } = await announced();
  await put();
  const path = `/documents/${link.body.id}/confirm-upload`;
  const keyed = { headers: { 'Idempotency-Key': 'confirmed' } };

  const first = await officer.post(path, confirmation, keyed);
  const again = await officer.post(path, confirmation, keyed);
  const other = await officer.post(path, { ...confirmation, file_size: 1 }, keyed);

  expect(first.status).toBe(200);
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_key_reuse' } });
});

test('behind a proxy, links use the host that the client knows', async () => {
  const { tenant, officer, loan } = await announced();
  const proxied = officer.at(await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] }));
  const file = { document_type: 'other', filename: 'a.pdf', content_type: 'application/pdf' };

  const link = await proxied.post(
    '/documents/create-upload-link',
    { ...file, loan_id: loan.id },
    { headers: { Host: 'inside.example:8080', 'X-Forwarded-Host': tenant.host } },
  );

  expect(link.status).toBe(201);
  expect(new URL(link.body.upload_url).host).toBe(tenant.host);
});
