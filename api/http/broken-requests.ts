import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { dictionary } from '../../sql/dictionary.ts';

type Refusal = { status: number; code: string; message: string; retry_seconds?: number };

/** Maximum size of the request target and headers together. */
export const HEAD_BYTES_MAX = 16_384;

const MALFORMED: Refusal = {
  status: 400,
  code: 'malformed_request',
  message: 'This is not a valid HTTP request.',
};
const REFUSALS_BY_ERROR = dictionary<Refusal>({
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'head_too_large',
    message: 'The request target and headers together exceed 16 kB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'payload_too_large',
    message: 'The extensions of a chunk are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The request did not arrive in time. Send it again.',
  },
});

/** How long a refused client may continue sending. */
const LINGER_MS = 2_000;

/**
 * Answers requests that the parser rejects in the usual error format, then closes the connection.
 *
 * Incoming bytes are read and discarded for a moment first. Closing a socket with unread bytes resets the
 * connection, and the client would lose the answer.
 */
export function answerBroken(server: Server): Server {
  const refused = new WeakSet<Duplex>();
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => answers.set(socket, response));
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    // Do not write to a closed connection or into an answer that has already started.
    const answer = answers.get(socket);
    const hasBegun = answer?.headersSent && !answer.writableEnded;
    if (!socket.writable || hasBegun) {
      socket.destroy();
      return;
    }
    socket.end(encodeRefusal(REFUSALS_BY_ERROR[code] ?? MALFORMED));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  return server;
}

/** Refuses a connection beyond the limit with an answer. */
export function refuseConnection(socket: Duplex) {
  socket.on('error', () => socket.destroy());
  socket.end(encodeRefusal(TOO_MANY_CONNECTIONS), () => socket.destroy());
}

const TOO_MANY_CONNECTIONS: Refusal = {
  status: 429,
  code: 'too_many_connections',
  message: 'Your network has too many open connections. Close some of them and try again.',
  retry_seconds: 5,
};

function encodeRefusal({ status, code, message, retry_seconds }: Refusal): string {
  const request_id = randomUUID();
  const body = JSON.stringify({ message, code, request_id });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${request_id}`,
    ...(retry_seconds === undefined ? [] : [`Retry-After: ${retry_seconds}`]),
    '',
    body,
  ].join('\r\n');
}
