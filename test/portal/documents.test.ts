import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { localFiles } from '../../jobs/files/local-files.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newPortalBorrower, assertOk } from '../setup/portal.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const folder = await mkdtemp(path.join(tmpdir(), 'servicing-files-'));
const secret = 'a secret of more than thirty-two characters';
Object.assign(stage.installation, { files: localFiles({ folder, secret }), link_secret: secret });
afterAll(() => rm(folder, { recursive: true, force: true }));

const { tenant, officer, borrower, borrower_id, id: loan_id } = await newPortalBorrower(stage);

const FILE = '%PDF-1.7 a pay stub';
const confirmation = {
  file_size: FILE.length,
  sha256_hash: createHash('sha256').update(FILE).digest('hex'),
};
const wish = {
  loan_id,
  document_type: 'income_verification',
  filename: 'stub.pdf',
  content_type: 'application/pdf',
};
const put = (url: string) =>
  tenant.anonymous().send('PUT', `/${new URL(url).pathname}`, undefined, {
    raw: FILE,
    headers: { 'Content-Type': 'application/pdf' },
  });
const listed = async (query = '') => (await borrower.get(`/portal/documents${query}`)).body;

test('a borrower uploads a document in three steps and downloads it', async () => {
  const link = assertOk(await borrower.post('/portal/documents/upload', wish));
  const { id } = link;
  const early = await borrower.post(`/portal/documents/${String(id)}/confirm-upload`, confirmation);
  await put(String(link['upload_url']));

  const confirmed = await borrower.post(
    `/portal/documents/${String(id)}/confirm-upload`,
    confirmation,
  );
  const download = assertOk(await borrower.get(`/portal/documents/${String(id)}/download`));

  const file = await tenant.anonymous().get(`/${new URL(String(download['url'])).pathname}`);
  expect(early).toMatchObject({ status: 409, body: { code: 'upload_missing' } });
  expect(confirmed).toMatchObject({ status: 200, body: { status: 'uploaded', source: 'portal' } });
  expect(JSON.stringify(confirmed.body)).not.toMatch(/storage_key|uploaded_by|verified/);
  expect(download).toMatchObject({ filename: 'stub.pdf', content_type: 'application/pdf' });
  expect(file.body).toBe(FILE);
  expect(await listed(`?id=${String(id)}`)).toMatchObject([{ loan_id }]);
  expect((await officer.get(`/documents/${String(id)}`)).body).toMatchObject({
    source: 'portal',
    is_visible_to_borrower: true,
    uploaded_by: tenant.userIds['borrower'],
  });
});

test('a borrower’s upload creates a task for staff, once for each loan and type', async () => {
  const { id: loan } = await newLoan(tenant, { borrower_id });
  const send = async (document_type: string) => {
    const about = { ...wish, loan_id: loan, document_type };
    const link = assertOk(await borrower.post('/portal/documents/upload', about));
    await put(String(link['upload_url']));
    const path = `/portal/documents/${String(link['id'])}/confirm-upload`;
    return assertOk(await borrower.post(path, confirmation));
  };

  await Promise.all([send('insurance'), send('insurance')]);
  await send('other');

  const { body: tasks } = await officer.get(`/tasks?loan_id=${loan}`);
  expect(tasks.map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'Review the uploaded document: insurance',
    'Review the uploaded document: other',
  ]);
  expect(tasks[0]).toMatchObject({ status: 'open', task_type: 'review', due_date: '2026-01-17' });
});

test('a borrower sees why an upload was rejected, but not who rejected it', async () => {
  const link = assertOk(await borrower.post('/portal/documents/upload', wish));
  await put(String(link['upload_url']));
  await borrower.post(`/portal/documents/${String(link['id'])}/confirm-upload`, confirmation);

  assertOk(
    await officer.post(`/documents/${String(link['id'])}/reject`, { reason: 'Unreadable.' }),
  );

  const [shown] = await listed('?status=rejected');
  const download = await borrower.get(`/portal/documents/${String(link['id'])}/download`);
  expect(shown).toMatchObject({ status: 'rejected', rejection_reason: 'Unreadable.' });
  expect(shown).not.toHaveProperty('rejected_by');
  expect(download).toMatchObject({ status: 409, body: { code: 'not_available' } });
});

test('staff documents are hidden until shown, and can be hidden again', async () => {
  const link = await officer.post('/documents/create-upload-link', {
    ...wish,
    document_type: 'appraisal',
  });
  const { id } = link.body;
  await put(link.body.upload_url);
  await officer.post(`/documents/${id}/confirm-upload`, confirmation);
  const see = async () => (await listed('?document_type=appraisal')).length;
  const get = async () => (await borrower.get(`/portal/documents/${id}/download`)).status;

  const before = [await see(), await get()];
  assertOk(await officer.post(`/documents/${id}/share`));
  const after = [await see(), await get()];
  const confirm = await borrower.post(`/portal/documents/${id}/confirm-upload`, confirmation);
  assertOk(await officer.post(`/documents/${id}/share`, { is_visible_to_borrower: false }));
  const again = [await see(), await get()];

  expect([before, after, again]).toEqual([
    [0, 404],
    [1, 200],
    [0, 404],
  ]);
  expect(confirm.status).toBe(404);
});

test('a document printed for a borrower appears once it is printed', async () => {
  const outside = newOutside(stage.pool);
  const files = stage.installation.files;
  await officer.post(`/loans/${loan_id}/payoff-quotes`);
  const before = await listed('?source=generated');
  await runJobs(stage, { ...outside, files }, ['render-document']);

  const printed = await listed('?source=generated');

  expect(before).toEqual([]);
  expect(printed.length).toBeGreaterThan(1);
  const names = printed.map(({ filename }: { filename: string }) => filename).join();
  expect(names).toMatch(/payoff/);
  expect(names).toMatch(/disclosure/);
});

test('another borrower’s documents get 404', async () => {
  const other = await newLoan(tenant);
  const elsewhere = await newPortalBorrower(stage);
  const link = assertOk(await borrower.post('/portal/documents/upload', wish));
  const path = `/portal/documents/${String(link['id'])}`;

  const replies = [
    await borrower.post('/portal/documents/upload', { ...wish, loan_id: other.id }),
    await elsewhere.borrower.post('/portal/documents/upload', wish),
    await elsewhere.borrower.get(`${path}/download`),
    await elsewhere.borrower.post(`${path}/confirm-upload`, confirmation),
  ];
  await stage.owner.query('update documents set borrower_id = $1 where id = $2', [
    other.borrower_id,
    link['id'],
  ]);
  replies.push(await borrower.get(`${path}/download`));
  replies.push(await borrower.post(`${path}/confirm-upload`, confirmation));

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
});

test.each([
  ['a type that only the lender makes', { document_type: 'tila_disclosure' }],
  ['a page of a browser', { content_type: 'text/html' }],
  ['no name', { filename: ' ' }],
])('%s is refused', async (_, wrong) => {
  const reply = await borrower.post('/portal/documents/upload', { ...wish, ...wrong });

  expect(reply).toMatchObject({ status: 422, body: { errors: expect.any(Object) } });
});
