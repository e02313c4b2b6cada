import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS as USUAL } from '../../api/http/limits.ts';
import { openIntake } from '../../api/http/receive.ts';
import { routes } from '../../api/routes.ts';
import { localFiles } from '../../jobs/files/local-files.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const LIMITS = { ...USUAL, request_ms: 800, idle_ms: 800, transfer_ms: 4_000 };
const stage = await newStage();
const port = await stage.listen({}, routes, openIntake(LIMITS));
const tenant = await stage.tenant();
const loan = await newLoan(tenant);
const secret = 'a secret of more than thirty-two characters';

async function store() {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'servicing-limits-')), 'files');
  Object.assign(stage.installation, { files: localFiles({ folder, secret }), link_secret: secret });
  onTestFinished(() => rm(path.dirname(folder), { recursive: true, force: true }));
  return folder;
}

async function announced() {
  const { officer } = tenant;
  const { body: link } = await officer.post('/documents/create-upload-link', {
    loan_id: loan.id,
    document_type: 'other',
    filename: 'a.pdf',
    content_type: 'application/pdf',
  });
  const target = new URL(link.upload_url).pathname;
  const put = (raw = FILE) =>
    tenant.anonymous().send('PUT', `/${target}`, undefined, {
      raw,
      headers: { 'Content-Type': 'application/pdf' },
    });
  const confirm = (file = FILE) =>
    officer.post(`/documents/${link.id}/confirm-upload`, {
      file_size: file.length,
      sha256_hash: createHash('sha256').update(file).digest('hex'),
    });
  const read = async () => (await officer.get(`/documents/${link.id}`)).body;
  return { officer, target, put, confirm, read };
}

const FILE = '%PDF-1.7 twelve and more bytes, drop by drop';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A bare connection: records what it received and when it was closed. */
async function connected(head: string) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const got = { text: '', closed: false };
  socket.on('data', (piece: Buffer) => (got.text += piece.toString()));
  socket.on('error', () => {});
  socket.on('close', () => (got.closed = true));
  socket.write(head);
  return { socket, got };
}

const putHead = (target: string, length: number) =>
  `PUT ${target} HTTP/1.1\r\nHost: ${tenant.host}\r\nContent-Type: application/pdf\r\n` +
  `Content-Length: ${length}\r\n\r\n`;

async function drip(socket: Socket, text: string, everyMs: number) {
  for (const letter of text) {
    if (socket.destroyed) return;
    socket.write(letter);
    await pause(everyMs);
  }
}

const closed = async (got: { closed: boolean }) => {
  const started = Date.now();
  await vi.waitFor(() => expect(got.closed).toBe(true), { timeout: 3_000, interval: 20 });
  return Date.now() - started;
};

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );

test('a slow upload is accepted, however long it takes', async () => {
  await store();
  const { target, confirm } = await announced();
  const { socket, got } = await connected(putHead(target, FILE.length));

  const started = Date.now();
  await drip(socket, FILE, 40);
  await vi.waitFor(() => expect(got.text).toContain('200 OK'));

  expect(Date.now() - started).toBeGreaterThan(2 * LIMITS.request_ms);
  expect((await confirm()).status).toBe(200);
});

test('a stalled upload is closed with a reason and leaves nothing', async () => {
  const folder = await store();
  const { target } = await announced();
  const { socket, got } = await connected(putHead(target, FILE.length));

  socket.write('%PDF');
  await closed(got);

  expect(got.text).toContain('408 Request Timeout');
  expect(got.text).toContain('Upload the whole file again.');
  expect(await filesIn(folder)).toEqual([]);
});

test('an endless upload is stopped even if bytes keep coming', async () => {
  const folder = await store();
  const { target } = await announced();
  const { socket, got } = await connected(putHead(target, 10_000));

  const started = Date.now();
  await drip(socket, 'x'.repeat(400), 20);
  await closed(got);

  expect(Date.now() - started).toBeLessThan(3 * LIMITS.transfer_ms);
  expect(got.text).toContain('408 Request Timeout');
  expect(await filesIn(folder)).toEqual([]);
}, 20_000);

