import { request } from 'node:http';

export type Reply = {
  status: number;
  // Tests read bodies of every shape, and their expectations check the shape.
  body: any; // oxlint-disable-line typescript/no-explicit-any
  headers: Record<string, string | string[] | undefined>;
};

type Options = { headers?: Record<string, string>; raw?: string | Buffer };

/**
 * A client that behaves like a browser: it keeps cookies, sends X-CSRFToken with every change, and names
 * its tenant in the Host header. Paths are below /api/v1 unless they begin with two slashes.
 */
export function newClient(port: number, host: string, cookies = new Map<string, string>()): Client {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    options: Options = {},
  ): Promise<Reply> {
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers: Record<string, string> = {
      Host: host,
      Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(method !== 'GET' && { 'X-CSRFToken': cookies.get('csrftoken') ?? '' }),
      ...(payload !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(payload)),
      }),
      ...options.headers,
    };
    // An empty header is not sent.
    for (const [name, value] of Object.entries(headers)) {
      if (value === '' && name !== 'X-CSRFToken') delete headers[name];
    }
    const reply = await exchange(
      port,
      method,
      path.startsWith('//') ? path.slice(1) : `/api/v1${path}`,
      headers,
      payload,
    );
    for (const line of [reply.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  }

  return {
    cookies,
    /** The same browser, connected to another API process. */
    at: (other: number): Client => newClient(other, host, cookies),
    send,
    get: (path: string, options?: Options) => send('GET', path, undefined, options),
    post: (path: string, body: unknown = {}, options?: Options) =>
      send('POST', path, body, options),
    put: (path: string, body: unknown = {}, options?: Options) => send('PUT', path, body, options),
    delete: (path: string, options?: Options) => send('DELETE', path, undefined, options),
    async login(email: string, password: string): Promise<Reply> {
      await send('GET', '/auth/csrf');
      return send('POST', '/auth/login', { email, password });
    },
  };
}
export type Client = {
  cookies: Map<string, string>;
  at: (port: number) => Client;
  send: Sender;
  get: (path: string, options?: Options) => Promise<Reply>;
  post: (path: string, body?: unknown, options?: Options) => Promise<Reply>;
  put: (path: string, body?: unknown, options?: Options) => Promise<Reply>;
  delete: (path: string, options?: Options) => Promise<Reply>;
  login: (email: string, password: string) => Promise<Reply>;
};
type Sender = (method: string, path: string, body?: unknown, options?: Options) => Promise<Reply>;

function exchange(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  payload?: string | Buffer,
) {
  return new Promise<Reply>((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { 'content-type': type = '', 'content-encoding': encoding } = incoming.headers;
        // Only tests of compression ask for it, and they look at the headers.
        const isJson = type.includes('json') && encoding === undefined;
        resolve({
          status: incoming.statusCode ?? 0,
          body: isJson && text ? JSON.parse(text) : text,
          headers: incoming.headers,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
