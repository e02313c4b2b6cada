import { Agent, request } from 'node:http';
import type { Ground } from './ground.ts';
import type { Shot } from './shots.ts';

export type Outcome = {
  status: number;
  ms: number;
  request_id: string;
  text: string;
  /** Why no answer arrived. */
  error?: string;
};

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const TIMEOUT_MS = 20_000;

/** Sends the request as the attacker's browser would, without keeping cookies. */
export function sendShot(shot: Shot, ground: Ground, port: number): Promise<Outcome> {
  const started = performance.now();
  const done = (rest: Partial<Outcome>) => ({
    status: 0,
    request_id: '',
    text: '',
    ms: performance.now() - started,
    ...rest,
  });
  return new Promise<Outcome>((resolve) => {
    const fail = (error: unknown) => resolve(done({ error: String(error) }));
    try {
      const outgoing = request(optionsOf(shot, ground, port), (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', fail);
        incoming.on('end', () =>
          resolve(
            done({
              status: incoming.statusCode ?? 0,
              request_id: String(incoming.headers['x-request-id'] ?? ''),
              text: Buffer.concat(chunks).toString(),
            }),
          ),
        );
      });
      outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error('no answer')));
      outgoing.on('error', fail);
      outgoing.end(shot.body);
    } catch (error) {
      // Node's own client refuses to send this header or address.
      resolve(done({ status: -1, error: String(error) }));
    }
  });
}

function optionsOf({ method, path, headers, host, body, who }: Shot, ground: Ground, port: number) {
  const { cookies } = ground.clients[who];
  return {
    agent,
    host: '127.0.0.1',
    port,
    method,
    path: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`,
    headers: {
      Host: host ?? ground.host,
      Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'X-CSRFToken': cookies.get('csrftoken') ?? '',
      ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    },
  };
}
