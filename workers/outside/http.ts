import { getCACertificates } from 'node:tls';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { checkWebhookUrl, allowsPrivateHosts, mayReach } from '../../jobs/networks/host-url.ts';
import type { Networks } from '../../jobs/networks/networks.ts';
import type { Download, PostResponse, PostRequest } from '../../jobs/external-systems.ts';
import { inSpan, SpanKind } from '../../jobs/monitoring/traces.ts';
import {
  guardedLookup,
  NOT_PUBLIC,
  resolvePublicName,
  resolveSystemName,
  type Resolve,
} from './public-names.ts';

export type HttpOptions = {
  /** The private networks that operators have opened. */
  networks: Networks;
  /** An additional certificate authority, as PEM. */
  ca?: string;
  /** Resolves public names. Default: the system's name servers. */
  resolve?: Resolve;
};

/** A request whose whole answer is needed. A longer answer than the limit is an error. */
export type ExchangeRequest = Omit<PostRequest, 'body'> & {
  method: 'GET' | 'POST';
  body?: Uint8Array | string;
};
export type ExchangeAnswer =
  { status: number; headers: Record<string, string>; body: string } | { error: string };

export type HttpClient = {
  post(request: PostRequest): Promise<PostResponse>;
  ask(request: ExchangeRequest): Promise<ExchangeAnswer>;
  download(url: string, bytesMax: number): Promise<Download>;
  close(): Promise<void>;
};

const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const READ_BYTES_MAX = 64 * 1024;
const KEEP_BYTES_MAX = 20_000;
const HEADER_BYTES_MAX = 16 * 1024;
const RETRY_AFTER_SECONDS_MAX = 86_400;

/**
 * An HTTP client for untrusted hosts. It resolves a name once, checks every address, connects to a checked
 * address, and checks the connected address again. It does not follow redirects. It does not decompress
 * answers, so they cannot expand in memory.
 */
export function openHttp(options: HttpOptions): HttpClient {
  const { networks } = options;
  // The guarded and the open agent never share connections. The open agent is only for tenants that allow
  // private hosts, which production does not permit.
  const agents = { guarded: agentFor(false, options), open: agentFor(true, options) };

  const send = <Answer>(
    request: ExchangeRequest,
    read: (response: Response) => Promise<Answer>,
  ) => {
    const isOpen = allowsPrivateHosts(networks, request);
    return attemptRequest(
      isOpen ? agents.open : agents.guarded,
      request,
      { networks, isOpen },
      read,
    );
  };

  return {
    async post(request) {
      const started = performance.now();
      const answer = await inSpan({ name: 'POST', kind: SpanKind.CLIENT }, async (span) => {
        const result = await send({ ...request, method: 'POST' }, answerOf);
        if ('status' in result) span.setAttribute('http.response.status_code', result.status ?? 0);
        else span.setAttribute('error.type', 'no answer');
        return result;
      });
      return { ok: false, ...answer, ms: Math.round(performance.now() - started) };
    },
    ask: (request) => send(request, readWhole),
    download: (url, bytesMax) =>
      send({ url, method: 'GET', headers: {} }, (response) => readFileBody(response, bytesMax)),
    async close() {
      await Promise.all([agents.guarded.destroy(), agents.open.destroy()]);
    },
  };
}

type Response = Dispatcher.ResponseData;

async function attemptRequest<Answer>(
  agent: Agent,
  { method, url: text, body, headers, timeout_ms = TIMEOUT_MS }: ExchangeRequest,
  { networks, isOpen }: { networks: Networks; isOpen: boolean },
  read: (response: Response) => Promise<Answer>,
): Promise<Answer | { error: string }> {
  const checked = checkWebhookUrl(text, networks, { allow_private_hosts: isOpen });
  if ('problem' in checked) return { error: checked.problem };
  const url = new URL(checked.href);
  const late = AbortSignal.timeout(timeout_ms);
  try {
    const response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(body !== undefined && { body }),
      signal: late,
    });
    return await read(response);
  } catch (error) {
    const seconds = Math.round(timeout_ms / 1000);
    return { error: late.aborted ? `No answer within ${seconds} seconds.` : sentenceFor(error) };
  }
}

