import { Agent, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { Route } from '../../api/endpoints/route.ts';
import { createApp, createHttpServer } from '../../api/http/app.ts';
import { routes } from '../../api/routes.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { createUser } from '../../jobs/users/create-user.ts';

import { newClient } from '../setup/client.ts';
import { HOST, type BenchWorld } from './world.ts';

export type Target = { port: number; headers: Record<string, string> };

/** The complete API on its own port, or that of the given routes, and the headers of a signed-in user. */
export async function startApi(
  { pool, within, tenant_id }: BenchWorld,
  declared: readonly Route[] = routes,
) {
  const app = createApp({
    pool,
    configuration: { NODE_ENV: 'test', TRUSTED_PROXIES: [] },
    log: pino({ level: 'silent' }),
    routes: declared,
    health: { isReady: true },
    installation: DEFAULT_INSTALLATION,
  });
  const server = createHttpServer(app);
  const port = await listen(server);
  const as = async (
    tenant_role: Parameters<typeof createUser>[1]['tenant_role'],
  ): Promise<Target> => {
    const user = { email: `${tenant_role}@bench.test`, first_name: 'A', last_name: 'B' };
    const password = 'correct horse battery';
    await within(tenant_id, (work) => createUser(work, { ...user, tenant_role, password }));
    const client = newClient(port, HOST);
    await client.login(user.email, password);
    const headers = {
      Host: HOST,
      Cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'X-CSRFToken': client.cookies.get('csrftoken') ?? '',
      'Content-Type': 'application/json',
    };
    return { port, headers };
  };
  return { as, close: () => stopServer(server) };
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export function stopServer(server: Server) {
  server.closeAllConnections();
  server.close();
}

export type BenchRequest = { method?: string; path: string; body?: unknown; status: number };

/** Sends one request and returns the milliseconds. Throws on any other status than the expected one. */
export async function sendOnce(
  target: Target,
  asked: BenchRequest,
  agent?: Agent,
): Promise<number> {
  const started = performance.now();
  await answerOf(target, asked, agent);
  return performance.now() - started;
}

/** Sends one request and returns the answer's text. Throws on any other status than the expected one. */
export function answerOf(
  { port, headers }: Target,
  { method = 'GET', path, body, status }: BenchRequest,
  agent?: Agent,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, method, path, headers, ...(agent && { agent }) },
      (incoming) => {
        let answer = '';
        incoming.on('data', (part: Buffer) => (answer += part.toString('latin1')));
        incoming.on('end', () =>
          incoming.statusCode === status
            ? resolve(answer)
            : reject(
                new Error(`${method} ${path}: ${incoming.statusCode} ${answer.slice(0, 300)}`),
              ),
        );
      },
    );
    outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Clients that send requests without a pause, for some seconds. Returns the answers per second. */
export async function measureRate(
  target: Target,
  next: (at: number) => BenchRequest,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<number> {
  const started = performance.now();
  const until = started + seconds * 1_000;
  const times = await measureTimes(target, next, {
    clients,
    isOver: () => performance.now() >= until,
  });
  return (times.length * 1_000) / (performance.now() - started);
}

/** Clients that send requests without a pause until it is over. Returns each answer's milliseconds. */
export async function measureTimes(
  target: Target,
  next: (at: number) => BenchRequest,
  { clients, isOver }: { clients: number; isOver: () => boolean },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  let asked = 0;
  const client = async () => {
    while (!isOver()) {
      asked += 1;
      times.push(await sendOnce(target, next(asked), agent));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return times;
}
