import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Files } from '../../jobs/files/files.ts';
import { localFiles } from '../../jobs/files/local-files.ts';
import { cleanUp } from '../../jobs/operations/clean-up.job.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const other = await stage.listen();
const folder = await mkdtemp(path.join(tmpdir(), 'servicing-confirm-'));
const secret = 'a secret of more than thirty-two characters';
Object.assign(stage.installation, { files: localFiles({ folder, secret }), link_secret: secret });
afterAll(() => rm(folder, { recursive: true, force: true }));

const described = (file: string) => ({
  file_size: file.length,
  sha256_hash: createHash('sha256').update(file).digest('hex'),
});
const A = '%PDF-1.7 the file that is confirmed';
const B = '%PDF-1.7 another file, put meanwhile';

async function announced(tenant: Tenant, loan_id: string) {
  const { officer } = tenant;
  const { body: link } = await officer.post('/documents/create-upload-link', {
    loan_id,
    document_type: 'other',
    filename: 'a.pdf',
    content_type: 'application/pdf',
  });
  const bearer = tenant.anonymous();
  const put = (raw: string, at = bearer) =>
    at.send('PUT', `/${new URL(link.upload_url).pathname}`, undefined, {
      raw,
      headers: { 'Content-Type': 'application/pdf' },
    });
  const confirm = (file: string) =>
    officer.post(`/documents/${link.id}/confirm-upload`, described(file));
  const read = async () => (await officer.get(`/documents/${link.id}`)).body;
  const download = async () => {
    const { download_url } = await read();
    return (await bearer.get(`/${new URL(download_url).pathname}`)).body as string;
  };
  return { id: link.id as string, bearer, put, confirm, read, download };
}

async function announcement() {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant);
  return { tenant, loan, ...(await announced(tenant, loan.id)) };
}

/** The store as a process leaves it that is killed at this point. */
function killed(change: (files: Files) => Partial<Files>) {
  const { files } = stage.installation;
  stage.installation.files = { ...files, ...change(files) };
  return () => void (stage.installation.files = files);
}

const everyFile = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );

const ROUNDS = 100;
const AT_ONCE = 5;

test('of a simultaneous upload and confirmation one is first, and the confirmed file is the stored one', async () => {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant);
  const race = async (round: number) => {
    const document = await announced(tenant, loan.id);
    await document.put(A);
    // The put starts up to 6 ms before or after the confirmation. In the last rounds it starts after the
    // confirmation.
    const lead = (round % 13) - 6;
    const confirming = wait(Math.max(0, lead)).then(() => document.confirm(A));
    const turn = round >= ROUNDS - AT_ONCE ? confirming : wait(Math.max(0, -lead));
    const [replaced, confirmed] = await Promise.all([
      turn.then(() => document.put(B, document.bearer.at(other))),
      confirming,
    ]);
    if (confirmed.status === 200) expect(await document.download()).toBe(A);
    else expect((await document.confirm(B)).status).toBe(200);
    return `put ${replaced.status}, confirm ${confirmed.status}`;
  };

  const outcomes = new Set<string>();
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    const rounds = Array.from({ length: AT_ONCE }, (_, index) => race(round + index));
    for (const outcome of await Promise.all(rounds)) outcomes.add(outcome);
  }

  outcomes.delete('put 200, confirm 409');
  expect([...outcomes]).toEqual(['put 403, confirm 200']);
  expect((await everyFile()).filter(({ name }) => name.startsWith('.'))).toEqual([]);
}, 120_000);

test('many simultaneous confirmations of one file count as one', async () => {
  const { put, confirm, download } = await announcement();
  await put(A);

  const replies = await Promise.all(Array.from({ length: 8 }, () => confirm(A)));

  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(await download()).toBe(A);
});

test('a confirmation that was interrupted before its commit is completed by the next one', async () => {
  const { put, confirm, read, download } = await announcement();
  await put(A);
  const heal = killed((files) => ({
    seize: async (key) => {
      const seized = await files.seize(key);
      const settle = async (to: string) => {
        await seized?.settle(to);
        throw new Error('Killed before the commit.');
      };
      return seized && { ...seized, settle };
    },
  }));
  const cut = await confirm(A);
  heal();
  const between = await read();

  await put(B);
  const stale = await confirm(A);
  const confirmed = await confirm(B);

  expect(cut.status).toBe(500);
  expect(between).toMatchObject({ status: 'pending', download_url: null });
  expect(stale.body.code).toBe('hash_mismatch');
  expect(confirmed.status).toBe(200);
  expect(await download()).toBe(B);
});

test('files left by a confirmation that was interrupted after its commit are removed', async () => {
  const { id, tenant, put, confirm, read, download } = await announcement();
  await put(A);
  const heal = killed(() => ({ clear: () => Promise.reject(new Error('Killed.')) }));
  const confirmed = await confirm(A);
  heal();
  const left = (await everyFile()).filter(({ parentPath }) => parentPath.includes(id));
  await overdue();

  await cleanUp.run({}, { ...newOutside(stage.pool), files: stage.installation.files });

  expect(confirmed.status).toBe(200);
  expect(left).toHaveLength(1);
  expect((await everyFile()).filter(({ parentPath }) => parentPath.includes(id))).toEqual([]);
  expect(await read()).toMatchObject({ status: 'uploaded', expires_at: null });
  expect(await download()).toBe(A);
  expect((await tenant.officer.get(`/documents/${id}`)).status).toBe(200);
});

test('an unconfirmed file is removed a day after its link expires and cannot be confirmed then', async () => {
  const { id, loan, put, confirm, read } = await announcement();
  await put(A);
  const heal = killed((files) => ({
    seize: async (key) => {
      const seized = await files.seize(key);
      await seized?.settle(`${key.split('/')[0]}/${loan.id}/other/a.pdf`);
      throw new Error('Killed after the file was moved.');
    },
  }));
  await confirm(A);
  heal();
  await overdue();

  await cleanUp.run({}, { ...newOutside(stage.pool), files: stage.installation.files });

  const late = await confirm(A);
  const left = (await everyFile()).filter(
    ({ parentPath }) => parentPath.includes(id) || parentPath.includes(loan.id),
  );
  expect(await read()).toMatchObject({ status: 'expired' });
  expect(late).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(left).toEqual([]);
});

test.each([
  ['a page', '<!doctype html><script>alert(1)</script>'],
  ['a picture that scripts', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['a program', 'MZ This program cannot be run in DOS mode.'],
])(
  '%s with the name of a PDF is not confirmed, and the real PDF still can be',
  async (_what, fake) => {
    const { put, confirm, read } = await announcement();
    await put(fake);

    const refused = await confirm(fake);
    const between = await read();
    await put(A);
    const confirmed = await confirm(A);

    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'content_mismatch', message: expect.stringContaining('is not a PDF') },
    });
    expect(between).toMatchObject({ status: 'pending', download_url: null });
    expect(confirmed.status).toBe(200);
  },
);

/** Makes every link expire two days ago. */
async function overdue() {
  await stage.owner.query(
    "update documents set expires_at = now() - interval '2 days' where status <> 'expired'",
  );
}
