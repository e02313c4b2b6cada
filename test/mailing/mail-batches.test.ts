import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mergeLetters } from '../../jobs/mailing/merge-letters.job.ts';
import { cleanUp } from '../../jobs/operations/clean-up.job.ts';
import { BATCH_JOBS, newLetterSender, pageSizes, storedFile } from '../setup/letters.ts';
import { closeThrough, runJobs } from '../setup/queue.ts';
import { openCase } from '../setup/cases.ts';
import { assertOk } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('each letter of a day is in exactly one file, at the pages in the manifest', async () => {
  const { officer, post, batch } = await newLetterSender(stage);
  const abroad = { state: '', country: 'CA', postal_code: 'K1A 0B1' };
  const posted = [
    await post(2, { postal_code: '90210' }),
    await post(1, abroad),
    await post(2, { postal_code: '10001' }),
    await post(600),
    await post(1),
    await post(600),
    await post(3),
  ];

  const made = await batch();
  const files = (await officer.get(`/mail-batches/${made.id}/files`)).body;
  const manifest = JSON.parse(
    Buffer.from(storedFile(stage, `${made.id}/batch-000001-manifest.json`)).toString(),
  );
  const rows: Record<string, string>[] = parse(
    Buffer.from(storedFile(stage, `${made.id}/batch-000001-manifest.csv`)),
    { columns: true },
  );
  const names = files.map(({ filename }: { filename: string }) => filename);
  const bytesOf = (name: string) => storedFile(stage, `${made.id}/${name}`);
  const sizes = new Map<string, Awaited<ReturnType<typeof pageSizes>>>();
  for (const name of names.slice(0, -2)) sizes.set(name, await pageSizes(bytesOf(name)));

  expect(made).toMatchObject({ number: 1, status: 'ready', letter_count: 7, held_count: 0 });
  expect(made).toMatchObject({ page_count: 1209, sheet_count: 606, file_count: 7, files_made: 7 });
  expect(names).toEqual([
    'batch-000001-1-pages-001.pdf',
    'batch-000001-2-pages-001.pdf',
    'batch-000001-3-pages-001.pdf',
    'batch-000001-600-pages-001.pdf',
    'batch-000001-600-pages-002.pdf',
    'batch-000001-manifest.csv',
    'batch-000001-manifest.json',
  ]);
  for (const { filename, sha256_hash, file_size } of files)
    expect([sha256_hash, file_size]).toEqual([sha256(bytesOf(filename)), bytesOf(filename).length]);
  // Reading the files page by page finds each letter once, complete, and where the manifest lists it.
  const met = new Map<string, [string, number, number]>();
  for (const [name, pages] of sizes)
    for (const [index, [number, page]] of pages.entries()) {
      const { id = '' } = posted.find((letter) => letter.number === number) ?? {};
      const [file, first, last] = met.get(id) ?? [name, index + 1, index];
      expect([file, page]).toEqual([name, index + 2 - first]);
      met.set(id, [file, first, last + 1]);
    }
  expect(met.size).toBe(7);
  for (const row of manifest.letters) {
    expect(met.get(row.letter_id)).toEqual([row.file, row.first_page, row.last_page]);
    const { document_id } = (await officer.get(`/mail-letters/${row.letter_id}`)).body;
    const document = (await officer.get(`/documents/${document_id}`)).body;
    expect([row.sha256_hash, row.pages]).toEqual([document.sha256_hash, document.page_count]);
  }
  expect(rows.map((row) => [row['position'], row['letter_id']])).toEqual(
    manifest.letters.map((row: { letter_id: string }, index: number) => [
      String(index + 1),
      row.letter_id,
    ]),
  );
  expect(manifest.totals).toEqual({
    letter_count: 7,
    page_count: 1209,
    sheet_count: 606,
    held_count: 0,
    file_count: 5,
  });
  // A spreadsheet must not read a name as a formula. Domestic letters come first, by postal code.
  expect(rows.slice(0, 4)).toMatchObject([
    { letter_id: posted[4]?.id, name: "'=Grace Hopper 5", sheets: '1' },
    { letter_id: posted[1]?.id, postal_code: 'K1A 0B1', country: 'CA', address_line_3: 'CA' },
    { letter_id: posted[2]?.id, address_line_1: '3 Main Street', postal_code: '10001' },
    { letter_id: posted[0]?.id, address_line_2: 'Arlington, VA 90210', last_page: '4' },
  ]);
});

