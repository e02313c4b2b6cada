import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { dictionary } from '../../sql/dictionary.ts';

type Refusal = { status: number; code: string; message: string; retry_seconds?: number };

/** The most that a target and its headers may be long, together. */
export const HEAD_BYTES_MAX = 16_384;

const MALFORMED: Refusal = {
  status: 400,
  code: 'malformed_request',
  message: 'This is not a valid HTTP request.',
};
const BY_ERROR = dictionary<Refusal>({
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

/** So long may somebody go on sending who was refused. */
const LINGER_MS = 2_000;

/**
 * What the parser makes no request of is answered as any refusal is, and the connection ends. What still
 * comes is read and forgotten for a moment: a connection that is closed with bytes unread is reset, and
 * a reset takes away the answer as well.
 */
export function answerBroken(server: Server): Server {
  const refused = new WeakSet<Duplex>();
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => answers.set(socket, response));
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    // Nothing reaches whoever is gone, and a refusal is no part of an answer that has begun.
    const answer = answers.get(socket);
    const hasBegun = answer?.headersSent && !answer.writableEnded;
    if (!socket.writable || hasBegun) {
      socket.destroy();
      return;
    }
    socket.end(bytesOf(BY_ERROR[code] ?? MALFORMED));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  return server;
}

/** Answers a connection that is one too many, whatever it was going to ask. */
export function refuseConnection(socket: Duplex) {
  socket.on('error', () => socket.destroy());
  socket.end(bytesOf(TOO_MANY_CONNECTIONS), () => socket.destroy());
}

const TOO_MANY_CONNECTIONS: Refusal = {
  status: 429,
  code: 'too_many_connections',
  message: 'Your network has too many open connections. Close some of them and try again.',
  retry_seconds: 5,
};

function bytesOf({ status, code, message, retry_seconds }: Refusal): string {
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
