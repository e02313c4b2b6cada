import { HttpRefusal } from './errors.ts';

/** A request whose body did not arrive: nothing was tried, so nothing is written about it anywhere. */
export class BodyNotReceived extends HttpRefusal {
  constructor(status: number, code: string, message: string, retrySeconds?: number) {
    const again = retrySeconds === undefined ? {} : { 'Retry-After': String(retrySeconds) };
    // The rest of the body is not waited for.
    super(status, code, message, { headers: { Connection: 'close', ...again } });
  }
}

/** The client closed the connection before its request was complete. No answer reaches it. */
export class ClientGone extends BodyNotReceived {
  constructor() {
    super(400, 'malformed_request', 'The request ended before its body was complete.');
  }
}

/** One body on its way. */
export class BodyInFlight {
  /** Bytes of it that the process holds in memory. */
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

  /** Rejects when the body loses its place. */
  get isCut() {
    return this.#cut.promise;
  }

  cut(refusal: BodyNotReceived) {
    this.#cut.reject(refusal);
  }
}
