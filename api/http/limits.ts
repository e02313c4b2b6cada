import type { Context, Middleware, Next } from 'koa';

/** How long a client may take, in milliseconds, and how fast it has to send. */
export type Limits = {
  /** From the start of a body to its end. */
  request_ms: number;
  /** Without one byte, of an upload or of an answer that is being read. */
  idle_ms: number;
  /** For all of an upload or of an answer, however steadily it goes. */
  transfer_ms: number;
  /** How long a body or an upload may be slower than the rates below. */
  grace_ms: number;
  /** Bytes per second on average, once the grace is over. */
  body_rate: number;
  upload_rate: number;
};

export const LIMITS: Limits = {
  request_ms: 30_000,
  idle_ms: 30_000,
  transfer_ms: 15 * 60_000,
  grace_ms: 10_000,
  body_rate: 500,
  upload_rate: 1_000,
};

/**
 * Closes the connection of a client that does not read its answer, or goes on sending a body that nobody
 * reads. The time that the platform takes to answer is not counted.
 */
export function enforceTimeLimits({ request_ms, idle_ms, transfer_ms }: Limits): Middleware {
  return async ({ req, res }: Context, next: Next) => {
    const { socket } = req;
    try {
      await next();
    } finally {
      // Of a kept connection node:http sets its own limit again, once the answer has been read.
      if (!socket.destroyed) socket.setTimeout(idle_ms);
      const departure = setTimeout(() => void socket.destroy(), transfer_ms);
      if (socket.destroyed) clearTimeout(departure);
      res.once('close', () => clearTimeout(departure));
      if (!req.complete && !socket.destroyed) {
        const rest = setTimeout(() => socket.destroySoon(), request_ms);
        req.once('close', () => clearTimeout(rest));
      }
    }
  };
}