test.each([
  ['another endpoint', '/api/v1/auth/login'],
  ['a link that nobody gave', '/api/v1/storage/upload/forged.token'],
])(
  'a client that sends a body to %s byte by byte is cut off after the usual time',
  async (_what, target) => {
    const head = putHead(target, 10_000).replace('PUT', target.includes('login') ? 'POST' : 'PUT');
    const { socket, got } = await connected(head.replace('application/pdf', 'application/json'));

    const started = Date.now();
    await Promise.all([drip(socket, ' '.repeat(100), 50), closed(got)]);

    expect(Date.now() - started).toBeLessThan(7_000);
    expect(got.text).not.toContain('200 OK');
  },
);

test('a client that does not read its download is cut off; a slow reader gets all of it', async () => {
  const folder = await store();
  const { put, confirm, read } = await announced();
  await put();
  await confirm();
  const { download_url, storage_key } = await read();
  await appendFile(path.join(folder, storage_key), Buffer.alloc(24 * 1024 * 1024, 'x'));
  const head = `GET ${new URL(download_url).pathname} HTTP/1.1\r\nHost: ${tenant.host}\r\n\r\n`;

  const lazy = await connected(head);
  lazy.socket.pause();
  const opened = () => stage.connections(port);
  await vi.waitFor(async () => expect(await opened()).toBeGreaterThan(0));
  await vi.waitFor(async () => expect(await opened()).toBe(0), { timeout: 5_000 });
  const eager = await connected(head.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  await closed(eager.got);

  expect(eager.got.text.length).toBeGreaterThan(24 * 1024 * 1024);
});

/** Ways to break a store that also work when root runs the tests. */
const BROKEN = {
  'its folder is away': async (folder: string) => {
    await rename(folder, `${folder}-away`);
    return () => rename(`${folder}-away`, folder);
  },
  'its folder is a file': async (folder: string) => {
    await rename(folder, `${folder}-away`);
    await writeFile(folder, '');
    return async () => {
      await rm(folder);
      await rename(`${folder}-away`, folder);
    };
  },
};

test.each(Object.entries(BROKEN))('while %s, documents are unavailable', async (_how, break_) => {
  const folder = await store();
  await mkdir(folder, { recursive: true });
  const [fresh, there] = [await announced(), await announced()];
  await there.put();
  await there.confirm();
  const { download_url } = await there.read();
  await fresh.put();

  const mend = await break_(folder);
  const replies = [
    await fresh.put(),
    await fresh.confirm(),
    await tenant.anonymous().get(`/${new URL(download_url).pathname}`),
  ];
  const pending = (await fresh.read()).status;
  await mend();

  for (const { status, headers, body } of replies) {
    expect([status, headers['retry-after'], body.code]).toEqual([503, '5', 'unavailable']);
  }
  expect(pending).toBe('pending');
  expect((await fresh.confirm()).status).toBe(200);
});

test.each(['ENOSPC', 'EIO', 'EROFS', 'EACCES'])(
  'a disk that reports %s in the middle of a file causes a 503 and leaves no partial file',
  async (code) => {
    const folder = await store();
    const { put, confirm } = await announced();
    const any = await open(path.join(tmpdir()), 'r');
    const handles = Object.getPrototypeOf(any) as typeof any;
    await any.close();
    const writing = vi.spyOn(handles, 'writeFile');
    writing.mockRejectedValueOnce(Object.assign(new Error(code), { code, syscall: 'write' }));

    const full = await put();
    writing.mockRestore();

    expect(full).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(full.headers['retry-after']).toBe('5');
    expect(await filesIn(folder)).toEqual([]);
    expect((await put()).status).toBe(200);
    expect((await confirm()).status).toBe(200);
  },
);

afterAll(() => vi.restoreAllMocks());
