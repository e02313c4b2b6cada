import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../jobs/users/sign-in/throttling.ts';
import { LIMITS } from './limits.ts';
import { refuseConnection } from './broken-requests.ts';
import { isTrustedPeer } from './tenant.ts';

/** Connection timeouts of node:http, in milliseconds. */
export const CONNECTION_TIMEOUTS = {
  /** From the start of the connection, or from the previous answer, to the end of the request's headers. */
  headersTimeout: 10_000,
  /**
   * To the end of the body. The app's own limits (limits.ts) are shorter and depend on the kind of body.
   */
  requestTimeout: LIMITS.transfer_ms + 60_000,
  /** How often node:http checks these timeouts. */
  connectionsCheckingInterval: 2_000,
  /**
   * Longer than the 60 seconds of common proxies, so that a proxy never sends on a connection being closed.
   */
  keepAliveTimeout: 75_000,
};
const REQUESTS_PER_CONNECTION = 1_000;
const CONNECTIONS_MAX = 10_000;
/** Above this number, idle connections are closed. */
const MANY_CONNECTIONS = 8_000;
/** A browser opens six connections, and an office has many browsers. Trusted proxies have no limit. */
const CONNECTIONS_PER_NETWORK = 1_024;

/** Limits the connections to the process, in total and per network. */
export function limitConnections(
  server: Server,
  trustedProxies: readonly string[],
  { per_network = CONNECTIONS_PER_NETWORK, many = MANY_CONNECTIONS, most = CONNECTIONS_MAX } = {},
): Server {
  const counts = new Map<string, number>();
  let open = 0;
  server.maxConnections = most;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  server.prependListener('connection', (socket) => {
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const network = networkOf(peer);
    const count = (counts.get(network) ?? 0) + 1;
    counts.set(network, count);
    open += 1;
    socket.once('close', () => {
      open -= 1;
      const left = (counts.get(network) ?? 1) - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
    if (open > many) server.closeIdleConnections();
    if (count > per_network && !isTrustedPeer(peer, trustedProxies)) refuseConnection(socket);
  });
  return server;
}

/**
 * Handles the requests of one connection one after the other. A client that pipelines many requests
 * occupies one place, and the server reads no further until the last request has started.
 */
export function serializePerConnection(handle: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const begin = () => {
      response.once('close', next);
      handle(request, response);
    };
    const next = () => {
      const line = waiting.get(socket) ?? [];
      const following = line.shift();
      if (following === undefined) waiting.delete(socket);
      if (line.length === 0 && socket.isPaused()) socket.resume();
      if (!socket.destroyed) following?.();
    };
    const line = waiting.get(socket);
    if (line === undefined) {
      waiting.set(socket, []);
      begin();
      return;
    }
    line.push(begin);
    socket.pause();
  };
}
