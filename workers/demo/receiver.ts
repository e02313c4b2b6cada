import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { verifySignature } from '../../jobs/webhooks/signature.ts';
import { makeCertificate } from '../outside/certificate.ts';

export type Receiver = {
  url: string;
  /** The receiver's certificate. A client must trust it to deliver. */
  certificate: string;
  /** The number of verified deliveries. Repeats are counted once. */
  received(): number;
  /** The number of deliveries with a wrong signature. */
  forged(): number;
  close(): void;
};

const DAY_MS = 86_400_000;

/**
 * Starts an HTTPS server that verifies the signature over the raw bytes, as a subscriber's system would.
 */
export async function startReceiver(secret: string): Promise<Receiver> {
  const now = Date.now();
  const { cert, key } = await makeCertificate(
    ['localhost', '127.0.0.1'],
    new Date(now - DAY_MS),
    new Date(now + 30 * DAY_MS),
  );
  const seen = new Set<string>();
  let forged = 0;
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const isGenuine = verifySignature(
        secret,
        bytes,
        String(request.headers['x-webhook-signature'] ?? ''),
      );
      if (isGenuine) seen.add((JSON.parse(bytes.toString()) as { event_id: string }).event_id);
      else forged += 1;
      response.writeHead(isGenuine ? 204 : 401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/events`,
    certificate: cert,
    received: () => seen.size,
    forged: () => forged,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
