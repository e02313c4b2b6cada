import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const OWNER = { accessKeyId: 'AKIDTEST', secretAccessKey: 'a-secret-of-the-bucket' };
const REGION = 'us-east-1';

/** How the store fails for the next request that matches the pattern. */
type InjectedFailure = { on: RegExp; does: 'refuses' | 'is silent' | 'hangs up' };

/**
 * An in-memory bucket on this machine that answers like S3. It verifies the AWS Signature Version 4 of
 * every request, including presigned links.
 */
export async function openObjectStore() {
  const objects = new Map<string, { bytes: Buffer; type: string }>();
  const troubles: InjectedFailure[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const bytes = await readRequestBody(request);
    const what = `${request.method} ${request.url}`;
    const at = troubles.findIndex(({ on }) => on.test(what));
    const [trouble] = at === -1 ? [] : troubles.splice(at, 1);
    if (trouble?.does === 'hangs up') request.socket.destroy();
    else if (trouble?.does === 'refuses') sendAnswer(response, 403, errorOf('AccessDenied'));
    else if (trouble === undefined) {
      const problem = problemOf(request, bytes);
      if (problem) sendAnswer(response, 403, errorOf(problem));
      else serveRequest(objects, request, response, bytes);
    }
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { endpoint: `http://127.0.0.1:${port}`, objects, troubles, close };
}

async function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function sendAnswer(response: ServerResponse, status: number, body = '', headers: object = {}) {
  response.writeHead(status, { 'Content-Type': 'application/xml', ...headers });
  response.end(body);
}

const errorOf = (code: string) => `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();
const escaped = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

type Signed = { names: string; scope: string; signature: string; date: string; payload: string };

/** The signature that the request carries, in a header or in the query of a presigned link. */
function signedOf({ headers }: IncomingMessage, query: URLSearchParams): Signed | null {
  const linked = query.get('X-Amz-Credential');
  const given = linked
    ? [linked, query.get('X-Amz-SignedHeaders') ?? '', query.get('X-Amz-Signature') ?? '']
    : (/Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)/
        .exec(headers.authorization ?? '')
        ?.slice(1) ?? null);
  const [credential = '', names = '', signature = ''] = given ?? [];
  if (!credential.startsWith(`${OWNER.accessKeyId}/`)) return null;
  const scope = credential.slice(OWNER.accessKeyId.length + 1);
  const date = linked ? query.get('X-Amz-Date') : headers['x-amz-date'];
  const payload = linked ? 'UNSIGNED-PAYLOAD' : headers['x-amz-content-sha256'];
  return { names, scope, signature, date: String(date), payload: String(payload) };
}

/** Why the request is refused; null if it is valid. */
function problemOf(request: IncomingMessage, bytes: Buffer): string | null {
  const url = new URL(request.url ?? '', 'http://store');
  const signed = signedOf(request, url.searchParams);
  if (signed === null) return 'AccessDenied';
  const { names, scope, signature, date, payload } = signed;
  const isHash = /^[0-9a-f]{64}$/.test(payload);
  if (isHash && payload !== sha256(bytes)) return 'XAmzContentSHA256Mismatch';
  const began = Date.parse(date.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
  const lasts = Number(url.searchParams.get('X-Amz-Expires') ?? 900) * 1000;
  if (!(Date.now() < began + lasts)) return 'RequestExpired';
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted()
    .join('&');
  const headers = names
    .split(';')
    .map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, url.pathname, query, headers.join(''), names, payload].join(
    '\n',
  );
  const [day = '', region, service, end] = scope.split('/');
  if (region !== REGION || service !== 's3' || end !== 'aws4_request') return 'AccessDenied';
  const key = [day, REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${OWNER.secretAccessKey}`,
  );
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n'));
  const found = Buffer.from(signature, 'hex');
  const isOurs = found.length === expected.length && timingSafeEqual(found, expected);
  return isOurs ? null : 'SignatureDoesNotMatch';
}

type Objects = Map<string, { bytes: Buffer; type: string }>;
const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

function serveRequest(
  objects: Objects,
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
) {
  const { method, headers } = request;
  const url = new URL(request.url ?? '', 'http://store');
  const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
  const prefix = url.searchParams.get('prefix');
  if (method === 'GET' && key === '') {
    const found = [...objects.keys()].filter((name) => name.startsWith(prefix ?? ''));
    const rows = found.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('');
    return sendAnswer(response, 200, `<ListBucketResult>${rows}</ListBucketResult>`);
  }
  if (method === 'DELETE') return sendAnswer(response, objects.delete(key) ? 204 : 204);
  const source = headers['x-amz-copy-source'];
  if (method === 'PUT' && typeof source === 'string') {
    const from = objects.get(decodeURIComponent(source).split('/').slice(1).join('/'));
    if (!from) return sendAnswer(response, 404, errorOf('NoSuchKey'));
    const wanted = headers['x-amz-copy-source-if-match'];
    if (wanted !== undefined && wanted !== tagOf(from.bytes))
      return sendAnswer(response, 412, errorOf('PreconditionFailed'));
    objects.set(key, from);
    const tag = `<ETag>${tagOf(from.bytes)}</ETag>`;
    return sendAnswer(response, 200, `<CopyObjectResult>${tag}</CopyObjectResult>`);
  }
  if (method === 'PUT') {
    if (headers['if-none-match'] === '*' && objects.has(key))
      return sendAnswer(response, 412, errorOf('PreconditionFailed'));
    objects.set(key, { bytes, type: headers['content-type'] ?? '' });
    return sendAnswer(response, 200, '', { ETag: tagOf(bytes) });
  }
  const found = objects.get(key);
  if (!found) return sendAnswer(response, 404, method === 'HEAD' ? '' : errorOf('NoSuchKey'));
  const type = url.searchParams.get('response-content-type') ?? found.type;
  const disposition = url.searchParams.get('response-content-disposition');
  response.writeHead(200, {
    ETag: tagOf(found.bytes),
    'Content-Length': found.bytes.length,
    'Content-Type': type,
    ...(disposition !== null && { 'Content-Disposition': disposition }),
  });
  response.end(method === 'HEAD' ? undefined : found.bytes);
}