test('two users who start a batch at the same time get one batch', async () => {
  const { officer, post, work } = await newLetterSender(stage);
  const early = await officer.post('/mail-batches', {});
  const letter = await post(1);

  const both = await Promise.all([1, 2, 3].map(() => officer.post('/mail-batches', {})));
  await work();
  const again = await officer.post('/mail-batches', {});
  const later = await officer.post('/mail-batches', { from_date: '2030-01-01' });
  const all = (await officer.get('/mail-batches')).body;

  expect(early).toMatchObject({ status: 409, body: { code: 'no_letters' } });
  expect(both.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(both.filter(({ status }) => status === 409)).toHaveLength(2);
  expect(again).toMatchObject({ status: 409, body: { code: 'no_letters' } });
  expect(later.status).toBe(422);
  expect(all).toMatchObject([{ number: 1, status: 'ready', letter_count: 1 }]);
  expect((await officer.get(`/mail-letters/${letter.id}`)).body).toMatchObject({
    status: 'batched',
    position: 1,
    first_page: 1,
    last_page: 1,
    mail_batch_id: all[0].id,
  });
});

test('a file created twice after a crash has the same bytes, and a broken one is reported', async () => {
  const { tenant, officer, post, work, outside } = await newLetterSender(stage);
  await post(1);
  await post(2);
  const { id } = (await officer.post('/mail-batches', {})).body;
  const files = (await officer.get(`/mail-batches/${id}/files`)).body;
  const payload = { tenant_id: tenant.id, batch_id: id, file_id: files[0].id };
  const ofIt = `${id}/${files[0].filename}`;
  const dying = async () => {
    throw new Error('killed');
  };

  const { files: whole } = outside;
  outside.files = { ...whole, put: (key, bytes) => whole.put(key, bytes, { when: dying }) };
  await expect(mergeLetters.run(payload, outside)).rejects.toThrow('killed');
  outside.files = whole;
  expect(storedFile(stage, ofIt)).toHaveLength(0);
  await mergeLetters.run(payload, outside);
  const once = sha256(storedFile(stage, ofIt));
  await mergeLetters.run(payload, outside);
  await tenant.within((work) =>
    Promise.resolve(mergeLetters.failed?.(work, payload, 'Too often.')),
  );
  const told = (await officer.get(`/mail-batches/${id}`)).body;
  const early = await officer.post(`/mail-batches/${id}/download`);
  await officer.post(`/mail-batches/${id}/retry`);
  await work();
  const done = (await officer.get(`/mail-batches/${id}`)).body;

  expect(told).toMatchObject({ status: 'failed', failure_reason: 'Too often.', files_made: 1 });
  expect(early).toMatchObject({ status: 409, body: { code: 'failed' } });
  expect(done).toMatchObject({ status: 'ready', failure_reason: null, files_made: 4 });
  expect(sha256(storedFile(stage, ofIt))).toBe(once);
});

test('a letter whose file has changed is reported, and the others are sent without it', async () => {
  const { tenant, officer, post, work, outside, batch } = await newLetterSender(stage);
  const admin = await tenant.signedIn('admin');
  const [broken] = [await post(1), await post(1)];
  const { document_id } = (await officer.get(`/mail-letters/${broken.id}`)).body;
  const { storage_key } = (await officer.get(`/documents/${document_id}`)).body;
  await outside.files.put(storage_key, Buffer.from('%PDF-1.7 another'));

  const { id } = (await officer.post('/mail-batches', {})).body;
  await expect(work()).rejects.toThrow(
    `The file of the letter ${broken.id} differs from the printed one`,
  );
  await stage.owner.query('delete from graphile_worker._private_jobs');
  await admin.post(`/mail-batches/${id}/cancel`);
  await officer.post(`/mail-letters/${broken.id}/withdraw`, { note: 'Sent again' });
  const made = await batch();

  expect(made).toMatchObject({ status: 'ready', letter_count: 1, held_count: 0 });
});

test('the close of a day creates its batch once, if the tenant has a mail house', async () => {
  const settings = { communications: { mail_house: { batch_at_close: true } } };
  const { tenant, officer, post, work, outside } = await newLetterSender(stage, settings);
  await post(1);

  await closeThrough(stage, tenant, '2026-01-15');
  await post(1);
  await work();
  await closeThrough(stage, tenant, '2026-01-16');
  await runJobs(stage, outside, BATCH_JOBS);
  await closeThrough(stage, tenant, '2026-01-17');
  await work();

  expect((await officer.get('/mail-batches')).body).toMatchObject([
    { number: 2, business_date: '2026-01-16', letter_count: 1, created_by: null, status: 'ready' },
    { number: 1, business_date: '2026-01-15', letter_count: 1, from_date: '2026-01-15' },
  ]);
});

test('the links of a downloaded batch are complete addresses, also with files on a local disk', async () => {
  const { officer, post, batch } = await newLetterSender(stage);
  const local = vi
    .spyOn(stage.installation.files, 'presign')
    .mockImplementation(async ({ key }) => `/api/v1/storage/${key}`);
  onTestFinished(() => local.mockRestore());
  await post(1);
  const { id } = await batch();

  const { body } = await officer.post(`/mail-batches/${id}/download`);

  const links = body.files.map(({ download_url }: { download_url: string }) => download_url);
  expect(links).toHaveLength(3);
  for (const link of links) expect(link).toMatch(/^http:\/\/[^/]+\/api\/v1\/storage\//);
});

test('a downloaded batch cannot be canceled; its files are removed after 90 days', async () => {
  const { tenant, officer, post, batch, work, outside } = await newLetterSender(stage);
  const admin = await tenant.signedIn('admin');
  await post(1);
  const first = await batch();

  const cancelled = await admin.post(`/mail-batches/${first.id}/cancel`);
  const twice = await admin.post(`/mail-batches/${first.id}/cancel`);
  const listed = await admin.get('/mail-batches?status=cancelled');
  const made = await batch();
  const { body } = await officer.post(`/mail-batches/${made.id}/download`);
  const refused = await admin.post(`/mail-batches/${made.id}/cancel`);
  const viewer = await tenant.signedIn('viewer');
  const denied = await viewer.post(`/mail-batches/${made.id}/download`);
  await stage.owner.query(`update mail_batches set created_at = now() - interval '91 days'
    where id = '${made.id}'`);
  await cleanUp.run({}, outside);
  const gone = await officer.post(`/mail-batches/${made.id}/download`);
  await work();

  expect(cancelled.body).toMatchObject({ status: 'cancelled' });
  expect(twice).toMatchObject({ status: 409, body: { code: 'cancelled' } });
  expect(listed.body).toMatchObject([{ id: first.id }]);
  expect(made).toMatchObject({ number: 2, letter_count: 1, status: 'ready' });
  expect(body.files).toMatchObject([
    { filename: 'batch-000002-1-pages-001.pdf', content_type: 'application/pdf' },
    { filename: 'batch-000002-manifest.csv', download_url: expect.stringContaining('http') },
    { filename: 'batch-000002-manifest.json', content_type: 'application/json' },
  ]);
  expect(refused).toMatchObject({ status: 409, body: { code: 'handed_over' } });
  expect(denied.status).toBe(403);
  expect(gone).toMatchObject({ status: 409, body: { code: 'removed' } });
  expect(storedFile(stage, `${made.id}/batch-000002-manifest.csv`)).toHaveLength(0);
});

test('a letter that cannot be sent is in no batch and shows the reason, and staff hold and release letters', async () => {
  const { tenant, officer, post, batch } = await newLetterSender(stage);
  const [dead, returned, byHand, going] = [
    await post(1),
    await post(1),
    await post(1),
    await post(1),
  ];
  const died = await openCase(officer, dead.borrower_id, 'deceased', {
    date_of_death: '2026-01-02',
  });
  await officer.post(`/addresses/${returned.address_id}/mail-returned`, {});
  await officer.post(`/mail-letters/${byHand.id}/hold`, { note: 'Wrong enclosure' });
  const letter = async (id: string) => (await officer.get(`/mail-letters/${id}`)).body;

  const made = await batch();
  const held = (await officer.get('/mail-letters?status=held&ordering=created_at')).body;
  // Correcting an address does not change a printed letter.
  await officer.put(`/addresses/${returned.address_id}`, { street_line_1: '9 New Street' });
  assertOk(
    await officer.put(`/cases/${died.id}`, { opened_in_error: true, resolution: 'Another person' }),
  );
  await officer.post(`/mail-letters/${byHand.id}/withdraw`, {});
  const next = await batch();
  const inBatch = await officer.post(`/mail-letters/${going.id}/hold`, {});
  const released = await officer.post(`/mail-letters/${returned.id}/release`, {});
  const viewer = await tenant.signedIn('viewer');

  expect(made).toMatchObject({ letter_count: 1, held_count: 3 });
  expect(held).toMatchObject([
    { id: dead.id, hold_reasons: ['deceased'] },
    { id: returned.id, hold_reasons: ['contact_invalid'] },
    { id: byHand.id, hold_reasons: ['by_hand'], note: 'Wrong enclosure' },
  ]);
  expect(next).toMatchObject({ letter_count: 1, held_count: 1 });
  expect(await letter(dead.id)).toMatchObject({ status: 'batched', mail_batch_id: next.id });
  expect(await letter(byHand.id)).toMatchObject({ status: 'withdrawn' });
  expect(inBatch).toMatchObject({ status: 409, body: { code: 'batched' } });
  expect(released.body).toMatchObject({ status: 'waiting', hold_reasons: [] });
  expect((await viewer.post(`/mail-letters/${returned.id}/hold`, {})).status).toBe(403);
});
