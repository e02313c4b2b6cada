import { HttpRefusal } from './errors.ts';

/**
 * The body did not arrive. Nothing was attempted, so neither the security log nor the audit trail records
 * it.
 */
export class BodyNotReceived extends HttpRefusal {
  constructor(status: number, code: string, message: string, retrySeconds?: number) {
    const retryAfter = retrySeconds === undefined ? {} : { 'Retry-After': String(retrySeconds) };
    // The server does not wait for the rest of the body.
    super(status, code, message, { headers: { Connection: 'close', ...retryAfter } });
  }
}

/** The client closed the connection before its request was complete, so no answer can reach it. */
export class ClientGone extends BodyNotReceived {
  constructor() {
    super(400, 'malformed_request', 'The request ended before its body was complete.');
  }
}

/** A body that is still arriving. */
export class BodyInFlight {
  /** Bytes of the body held in memory. */
  bytes = 0;
  readonly keys: readonly string[];
  readonly #began = performance.now();
  readonly #cut = Promise.withResolvers<never>();

  constructor(keys: readonly string[]) {
    this.keys = keys;
    this.#cut.promise.catch(() => {});
  }

  age() {
    return performance.now() - this.#began;
  }

  /** Rejects when another body displaces this one. */
  get isCut() {
    return this.#cut.promise;
  }

  cut(refusal: BodyNotReceived) {
    this.#cut.reject(refusal);
  }
}
