import { expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { cleanUp } from '../../jobs/operations/clean-up.job.ts';
import { findFirstRemovable } from '../../sql/documents/removal.ts';
import { listReferencedFiles } from '../../sql/moving/rows.ts';
import { openSftp } from '../../workers/outside/sftp.ts';
import { BATCH_JOBS, newLetterSender, storedFile } from '../setup/letters.ts';
import { runJobs } from '../setup/queue.ts';
import { newSftpServer, type SftpFaults } from '../setup/sftp-server.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A tenant whose batches go to a server on this machine. */
async function mailHouse(manners: SftpFaults = {}) {
  const office = await newLetterSender(stage, { webhooks: { allow_private_hosts: true } });
  const { tenant, officer, outside } = office;
  const admin = await tenant.signedIn('admin');
  const server = await newSftpServer(manners);
  const { address, password } = server;
  const named = { name: 'Mail house', ...address, folder: '/in/', password };
  const { id } = (await admin.post('/sftp-servers', named)).body;
  const upload = openSftp({ networks: parseNetworks([]), patience_ms: 2_000 });
  Object.assign(outside, { keys: stage.installation.keys, upload });
  const work = () => runJobs(stage, outside, [...BATCH_JOBS, 'deliver-mail-batch']);
  const newBatch = async () => {
    const made = await officer.post('/mail-batches', {});
    await work();
    return `/mail-batches/${made.body.id}`;
  };
  const deliveryOf = async (batch: string) =>
    ((await officer.get(`${batch}/deliveries`)).body as unknown[])[0];
  const superadmin = await tenant.signedIn('superadmin');
  const set = (sftp_server_id: string) =>
    superadmin.put('/tenant/settings', { communications: { mail_house: { sftp_server_id } } });
  return { ...office, admin, server, server_id: String(id), work, newBatch, deliveryOf, set };
}

test('a batch is uploaded to the mail house’s server, manifests last', async () => {
  const { officer, admin, post, server, server_id, newBatch, deliveryOf, work, set } =
    await mailHouse();
  const unset = await set('0190aaaa-0000-7000-8000-000000000000');
  const isSet = await set(server_id);
  await post(1);
  await post(2);

  const batch = await newBatch();
  const first = [...server.files].map(([name, bytes]) => [name, bytes.toString('hex')]);
  const told = await deliveryOf(batch);
  const cancelled = await admin.post(`${batch}/cancel`);
  server.files.clear();
  const again = await officer.post(`${batch}/hand-over`, {});
  const meanwhile = await officer.post(`${batch}/hand-over`, {});
  const elsewhere = await officer.post(`${batch}/hand-over`, {
    sftp_server_id: '0190aaaa-0000-7000-8000-000000000000',
  });
  await work();

  expect([unset.status, isSet.status]).toEqual([422, 200]);
  expect(first.map(([name]) => name)).toEqual([
    '/in/batch-000001-1-pages-001.pdf',
    '/in/batch-000001-2-pages-001.pdf',
    '/in/batch-000001-manifest.csv',
    '/in/batch-000001-manifest.json',
  ]);
  const manifest = storedFile(stage, `${batch.slice(14)}/batch-000001-manifest.csv`);
  expect(server.files.get('/in/batch-000001-manifest.csv')).toEqual(Buffer.from(manifest));
  expect(told).toMatchObject({ status: 'sent', files_sent: 4, attempts: 1, error: null });
  expect(cancelled).toMatchObject({ status: 409, body: { code: 'handed_over' } });
  expect(again).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect(meanwhile).toMatchObject({ status: 409, body: { code: 'under_way' } });
  expect(elsewhere.status).toBe(422);
  // A repeated delivery has the same files under the same names.
  expect([...server.files].map(([name, bytes]) => [name, bytes.toString('hex')])).toEqual(first);
});

test('a failed delivery is reported and resumes with the missing file', async () => {
  const { officer, post, server, server_id, newBatch, deliveryOf, work, outside } =
    await mailHouse();
  await post(1);
  const batch = await newBatch();
  const nowhere = await officer.post(`${batch}/hand-over`, {});
  const { upload } = { upload: outside.upload.bind(outside) };
  const taken: string[] = [];
  outside.upload = async (file) => {
    taken.push(file.filename);
    // The connection breaks during the second file, and the server refuses the next attempt.
    if (taken.length === 2)
      return { ...LOST, temporary: true, error_message: 'The connection was lost.' };
    return taken.length === 3
      ? { ...LOST, temporary: false, error_message: 'Locked.' }
      : upload(file);
  };

  await officer.post(`${batch}/hand-over`, { sftp_server_id: server_id });
  await work();
  const failed = await deliveryOf(batch);
  await officer.post(`${batch}/hand-over`, { sftp_server_id: server_id });
  await work();

  expect(nowhere).toMatchObject({
    status: 422,
    body: { errors: { sftp_server_id: expect.stringMatching(/Is required unless/) } },
  });
  const csv = 'batch-000001-manifest.csv';
  const pdf = 'batch-000001-1-pages-001.pdf';
  expect(failed).toMatchObject({ status: 'failed', files_sent: 1, attempts: 2, error: 'Locked.' });
  expect(taken).toEqual([pdf, csv, csv, pdf, csv, 'batch-000001-manifest.json']);
  expect(await deliveryOf(batch)).toMatchObject({ status: 'sent', files_sent: 3, attempts: 3 });
  expect(server.files.size).toBe(3);
});

const LOST = { ok: false, provider: 'sftp', error_code: 'sftp' } as const;

test('a returned letter is marked by its id, together with its printed address', async () => {
  const { officer, post, batch, newBorrower, send } = await newLetterSender(stage);
  const letter = await post(1);
  await batch();
  const back = await officer.post(`/mail-letters/${letter.id}/returned`, { note: 'Moved.' });
  const again = await officer.post(`/mail-letters/${letter.id}/returned`, {});
  const address = await officer.get(`/addresses/${letter.address_id}`);
  const { rows: told } = await stage.owner.query(
    `select from audit_log where action = 'mail-returned' and entity_id = $1`,
    [letter.address_id],
  );
  const next = await send(letter);
  const other = await officer.post(
    `/mail-letters/${(await newBorrower()).borrower_id}/returned`,
    {},
  );

  expect(back).toMatchObject({
    status: 200,
    body: { returned_on: '2026-01-15', status: 'batched' },
  });
  expect(again.status).toBe(200);
  expect(address.body.address_indicator).toBe('U');
  expect(told).toHaveLength(1);
  expect(JSON.stringify(next.body)).toContain('contact_invalid');
  expect(other.status).toBe(404);
});

test('work that takes longer than one job continues in the next job, in the same attempt', async () => {
  const { officer, post, server, server_id, newBatch, deliveryOf, work, outside } =
    await mailHouse();
  await post(1);
  const batch = await newBatch();
  const upload = outside.upload.bind(outside);
  let now = Date.parse('2026-01-15T12:00:00Z');
  outside.now = () => new Date(now);
  outside.upload = (file) => {
    now += 20_000;
    return upload(file);
  };

  await officer.post(`${batch}/hand-over`, { sftp_server_id: server_id });
  const jobs = await work();

  expect(jobs).toBe(3);
  expect(await deliveryOf(batch)).toMatchObject({ status: 'sent', files_sent: 3, attempts: 1 });
  expect(server.files.size).toBe(3);
});

test('a file contains fewer large letters', async () => {
  const { officer, post, batch } = await newLetterSender(stage);
  const ids = [await post(1), await post(1), await post(1)].map(({ borrower_id }) => borrower_id);
  await stage.owner.query(`update documents set file_size = 9000000 where borrower_id = any($1)`, [
    ids,
  ]);
  const { id } = await batch();

  const { body } = await officer.get(`/mail-batches/${id}/files?kind=letters`);
  expect(body).toMatchObject([{ letter_count: 2 }, { letter_count: 1 }]);
});

test('files of a batch that was canceled meanwhile are removed, and no more are created', async () => {
  const { tenant, officer, outside, post, batch } = await newLetterSender(stage);
  const admin = await tenant.signedIn('admin');
  await post(1);
  const { id } = await batch();
  await admin.post(`/mail-batches/${id}/cancel`);
  await stage.owner.query(
    `update mail_batch_files set storage_key = null where mail_batch_id = $1`,
    [id],
  );
  const there = storedFile(stage, `${id}/batch-000001-manifest.csv`).length;
  await cleanUp.run({}, outside);
  await stage.owner.query(`update mail_batches set status = 'failed' where id = $1`, [id]);
  const retried = await officer.post(`/mail-batches/${id}/retry`);

  expect(there).toBeGreaterThan(0);
  expect(storedFile(stage, `${id}/batch-000001-manifest.csv`)).toHaveLength(0);
  expect(retried).toMatchObject({ status: 409, body: { code: 'removed' } });
});

test('a removed file’s name is cleared, so that the tenant can be moved', async () => {
  const { tenant, officer, post, newBatch, outside } = await mailHouse();
  await post(1);
  const batch = await newBatch();
  const named = async () =>
    (await tenant.within(({ tx }) => listReferencedFiles(tx, tenant.id))).map(({ key }) => key);
  const before = await named();

  await stage.owner.query(
    `update mail_batches set created_at = now() - interval '91 days' where id = $1`,
    [batch.split('/').at(-1)],
  );
  await cleanUp.run({}, outside);
  const after = await named();

  const gone = before.filter((key) => !after.includes(key));
  expect(gone).toHaveLength((await officer.get(`${batch}/files`)).body.length);
  for (const key of after) expect(await outside.files.describe(key)).not.toBeNull();
});

test('the file of a waiting letter is kept, however old it is', async () => {
  const { tenant, officer, post } = await newLetterSender(stage);
  const { id, loan_id } = await post(1);
  const { document_id } = (await officer.get(`/mail-letters/${id}`)).body;
  await stage.owner.query(`update loans set status = 'paid_off' where id = $1`, [loan_id]);
  const years = { correspondence: 2 };
  const going = async () =>
    (await tenant.within(({ tx }) => findFirstRemovable(tx, years, '2040-01-01', 10))).map(
      (due) => due.id,
    );

  const waiting = await going();
  await officer.post(`/mail-letters/${id}/withdraw`, { reason: 'Sent by hand.' });
  const withdrawn = await going();

  expect(waiting).not.toContain(document_id);
  expect(withdrawn).toContain(document_id);
});