/** Returns the complete answer, or an error if the answer exceeds the limit. */
async function readWhole({ statusCode: status, headers, body }: Response): Promise<ExchangeAnswer> {
  const bytes = await bytesOf(body);
  if (bytes.length >= READ_BYTES_MAX) return { error: 'The answer is too long.' };
  const fields = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { status, headers: Object.fromEntries(fields), body: bytes.toString('utf8') };
}

async function readFileBody(
  { statusCode: status, body }: Response,
  bytesMax: number,
): Promise<Download> {
  const bytes = await bytesOf(body, bytesMax + 1);
  return bytes.length > bytesMax
    ? { error: `It is larger than ${bytesMax} bytes.` }
    : { status, bytes };
}

async function answerOf(response: Response): Promise<Omit<PostResponse, 'ms'>> {
  const { statusCode: status, headers } = response;
  const ok = status >= 200 && status < 300;
  const pause = retryAfter(headers['retry-after']);
  const body = await decodeBeginning(response.body);
  return {
    ok,
    status,
    body,
    ...(pause !== undefined && { retry_after_seconds: pause }),
    ...(!ok && { error: `The receiver answered ${status}.` }),
  };
}

/** Reads up to the limit. If the answer is longer, the connection is closed. */
async function bytesOf(body: Response['body'], bytesMax = READ_BYTES_MAX): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size >= bytesMax) break;
  }
  return Buffer.concat(chunks);
}

const decodeBeginning = async (body: Response['body']): Promise<string> =>
  new TextDecoder()
    .decode((await bytesOf(body)).subarray(0, KEEP_BYTES_MAX))
    .replaceAll('\u0000', '\ufffd');

function retryAfter(value: string | string[] | undefined): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) : undefined;
}

function agentFor(
  isOpen: boolean,
  { networks, ca, resolve: given = resolvePublicName }: HttpOptions,
): Agent {
  const isAllowed = (address: string) =>
    mayReach(address, networks, { allow_private_hosts: isOpen });
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    lookup: guardedLookup(isOpen ? resolveSystemName : given, isAllowed),
    autoSelectFamily: true,
    ...(ca && { ca: [...getCACertificates('default'), ca] }),
  });
  return new Agent({
    connections: 64,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: HEADER_BYTES_MAX,
    connect(options, callback) {
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        if (isAllowed(socket.remoteAddress ?? '')) return callback(null, socket);
        socket.destroy();
        return callback(new Error(NOT_PUBLIC), null);
      });
    },
  });
}

/** An error message that a subscriber can act on. The error's code has the technical reason. */
function sentenceFor(error: unknown): string {
  const codes = new Map([
    ['ENOTFOUND', 'The name of the host does not exist.'],
    ['ENODATA', 'The name of the host has no address.'],
    ['EAI_AGAIN', 'The name of the host could not be looked up.'],
    ['ECONNREFUSED', 'The host refused the connection.'],
    ['ECONNRESET', 'The host closed the connection.'],
    ['UND_ERR_SOCKET', 'The host closed the connection.'],
    ['UND_ERR_CONNECT_TIMEOUT', 'The host could not be reached in time.'],
    ['UND_ERR_HEADERS_OVERFLOW', 'The answer has too many headers.'],
    ['CERT_HAS_EXPIRED', 'The certificate of the host has expired.'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate belongs to another name.'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate of the host is not trusted.'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'The certificate of the host is not trusted.'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'The certificate of the host is not trusted.'],
  ]);
  if (!(error instanceof Error)) return 'The request failed.';
  if (error.message === NOT_PUBLIC) return NOT_PUBLIC;
  const code = 'code' in error ? String(error.code) : '';
  return codes.get(code) ?? `The request failed${code && ` (${code})`}.`;
}
