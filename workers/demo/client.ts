import { setTimeout as pause } from 'node:timers/promises';

/**
 * How long the client waits for a platform that is briefly unavailable, for example while its database
 * restarts.
 */
const RETRY_FOR_MS = 120_000;

export type Body = Record<string, unknown>;
export type Answer = { status: number; body: unknown };

/** The API answered with an error. */
export class ApiRefusal extends Error {
  readonly status: number;

  constructor(method: string, path: string, { status, body }: Answer) {
    super(`${method} ${path} answered ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    this.status = status;
  }
}

export type Client = {
  get<Reply>(path: string): Promise<Reply>;
  put<Reply>(path: string, body: Body): Promise<Reply>;
  /** Repeats the request until the API answers. The idempotency key ensures that it takes effect once. */
  post<Reply>(path: string, body: Body, key: string): Promise<Reply>;
};

/**
 * Signs in and returns a client that works like a browser: it sends cookies, the CSRF token, and an
 * Idempotency-Key with every POST.
 */
export async function signIn(origin: string, email: string, password: string): Promise<Client> {
  const cookies = new Map<string, string>();

  async function once(method: string, path: string, body?: Body, key?: string): Promise<Answer> {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-csrftoken': cookies.get('csrftoken') ?? '',
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  async function send<Reply>(method: string, path: string, body?: Body, key?: string) {
    const answer = await withRetries(() => once(method, path, body, key));
    if (answer.status >= 400) throw new ApiRefusal(method, path, answer);
    return answer.body as Reply;
  }

  await send('GET', '/auth/csrf');
  await send('POST', '/auth/login', { email, password });
  return {
    get: (path) => send('GET', path),
    put: (path, body) => send('PUT', path, body),
    post: (path, body, key) => send('POST', path, body, key),
  };
}

/** Retries if the API did not answer or asked to retry later. */
async function withRetries(steps: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + RETRY_FOR_MS;
  for (;;) {
    const answer = await steps().catch((error: Error) => error);
    const isFinal = !(answer instanceof Error) && answer.status < 500 && answer.status !== 429;
    if (isFinal) return answer;
    if (Date.now() > deadline) {
      if (answer instanceof Error) throw answer;
      return answer;
    }
    await pause(250);
  }
}
