import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp } from '../../workers/outside/http.ts';

/**
 * An HTTPS receiver with its own certificate and a client that trusts it. `seen` keeps the received bytes. It ends with
 * the test, or with the file if `whenOver` is `afterAll`.
 */
export async function newReceiver(whenOver: (end: () => Promise<void>) => void = onTestFinished) {
  const now = Date.now();
  const { cert, key } = await makeCertificate(
    ['localhost'],
    new Date(now - 1e7),
    new Date(now + 1e7),
  );
  const seen: { body: Buffer; headers: Record<string, unknown> }[] = [];
  const server = createServer({ cert, key }, async (request, response) => {
    const chunks: Buffer[] = await request.toArray();
    seen.push({ body: Buffer.concat(chunks), headers: request.headers });
    response.writeHead(204).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const http = openHttp({ ca: cert, networks: parseNetworks([]) });
  whenOver(async () => {
    server.close();
    await http.close();
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/hook`, http, seen };
}
