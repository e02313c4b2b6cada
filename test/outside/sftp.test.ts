import { expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import type { Upload } from '../../jobs/external-systems.ts';
import { openSftp, type SftpOptions } from '../../workers/outside/sftp.ts';
import { newSftpServer, type SftpFaults } from '../setup/sftp-server.ts';

const BYTES = Buffer.alloc(300_000, 'loan,');
const OF_THIS_MACHINE = parseNetworks(['127.0.0.0/8', '::1/128']);

/** A server, and a function that uploads the same file to it. */
async function partner(manners: SftpFaults = {}, options: Partial<SftpOptions> = {}) {
  const server = await newSftpServer(manners);
  const upload = openSftp({ networks: OF_THIS_MACHINE, patience_ms: 2_000, ...options });
  const put = (more: Partial<Upload> = {}) =>
    upload({
      ...server.address,
      ...(more.private_key === undefined && { password: server.password }),
      folder: '/in',
      filename: 'tape.csv',
      partial_name: '.tape.csv.part',
      size: BYTES.length,
      content: async () => cut(BYTES),
      ...more,
    });
  return { ...server, put };
}

/** The bytes in chunks of arbitrary size. */
async function* cut(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001);
}

test('a file gets its final name only when complete, with password or key sign-in', async () => {
  const { put, files, heard, private_key } = await partner();

  const byPassword = await put();
  const byKey = await put({ private_key, folder: '', filename: 'other.csv' });

  expect([byPassword, byKey]).toMatchObject([{ ok: true }, { ok: true }]);
  expect([...files.keys()]).toEqual(['/in/tape.csv', 'other.csv']);
  expect(files.get('/in/tape.csv')?.equals(BYTES)).toBe(true);
  expect(heard.filter((word) => !word.includes(' of '))).toEqual([
    'open /in/.tape.csv.part',
    'rename /in/tape.csv',
    'open .tape.csv.part',
    'rename other.csv',
  ]);
});

test('an interrupted upload is repeated in full, and only one file remains', async () => {
  const { put, files, manners } = await partner({ hangs_up_after: 100_000 });

  const first = await put();
  const left = [...files.keys()];
  manners.hangs_up_after = Infinity;
  const again = await put();
  const oncemore = await put({ content: async () => cut(Buffer.alloc(BYTES.length, 'x')) });

  expect(first).toMatchObject({
    ok: false,
    temporary: true,
    error_message: expect.stringMatching(/hung up/),
  });
  expect(left).toEqual(['/in/.tape.csv.part']);
  expect([again.ok, oncemore.ok]).toEqual([true, true]);
  expect([...files.keys()]).toEqual(['/in/tape.csv']);
  expect(files.get('/in/tape.csv')?.subarray(0, 2).toString()).toBe('xx');
});

test('the old file stays until the new one has its name, and is restored if renaming fails', async () => {
  const { put, files, manners } = await partner();
  const newer = { content: async () => cut(Buffer.alloc(BYTES.length, 'x')) };
  const firstOf = () => files.get('/in/tape.csv')?.subarray(0, 2).toString();
  await put();

  manners.refuses_name = { name: '/in/tape.csv', times: 2 };
  const refused = await put(newer);
  const kept = [firstOf(), files.size];
  const again = await put(newer);

  expect([refused.ok, again.ok]).toEqual([false, true]);
  expect(kept).toEqual(['lo', 2]);
  expect([firstOf(), [...files.keys()]]).toEqual(['xx', ['/in/tape.csv']]);
});

test('a server with another key is refused before the login, and its key is shown', async () => {
  const [{ put, heard, files }, other] = [await partner(), await partner()];

  const answer = await put({ host_keys: other.address.host_keys });

  expect(answer).toMatchObject({ ok: false, temporary: false });
  expect(answer).toHaveProperty('error_message', expect.stringMatching(/SHA256:.*host_keys/));
  expect([heard, [...files.keys()]]).toEqual([[], []]);
});

test('a refused login says what to check', async () => {
  const { put } = await partner();

  const wrong = await put({ password: 'wrong' });
  const unreadable = await put({ private_key: '-----BEGIN OPENSSH PRIVATE KEY-----\nx' });

  expect(wrong).toMatchObject({
    ok: false,
    temporary: false,
    error_message: expect.stringMatching(/lender.*password/),
  });
  expect(unreadable).toMatchObject({
    ok: false,
    temporary: false,
    error_message: expect.stringMatching(/private_key/),
  });
});

test.each<[string, SftpFaults, RegExp, boolean]>([
  ['is silent', { is_silent: true }, /silent for 0.4 seconds/, true],
  ['loses bytes', { loses_bytes: true }, /0 bytes of the file's 300000/, true],
  ['has no such folder', { no_folder: true }, /no \/in: make it/, false],
  ['takes no files', { is_locked: true }, /lets lender not write/, false],
])('a server that %s leaves no file, and is named', async (_, manners, sentence, temporary) => {
  const { put, files } = await partner(manners, { patience_ms: 400 });

  const answer = await put();

  expect(answer).toMatchObject({
    ok: false,
    temporary,
    error_message: expect.stringMatching(sentence),
  });
  expect(files.has('/in/tape.csv')).toBe(false);
});

test('an upload has a total time limit, even if the server keeps answering', async () => {
  const { put } = await partner({}, { timeout_ms: 300 });
  async function* dripping() {
    for (let at = 0; at < 100; at += 1) {
      yield BYTES.subarray(0, 10);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  const answer = await put({ content: async () => dripping() });

  expect(answer).toMatchObject({
    ok: false,
    temporary: true,
    error_message: expect.stringMatching(/within 0.3 seconds/),
  });
});

test('a server in a private network is reached only if the installation allows that network', async () => {
  const networks = parseNetworks([], { isProduction: true });
  const rebinding = { networks, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
  const { put, heard } = await partner({}, rebinding);
  const nobody = await partner();

  const named = await put();
  const pointed = await put({ host: 'sftp.fund.example', allow_private_hosts: true });
  const literal = await put({ host: '127.0.0.1' });
  const refused = await nobody.put({ port: 1 });

  for (const answer of [named, pointed, literal])
    expect(answer).toMatchObject({
      ok: false,
      temporary: false,
      error_message: expect.stringMatching(/host/),
    });
  expect(refused).toMatchObject({
    temporary: true,
    error_message: expect.stringMatching(/refused the connection/),
  });
  expect(heard).toEqual([]);
});
