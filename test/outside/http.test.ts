import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp, type HttpClient, type HttpOptions } from '../../workers/outside/http.ts';

const DAY_MS = 86_400_000;
const now = Date.now();
const { cert, key } = await makeCertificate(
  ['localhost', '127.0.0.1', 'receiver.example'],
  new Date(now - DAY_MS),
  new Date(now + DAY_MS),
);
const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

async function receiver(listener: RequestListener, tls = { cert, key }): Promise<string> {
  const server = createServer(tls, listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The receiver does not listen.');
  return `https://localhost:${address.port}/hook`;
}

function client(options: Omit<HttpOptions, 'networks'> = { ca: cert }): HttpClient {
  const http = openHttp({ ...options, networks: parseNetworks([]) });
  open.push(http);
  return http;
}

const answersWell: RequestListener = (_, response) => response.end();
const body = Buffer.from('{"a":1}');
const headers = { 'content-type': 'application/json' };
const post = (url: string, more = {}) =>
  client().post({ url, body, headers, allow_private_hosts: true, ...more });

test('a receiver gets the body and the headers, and its answer is returned', async () => {
  const seen: unknown[] = [];
  const url = await receiver((request, response) => {
    seen.push(request.method, request.url, request.headers['content-type']);
    request.on('data', (bytes) => seen.push(String(bytes)));
    request.on('end', () => response.writeHead(202).end('thanks'));
  });

  const answer = await post(url);

  expect(answer).toEqual({ ok: true, status: 202, body: 'thanks', ms: expect.any(Number) });
  expect(seen).toEqual(['POST', '/hook', 'application/json', '{"a":1}']);
});

test('a redirect is an answer and is not followed', async () => {
  let requests = 0;
  const url = await receiver((_, response) => {
    requests += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });

  const answer = await post(url);

  expect(answer).toMatchObject({ ok: false, status: 307, error: 'The receiver answered 307.' });
  expect(requests).toBe(1);
});

test('an endless answer is read only up to the limit', async () => {
  const url = await receiver((_, response) => {
    response.writeHead(500);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });

  const answer = await post(url);

  expect(answer).toMatchObject({ ok: false, status: 500 });
  expect(answer.body).toHaveLength(20_000);
});

test('a compressed answer is not decompressed, and bytes that are not text are replaced', async () => {
  const url = await receiver((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(1_000_000)));
  });

  const answer = await post(url);

  expect(answer.ok).toBe(true);
  expect(answer.body?.length).toBeLessThan(2_000);
  expect(answer.body).not.toContain('\u0000');
});

test.each([
  ['says nothing', (() => undefined) satisfies RequestListener],
  [
    'trickles',
    ((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(timer));
    }) satisfies RequestListener,
  ],
])('a receiver that %s fails at the time-out', async (_, listener) => {
  const url = await receiver(listener);

  const answer = await post(url, { timeout_ms: 400 });

  expect(answer).toMatchObject({ ok: false, error: expect.stringContaining('No answer within') });
  expect(answer.ms).toBeGreaterThanOrEqual(390);
  expect(answer.ms).toBeLessThan(1_500);
});

test('each kind of connection failure has its own message', async () => {
  const hangsUp = await receiver((request) => request.socket.destroy());

  const answers = await Promise.all([
    post(hangsUp),
    post('https://localhost:1025/'),
    post('https://nowhere.invalid/'),
  ]);

  expect(answers.map(({ error }) => error)).toEqual([
    'The host closed the connection.',
    'The host refused the connection.',
    expect.stringMatching(/^The name of the host/),
  ]);
});

test('certificates must be trusted, current and issued for the name', async () => {
  const old = await makeCertificate(
    ['localhost'],
    new Date(now - 9 * DAY_MS),
    new Date(now - DAY_MS),
  );
  const other = await makeCertificate(['other'], new Date(now - DAY_MS), new Date(now + DAY_MS));
  const urls = [
    await receiver(answersWell),
    await receiver(answersWell, old),
    await receiver(answersWell, other),
  ];

  const request = { body, headers, allow_private_hosts: true };
  const answers = await Promise.all([
    client({}).post({ ...request, url: urls[0] ?? '' }),
    client({ ca: old.cert }).post({ ...request, url: urls[1] ?? '' }),
    client({ ca: other.cert }).post({ ...request, url: urls[2] ?? '' }),
  ]);

  expect(answers.map(({ error }) => error)).toEqual([
    'The certificate of the host is not trusted.',
    'The certificate of the host has expired.',
    'The certificate belongs to another name.',
  ]);
});

test('a certificate covers its names, its addresses and its validity period', async () => {
  const names = ['receiver.example', '127.0.0.1', '::1'];
  const [from, until] = [new Date('2026-01-02T03:04:05Z'), new Date('2056-01-02T03:04:05Z')];

  const made = await makeCertificate(names, from, until);
  const other = await makeCertificate(names, from, until);
  const certificate = new X509Certificate(made.cert);

  expect(certificate.checkHost('receiver.example')).toBe('receiver.example');
  expect(certificate.checkHost('localhost')).toBeUndefined();
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkIP('::1')).toBe('::1');
  expect([certificate.validFromDate, certificate.validToDate]).toEqual([from, until]);
  expect(certificate.ca && certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect(certificate.checkPrivateKey(createPrivateKey(made.key))).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(other.key))).toBe(false);
});

test('a public name that resolves to a private address is never connected to', async () => {
  let requests = 0;
  const url = await receiver((_, response) => {
    requests += 1;
    response.end();
  });
  const port = new URL(url).port;
  const http = client({
    ca: cert,
    resolve: async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
  });

  const answer = await http.post({ url: `https://receiver.example:${port}/`, body, headers });

  expect(answer).toMatchObject({ ok: false, error: 'The host is not in the public network.' });
  expect(requests).toBe(0);
});

test('an IP address in the URL is refused without a look-up', async () => {
  const answers = await Promise.all(
    ['https://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/'].map((url) =>
      client().post({ url, body, headers }),
    ),
  );

  expect(answers.every(({ ok, status }) => !ok && status === undefined)).toBe(true);
});

test('connections are reused', async () => {
  const ports = new Set<number | undefined>();
  const url = await receiver((request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  const http = client();

  const request = { url, body, headers, allow_private_hosts: true };
  for (let time = 0; time < 9; time += 1) await http.post(request);

  expect(ports.size).toBeLessThanOrEqual(2);
});

test('a receiver’s Retry-After is read, in seconds or as a date', async () => {
  const url = await receiver((request, response) => {
    const later = new Date(Date.now() + 100_000).toUTCString();
    response.writeHead(503, { 'retry-after': request.url === '/hook' ? '120' : later }).end();
  });

  const answers = [await post(url), await post(`${url}/date`)];

  expect(answers[0]?.retry_after_seconds).toBe(120);
  expect(answers[1]?.retry_after_seconds).toBeGreaterThan(90);
});
