import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { BODY_VALUES_MAX, OPEN_BODY_BYTES_MAX } from '../../api/http/bodies.ts';
import { FILE_BYTES_MAX } from '../../jobs/files/files.ts';
import { measureJson } from '../../api/http/json-size.ts';
import { jsonObject } from '../../sql/types.ts';
import { clientHeaders, requestHead } from '../setup/slow-clients.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const { officer, anonymous, host, signedIn } = await stage.tenant();

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const borrower = (metadata: string) => `{"first_name":"A","last_name":"B","metadata":${metadata}}`;
const deep = Array.from({ length: 14_750 }, () => nested(29)).join(',');

test.each([
  ['many nested arrays', borrower(`{"a":[${deep}]}`), 413, 'payload_too_large'],
  ['many numbers', borrower(`{"a":[${'1,'.repeat(400_000)}1]}`), 413, 'payload_too_large'],
  ['one array in the other', borrower(nested(440_000)), 422, 'validation_error'],
])('a body of %s is refused without being parsed', async (_what, raw, status, code) => {
  const parse = vi.spyOn(JSON, 'parse');

  const reply = await officer.post('/borrowers', undefined, { raw });

  const texts = parse.mock.calls.map(([text]) => text);
  parse.mockRestore();
  expect(reply).toMatchObject({ status, body: { code } });
  expect(texts.filter((text) => text.length > 100_000)).toEqual([]);
});

test('a body with the maximum number of values is accepted, and one more is refused with a reason', async () => {
  const target = '/borrowers';
  // Every list and object counts as a value too: the body, its metadata, the list.
  const values = (count: number) => borrower(`{"a":[${'1,'.repeat(count - 1)}1]}`);

  const most = await officer.post(target, undefined, { raw: values(BODY_VALUES_MAX - 6) });
  const more = await officer.post(target, undefined, { raw: values(BODY_VALUES_MAX + 1) });

  expect(most).toMatchObject({ status: 422, body: { errors: { metadata: /16 kB/ } } });
  expect(more.status).toBe(413);
  expect(more.body.message).toContain('Split it into several requests.');
});

test('a public endpoint accepts only smaller bodies', async () => {
  const visitor = anonymous();
  const password = 'x'.repeat(OPEN_BODY_BYTES_MAX);

  const reply = await visitor.login('admin@example.test', password);

  expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  expect(reply.body.message).toContain('64 kB');
});

test('the size of a body is counted in one pass that stops at the limit', () => {
  const read = vi.fn<(at: number) => number | undefined>(
    (at) => Buffer.from(`[${'[],'.repeat(1_000)}1]`)[at],
  );
  const bytes = new Proxy(new Uint8Array(3_004), {
    get: (_target, name) => (name === 'length' ? 3_004 : read(Number(name))),
  });

  const size = measureJson(bytes, { values: 10, depth: 32 });

  expect(size.values).toBe(11);
  expect(read.mock.calls.length).toBeLessThan(30);
});

test.each([
  ['{}', { values: 2, depth: 1 }],
  [String.raw`{"a,[":"\"],[","b":[1,2]}`, { values: 5, depth: 2 }],
  [']]]][[', { values: 3, depth: 0 }],
  ['"never closed [[[[', { values: 1, depth: 0 }],
])('in %s, values and depth are counted', (text, size) => {
  expect(measureJson(Buffer.from(text), { values: 99, depth: 99 })).toEqual(size);
});

test('a JSON field that is too long is refused before it is parsed', () => {
  const seen: string[] = [];
  const watched = (name: string) => ({
    get inner() {
      seen.push(name);
      return 'x'.repeat(9_000);
    },
  });
  const given = { a: watched('a'), b: watched('b'), c: watched('c') };

  const { success, error } = jsonObject.safeParse(given);

  expect(success).toBe(false);
  expect(error?.issues.map(({ message }) => message)).toEqual(['Must be at most 16 kB of JSON.']);
  expect(seen).not.toContain('c');
});

test.each([
  ['exactly 16 kB', 'x'.repeat(16_384 - 8), true],
  ['one letter more', 'x'.repeat(16_384 - 7), false],
  ['escapes that make it longer', '"'.repeat(9_000), false],
])('a JSON field of %s is measured as it is written', (_what, a, isTaken) => {
  expect(jsonObject.safeParse({ a }).success).toBe(isTaken);
});

test('a client that reads only after it has sent a file that is too large gets the refusal', async () => {
  const admin = await signedIn('admin');
  const file = Buffer.alloc(FILE_BYTES_MAX + 8 * 1_048_576);
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const headers = { ...clientHeaders(admin.cookies), ...type };
  const head = requestHead({ target: '/api/v1/imports', host, headers }, file.length);
  const socket = connect(stage.port, '127.0.0.1').pause();
  const broken = new Promise((_resolve, reject) => socket.once('error', reject));

  socket.write(head);
  await Promise.race([new Promise((sent) => socket.write(file, sent)), broken]);
  socket.resume();
  let got = '';
  socket.on('data', (piece: Buffer) => (got += piece.toString()));
  await Promise.race([once(socket, 'end'), broken]);

  expect(got).toMatch(/^HTTP\/1\.1 413 /);
  expect(got).toContain('The file exceeds the size limit.');
});
