import type { Context, Middleware, Next } from 'koa';

/** Time limits for clients, in milliseconds, and minimum rates. */
export type Limits = {
  /** From the first to the last byte of a body. */
  request_ms: number;
  /** Maximum pause without a byte, for uploads and for answers that the client reads. */
  idle_ms: number;
  /** For a whole upload or answer, even at a steady rate. */
  transfer_ms: number;
  /** How long a body may be slower than the rates below. */
  grace_ms: number;
  /** Average bytes per second after the grace period. */
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
 * Closes the connection of a client that does not read its answer, or that keeps sending a body that is not
 * read. The platform's own processing time does not count.
 */
export function enforceTimeLimits({ request_ms, idle_ms, transfer_ms }: Limits): Middleware {
  return async ({ req, res }: Context, next: Next) => {
    const { socket } = req;
    try {
      await next();
    } finally {
      // On a kept-alive connection, node:http restores its own timeout after the answer.
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
