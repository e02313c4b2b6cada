import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { makeCertificate } from '../../workers/outside/certificate.ts';

const DAY_MS = 86_400_000;

/** A receiver of webhooks on this machine, over HTTPS, which keeps what it gets. */
export async function newReceiver() {
  const now = Date.now();
  const { cert, key } = makeCertificate(
    ['localhost'],
    new Date(now - DAY_MS),
    new Date(now + DAY_MS),
  );
  const seen: { body: Buffer; headers: Record<string, unknown> }[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      seen.push({ body: Buffer.concat(chunks), headers: request.headers });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}/hook`, cert, seen };
}
