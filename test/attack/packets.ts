type SessionHeaders = { host: string; cookie: string; csrf: string };

const CLOSE = 'Connection: close\r\n';

/** Requests, as raw bytes, that no well-behaved client can make. */
export function malformedPackets({ host, cookie, csrf }: SessionHeaders): string[] {
  const own = `Host: ${host}\r\nCookie: ${cookie}\r\nX-CSRFToken: ${csrf}\r\n`;
  const json = `${own}Content-Type: application/json\r\n`;
  const at = (target: string, method = 'GET') =>
    `${method} ${target} HTTP/1.1\r\n${own}${CLOSE}\r\n`;
  const post = (headers: string, body: string) =>
    `POST /api/v1/borrowers HTTP/1.1\r\n${json}${headers}${CLOSE}\r\n${body}`;
  const get = (headers: string) => `GET /api/v1/users/me HTTP/1.1\r\n${headers}${CLOSE}\r\n`;
  const targets = [
    'http://[',
    'http://',
    '//',
    '///',
    '/\\',
    '*',
    '?',
    '#',
    '/api/v1/loans#x',
    'http://a:b:c/',
    '//[',
    '//host/api/v1/users/me',
    `http://${host}/api/v1/users/me`,
    'http://evil.example/',
    'https://[::1]/api/v1/loans',
    'http://%',
    '/%',
    '/api/v1/%',
    '/api/v1/loans?%',
    '/..//..',
    '/api/v1/loans/../users',
    '/api/v1//loans',
    '/api/v1/loans/',
    '/API/V1/loans',
    '/api/v1',
    '/\u00ff',
    '/api/v1/loans?\u00e9',
    '/api/v1/loans?a=1?b=2',
    'api/v1/loans',
    'data:text/x',
    `/${'a'.repeat(15_000)}`,
    `/api/v1/loans?${'a&'.repeat(7_000)}`,
    '/__proto__',
    '/constructor',
    ...[
      'storage/upload/x',
      'storage/download/%00',
      'storage/upload/a.b',
      'docs',
      'docs/..%2fx',
    ].map((path) => `/api/v1/${path}`),
    '/api/v1/openapi.json',
    '/healthz',
    '/readyz',
    '/metrics',
    '/favicon.ico',
  ];
  return [
    ...targets.flatMap((target) => [at(target), at(target, 'POST'), at(target, 'OPTIONS')]),
    ...['CONNECT', 'TRACE', 'PATCH', 'PURGE', 'HEAD', 'FOO', 'get', 'QUERY'].map((method) =>
      at('/api/v1/loans', method),
    ),
    at(`${host}:443`, 'CONNECT'),
    get(`${own}Host: evil.example\r\n`),
    get(`Host: ${host}\r\nHost: ${host}\r\n`),
    get('Host:\r\n'),
    get(''),
    get(`${own}Bad Header: x\r\n`),
    get(`${own}X: a\u0000b\r\n`),
    get(`${own}: nameless\r\n`),
    get(`${own}X: ${'h'.repeat(17_000)}\r\n`),
    get(`${own}${Array.from({ length: 1_500 }, (_, index) => `X-${index}: 1\r\n`).join('')}`),
    get(`${own}X: a\r\n folded\r\n`),
    get(`${own}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n`),
    get(`${own}Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`),
    get(`${own}Expect: 100-continue\r\n`),
    post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}x'),
    post('Content-Length: -1\r\n', '{}'),
    post('Content-Length: 1e1\r\n', '{}'),
    post('Content-Length: 99999999999999999999\r\n', '{}'),
    post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'),
    post('Transfer-Encoding: chunked\r\n', 'ffffffffffffffff\r\n{}\r\n0\r\n\r\n'),
    post('Transfer-Encoding: xchunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
    post('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
    post('Transfer-Encoding: chunked\r\n', `2;${'e'.repeat(17_000)}\r\n{}\r\n0\r\n\r\n`),
    post('Content-Length: 40\r\n', '{}GET /api/v1/users HTTP/1.1\r\nHost: x\r\n\r\n'),
    post('Content-Length: 2000000\r\n', '{}'),
    `GET /api/v1/loans HTTP/1.0\r\n${own}\r\n`,
    `GET /api/v1/loans HTTP/9.9\r\n${own}\r\n`,
    'GET /api/v1/loans\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001',
    '\r\n\r\n\r\n',
    `${at('/api/v1/users/me')}${at('/api/v1/loans')}`,
  ];
}
