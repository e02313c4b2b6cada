import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readConfiguration } from '../../api/http/configuration.ts';
import { checkWebhookUrl, mayReach } from '../../jobs/networks/host-url.ts';
import { parseNetworks, PrivateNetworks, type Networks } from '../../jobs/networks/networks.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp } from '../../workers/outside/http.ts';
import { readWorkerConfiguration } from '../../workers/processes/configuration.ts';

const inProduction = (...named: string[]) => parseNetworks(named, { isProduction: true });
const development = parseNetworks([]);
const opened = { allow_private_hosts: true };
const METADATA = ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'];

/** A receiver on this machine that counts its requests, and clients that trust its certificate. */
async function neighbour() {
  const now = Date.now();
  const names = ['localhost', '127.0.0.1', 'hooks.example'];
  const { cert, key } = await makeCertificate(names, new Date(now - 1e7), new Date(now + 1e7));
  const seen: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(204).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  /** Posts like a worker that was started with these networks. */
  const from = (networks: Networks) => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const http = openHttp({ networks, ca: cert, resolve });
    onTestFinished(() => http.close());
    return (host: string, more = {}) =>
      http.post({ url: `https://${host}:${port}/`, body: Buffer.from('{}'), headers: {}, ...more });
  };
  return { from, seen };
}

test.each([
  'https://localhost:8443/',
  'https://127.0.0.1:8443/',
  'https://10.0.0.1/',
  'https://hooks.internal/',
  'https://[::1]/',
  'https://169.254.169.254/',
])('in production a tenant cannot open %s', (url) => {
  expect(checkWebhookUrl(url, inProduction(), opened)).toHaveProperty('problem');
});

test.each([
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://2852039166/',
  'https://[fe80::1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[fd00:ec2::254]/',
  'https://168.63.129.16/',
  'https://metadata.google.internal/',
  'https://metadata/',
  'https://0.0.0.0/',
])('also outside production, a tenant cannot open %s', (url) => {
  expect(checkWebhookUrl(url, development, opened)).toHaveProperty('problem');
});

test('outside production, a tenant may open only this machine and its private networks', () => {
  const local = ['127.0.0.1', '::1', '10.1.2.3', '192.168.1.1', 'fd12::1'];
  const other = [...METADATA, '169.254.0.1', 'fe80::1', '0.0.0.0', '224.0.0.1', '::ffff:127.0.0.1'];

  expect(local.filter((address) => mayReach(address, development, opened))).toEqual(local);
  expect(local.filter((address) => mayReach(address, development))).toEqual([]);
  expect(other.filter((address) => mayReach(address, development, opened))).toEqual([]);
});

test('in production, the installation opens only the networks that it lists', () => {
  const networks = inProduction('10.20.0.0/16', 'fd12:3456::/32');

  const reached = ['10.20.3.4', '10.21.3.4', 'fd12:3456::1', '127.0.0.1', ...METADATA].filter(
    (address) => mayReach(address, networks),
  );
  const kept = ['https://10.20.3.4/', 'https://hooks.internal/', 'https://[fd12:3456::1]/'];
  const refused = ['https://10.21.3.4/', 'https://localhost/', 'https://metadata.google.internal/'];

  expect(reached).toEqual(['10.20.3.4', 'fd12:3456::1']);
  expect(kept.filter((url) => 'href' in checkWebhookUrl(url, networks))).toEqual(kept);
  expect(refused.filter((url) => 'href' in checkWebhookUrl(url, networks, opened))).toEqual([]);
});

test('the metadata address is reachable only if its own network is listed', () => {
  const networks = inProduction('169.254.169.254/32');

  expect(mayReach('169.254.169.254', networks)).toBe(true);
  expect(mayReach('169.254.169.253', networks)).toBe(false);
  expect(checkWebhookUrl('https://169.254.169.254/', networks)).toHaveProperty('href');
});

test('a stored address is checked again when the worker connects', async () => {
  const { from, seen } = await neighbour();

  const inDevelopment = await from(development)('localhost', opened);
  const post = from(inProduction());
  const byName = await post('localhost', opened);
  const byAddress = await post('127.0.0.1', opened);
  const byPublicName = await post('hooks.example', opened);
  const reach = from(inProduction('127.0.0.0/8', '::1/128'));
  const named = [await reach('localhost'), await reach('127.0.0.1'), await reach('hooks.example')];

  expect(inDevelopment.ok).toBe(true);
  expect([byName.ok, byAddress.ok, byPublicName.ok]).toEqual([false, false, false]);
  expect(byPublicName.error).toBe('The host is not in the public network.');
  expect(named.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(seen).toHaveLength(4);
});

test('the API and the workers read the same list of networks, and report errors in it', () => {
  const DATABASE_URL = 'postgresql://servicing@db.internal/servicing';
  const readers = [readConfiguration, readWorkerConfiguration];
  const PRIVATE_NETWORKS = ' 10.20.0.0/16, fd12::/16 ';

  for (const read of readers) {
    expect(read({ DATABASE_URL }).PRIVATE_NETWORKS).toEqual([]);
    expect(read({ DATABASE_URL, PRIVATE_NETWORKS }).PRIVATE_NETWORKS).toEqual([
      '10.20.0.0/16',
      'fd12::/16',
    ]);
    for (const wrong of ['10.20.0.1', 'intranet', '10.0.0.0/33', '0.0.0.0/0', '::/0'])
      expect(() => read({ DATABASE_URL, PRIVATE_NETWORKS: wrong })).toThrow(/PRIVATE_NETWORKS/);
  }
  expect(PrivateNetworks.parse(undefined)).toEqual([]);
});

test('a file is downloaded completely through the same checks, and one that is too large is refused', async () => {
  const names = ['cdn.example'];
  const { cert, key } = await makeCertificate(names, new Date(0), new Date('2100-01-01'));
  const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x80]);
  const server = createServer({ cert, key }, (_request, response) => response.end(bytes));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const from = (...named: string[]) => {
    const http = openHttp({ networks: inProduction(...named), ca: cert, resolve });
    onTestFinished(() => http.close());
    return http;
  };
  const url = `https://cdn.example:${port}/logo.png`;

  expect(await from('127.0.0.0/8').download(url, 4)).toEqual({ status: 200, bytes });
  expect(await from('127.0.0.0/8').download(url, 3)).toEqual({
    error: expect.stringContaining('larger than'),
  });
  expect(await from().download(url, 4)).toEqual({ error: expect.stringContaining('public') });
});
