import type { IncomingMessage } from 'node:http';
import type { Context, Middleware, Next } from 'koa';
import { HttpRefusal } from './errors.ts';

/** How long a client may take, in milliseconds. */
export type Limits = {
  /** From the head of a request to the end of its body. */
  request_ms: number;
  /** Without one byte, of an upload or of an answer that is being read. */
  idle_ms: number;
  /** For all of an upload or of an answer, however steadily it goes. */
  transfer_ms: number;
};

export const LIMITS: Limits = { request_ms: 30_000, idle_ms: 30_000, transfer_ms: 15 * 60_000 };

const arrivals = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Closes the connection of a client that does not send its request, or does not read its answer.
 * What the platform itself takes to answer is not counted.
 */
export function limited({ request_ms, idle_ms, transfer_ms }: Limits): Middleware {
  return async ({ req, res }: Context, next: Next) => {
    const { socket } = req;
    const arrival = setTimeout(() => {
      if (req.complete) return;
      if (!res.headersSent)
        socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      socket.destroySoon();
    }, request_ms);
    arrivals.set(req, arrival);
    req.once('close', () => clearTimeout(arrival));
    try {
      await next();
    } finally {
      // Of a kept connection node:http sets its own limit again, once the answer has been read.
      if (!socket.destroyed) socket.setTimeout(idle_ms);
      const departure = setTimeout(() => void socket.destroy(), transfer_ms);
      if (socket.destroyed) clearTimeout(departure);
      res.once('close', () => clearTimeout(departure));
    }
  };
}

/**
 * The body of an upload, which may take its time as long as bytes come. Whoever stops reading it
 * leaves the connection as it is, so that an answer can still be sent.
 */
export async function* arriving(req: IncomingMessage, { idle_ms, transfer_ms }: Limits) {
  clearTimeout(arrivals.get(req));
  const ended = Date.now() + transfer_ms;
  const pieces = req.iterator({ destroyOnReturn: false });
  for (;;) {
    const late = Promise.withResolvers<never>();
    const patience = Math.min(idle_ms, ended - Date.now());
    const timer = setTimeout(() => late.reject(tooSlow(patience)), patience);
    try {
      const piece = await Promise.race([pieces.next(), late.promise]);
      if (piece.done) return;
      yield piece.value as Uint8Array;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Lets a form with a file take the time of an upload, as long as bytes come. */
export function unhurried(req: IncomingMessage, { idle_ms, transfer_ms }: Limits) {
  clearTimeout(arrivals.get(req));
  req.socket.setTimeout(idle_ms, () => req.socket.destroy());
  const end = setTimeout(() => req.socket.destroy(), transfer_ms);
  req.once('close', () => clearTimeout(end));
}

const tooSlow = (patience: number) =>
  new HttpRefusal(
    408,
    'request_timeout',
    `Nothing came for ${Math.round(patience / 1000)} seconds, or all of it took too long. ` +
      'Put the whole file again.',
  );
