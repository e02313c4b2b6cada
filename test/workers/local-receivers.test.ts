import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkWebhookUrl } from '../../jobs/networks/host-url.ts';
import { parseNetworks, PrivateNetworks } from '../../jobs/networks/networks.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp } from '../../workers/outside/http.ts';
import { localReceiverVariables } from '../../workers/processes/local-receivers.ts';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'receivers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('with npm start, a receiver on this machine that uses the generated certificate gets deliveries', async () => {
  const folder = newFolder();
  const made = await localReceiverVariables(folder, {});
  const networks = parseNetworks(PrivateNetworks.parse(made.PRIVATE_NETWORKS));
  const certificate = path.join(folder, 'receiver', 'cert.pem');
  const key = path.join(folder, 'receiver', 'key.pem');
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    (_request, response) => response.writeHead(204).end(),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The process itself was started without NODE_EXTRA_CA_CERTS.
  const http = openHttp({ networks, ca: readFileSync(made.NODE_EXTRA_CA_CERTS, 'utf8') });
  onTestFinished(async () => {
    server.close();
    await http.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}/events`;

  const answer = await http.post({ url, body: Buffer.from('{}'), headers: {} });

  expect(made.NODE_EXTRA_CA_CERTS).toBe(certificate);
  expect(checkWebhookUrl(url, networks)).toEqual({ href: url });
  expect(answer).toMatchObject({ ok: true, status: 204 });
  expect(statSync(key).mode & 0o777).toBe(0o600);
});

test('the certificate stays until it is about to expire, and given authorities and networks are kept', async () => {
  const folder = newFolder();
  const certificate = path.join(folder, 'receiver', 'cert.pem');
  const serialNumber = () => new X509Certificate(readFileSync(certificate)).serialNumber;
  await localReceiverVariables(folder, {});
  const first = serialNumber();
  const own = path.join(folder, 'own.pem');
  writeFileSync(own, 'the authority of a proxy');
  const given = { NODE_EXTRA_CA_CERTS: own, PRIVATE_NETWORKS: '10.0.0.0/8' };

  const kept = await localReceiverVariables(folder, given);
  const second = serialNumber();
  const authorities = readFileSync(kept.NODE_EXTRA_CA_CERTS, 'utf8');
  const both = `the authority of a proxy\n${readFileSync(certificate, 'utf8').trimEnd()}\n`;
  const soon = new Date(Date.now() + 20 * 86_400_000);
  const old = await makeCertificate(['localhost'], new Date(0), soon);
  writeFileSync(certificate, old.cert);
  await localReceiverVariables(folder, {});

  expect(kept.PRIVATE_NETWORKS).toBe('10.0.0.0/8');
  expect(authorities).toBe(both);
  expect(second).toBe(first);
  expect(Date.parse(new X509Certificate(readFileSync(certificate)).validTo)).toBeGreaterThan(
    Date.now() + 300 * 86_400_000,
  );
});

test.each(['https://localhost:4443/events', 'https://127.0.0.1:4443/events'])(
  'outside production, the refusal of %s names the variable that allows it',
  (url) => {
    expect(checkWebhookUrl(url, parseNetworks([]))).toEqual({
      problem: expect.stringContaining('In development, set PRIVATE_NETWORKS'),
    });
    expect(checkWebhookUrl(url, parseNetworks([], { isProduction: true }))).toEqual({
      problem: expect.not.stringContaining('PRIVATE_NETWORKS'),
    });
  },
);
