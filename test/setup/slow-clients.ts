import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { LIMITS, type Limits } from '../../api/http/limits.ts';
import { openIntake } from '../../api/http/receive.ts';
import { BODY_BOUNDS, type BodyBounds } from '../../api/http/bodies-in-flight.ts';
import { routes } from '../../api/routes.ts';
import type { Stage, Tenant } from './world.ts';

export type SlowClient = { socket: Socket; got: string; isClosed: boolean };

/** A client that sends the start of a request, and what it has received so far. */
async function openSlowClient(port: number, text: string): Promise<SlowClient> {
  const socket = connect(port, '127.0.0.1');
  const client: SlowClient = { socket, got: '', isClosed: false };
  socket.on('data', (piece: Buffer) => (client.got += piece.toString()));
  socket.on('error', () => {});
  socket.on('close', () => (client.isClosed = true));
  await once(socket, 'connect');
  socket.write(text);
  return client;
}

type Request = { target: string; host: string; headers?: Record<string, string>; method?: string };

/** A request head that announces a longer body than will be sent. */
export const requestHead = (
  { target, host, headers = {}, method = 'POST' }: Request,
  length = 900,
) =>
  [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    `Content-Length: ${length}`,
    ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '\r\n',
  ].join('\r\n');

/** Retries the assertion with a generous time limit. */
export const waitForAssertion = (assertion: () => unknown) =>
  vi.waitFor(assertion, { timeout: 30_000, interval: 20 });

/** The status, headers and body that a client received. */
export function parseAnswer({ got }: SlowClient) {
  const [head = '', text = ''] = got.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  const retryAfter = /\r\nRetry-After: (\d+)/i.exec(head)?.[1];
  return { status, retryAfter, body: text === '' ? {} : JSON.parse(text) };
}

/** An API process with its own limits, its metrics, and clients that start a request there. */
export async function startSlowClients(
  stage: Stage,
  bounds: Partial<BodyBounds> = {},
  limits: Partial<Limits> = {},
) {
  const intake = openIntake({ ...LIMITS, ...limits }, { ...BODY_BOUNDS, ...bounds });
  const port = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] }, routes, intake);
  const begin = async (text: string) => {
    const client = await openSlowClient(port, text);
    onTestFinished(() => void client.socket.destroy());
    return client;
  };
  const { atWork } = intake.admission;
  return { port, begin, atWork, unfinished: intake.unfinished.count };
}

/** Headers of a client with these cookies behind a proxy that reports its address. */
export const clientHeaders = (cookies: ReadonlyMap<string, string>, ip = '203.0.113.7') => ({
  Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  'X-CSRFToken': cookies.get('csrftoken') ?? '',
  'X-Forwarded-For': ip,
});

/** The head of a sign-in request with its CSRF token. */
export async function signInRequestHead(
  { anonymous, host }: Pick<Tenant, 'anonymous' | 'host'>,
  ip?: string,
) {
  const visitor = anonymous();
  await visitor.get('/auth/csrf');
  return requestHead({
    target: '/api/v1/auth/login',
    host,
    headers: clientHeaders(visitor.cookies, ip),
  });
}
