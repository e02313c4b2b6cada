import type { Random } from './random.ts';

/** Part of every planted value. If it appears in a log, the API logged client input. */
export const CANARY = 'c4n4ry';

/** Marks a number that JSON can express and JavaScript cannot. asJson() writes it without quotes. */
const rawNumber = (number: string) => `\u0001${number}\u0001`;
export const asJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(/"\\u0001([^"\\]*)\\u0001"/g, '$1');

/**
 * Words with a special meaning in a layer below: JavaScript, Postgres, templates, paths, or to a person.
 */
export const HOSTILE_WORDS = [
  ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'],
  ['length', 'toJSON', 'undefined', 'null', 'true', 'NaN', 'Infinity', '-infinity', 'now', 'id'],
  ['', ' ', '\u0000', `${CANARY}\u0000b`, '\ud800', '\udfff\ud800', '\u202e', '\ufeff', '\u2028'],
  ['👩‍👩‍👧', '１２３', '١٢٣', 'ſ', 'İ', '\r\nSet-Cookie: a=b', '\u001b[31m', 'a\u0301'.repeat(60)],
  ["'", '"; drop table loans; --', '\\', '\\x00', '%', '_', '[', '{}', '{"a":1}', '$1', "E'\\''"],
  [`${CANARY}'); select pg_sleep(9)--`, '{a,b}', '$tag$', '%s%n', '../../etc/passwd', 'C:\\con'],
  ['{{', '{{loan}}', '{{#each this}}', '{{constructor}}', '{{{this}}}', '{{> layout}}', '{{a|b}}'],
  [`<script>${CANARY}</script>`, '<img src=x onerror=1>', '<![CDATA[', '&#x41;', 'javascript:1'],
  ['=cmd|1', '+1', '@SUM(1)', '-0', '0x10', '1e400', '1e5', '1,000.00', ' 5', '.5', '5.', '٠.٥'],
  ['0.00', '0.001', '-5', '-0.01', '0.085', '10.00000001', '99999999999999.99', '9999999999999.99'],
  ['12345678901234567.89', '9'.repeat(400), '1'.repeat(17), '0'.repeat(200), '1.005', '0.30'],
  ['0000-00-00', '0000-01-01', '9999-12-31', '-271821-04-20', '+275760-09-13', '2026-02-29'],
  ['2024-02-29', '2026-02-30', '99999-01-01', '1800-01-01', '1799-12-31', '2026-1-1', '20260101'],
  ['2026-01-01T24:00:00Z', '2026-01-01T00:00:00+99:99', '9999-12-31T23:59:59-14:00', '25:00'],
  ['UTC', 'Etc/GMT+20', 'Etc/GMT+12', 'America/New_York', 'utc', '+14:00', 'z'.repeat(300)],
  ['a@b', `${CANARY}@example.com`, '"a b"@c.de', 'a@[::1]', '@', 'a@b@c', 'a@xn--', 'a@-b.c'],
  ['https://example.com', 'http://127.0.0.1/', 'https://[::1]/', 'https://0x7f.1/', 'https://a b'],
  [
    'https://169.254.169.254/latest',
    'https://localhost',
    'https://user:pw@h/',
    'file:///etc/passwd',
  ],
  [
    'https://example.com:99999',
    'https://[',
    '//x',
    'https://2130706433/',
    'https://ﬁ.com/',
    'ftp://a',
  ],
  ['0197a3c0-1111-7abc-8def-0123456789ab', '00000000-0000-0000-0000-000000000000', 'x'.repeat(36)],
  ['en', 'de-CH', 'x-constructor', 'USD', 'XXX', 'NY', 'zz', '+12025550123', '+', '021000021'],
  ['(a+)+$', '[[:alpha:]]', '.*', 'a'.repeat(201), 'b'.repeat(254), 'ä'.repeat(10_000)],
].flat();

/** Values that one layer often accepts and the next does not understand. */
export const EDGE_VALUES: readonly unknown[] = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(200),
  '‮',
  '١',
  '-0',
  '{{a}}',
  '9999-12-31T23:59:59-14:00',
  '9999-12-31',
  '1800-01-01',
  '0.00',
  '9999999999999.99',
  'UTC',
  0,
  -1,
  2147483647,
  true,
  null,
];

const longText = (part: string, times: number) => part.repeat(times);

/** Long runs of characters that a careless pattern reads repeatedly; each up to 64 kB. */
export const LONG_VALUES = [
  ...['x', '<', '{{', '@', ' ', '\n', '-', '.', '9', '/', '\\', '"', '&#', '%', '(', '['].map(
    (part) => longText(part, Math.floor(16_000 / part.length)),
  ),
  ...['<a ', '<a href="', '</', '<!--', '{{a|', '{{#if a}}', 'a@', 'a.', '1,', '+1', '{{a}}'].map(
    (part) => longText(part, Math.floor(32_000 / part.length)),
  ),
  ...['<', '{{', '@', '&', '-', ' '].map((sign) => sign + longText('a', 64_000)),
  `${longText('a', 30_000)}@`,
  `${longText(' ', 60_000)}x`,
  `<style>${longText('a{', 20_000)}`,
  `https://${longText('a.', 8_000)}com`,
];

const nestedValue = (depth: number, wrap: (inner: unknown) => unknown) => {
  let value: unknown = 1;
  for (let at = 0; at < depth; at += 1) value = wrap(value);
  return value;
};
const ownKey = (name: string, value: unknown) => JSON.parse(`{"${name}":${JSON.stringify(value)}}`);

/** Values other than text: extreme numbers, other types, prototypes, oversized collections. */
export const HOSTILE_VALUES: readonly unknown[] = [
  0,
  -1,
  1.5,
  7,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  true,
  false,
  null,
  ...['1e400', '-1e400', '-0', '0.1e-400', '123456789012345678901234567890', '1E+2'].map(rawNumber),
  [],
  {},
  [null],
  [[]],
  [{}],
  [''],
  ['a', 'a'],
  { a: 1 },
  { length: 3 },
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'toJSON', 'then'].map((name) =>
    ownKey(name, { x: 1, prototype: { x: 1 } }),
  ),
  ownKey('__proto__', 'text'),
  nestedValue(100, (inner) => [inner]),
  nestedValue(100, (inner) => ({ a: inner })),
  nestedValue(30, (inner) => ({ a: inner })),
  Array.from({ length: 10_000 }, (_, index) => index),
  Array.from({ length: 10_000 }, () => 'same'),
  Array.from({ length: 2_000 }, (_, index) => ({ id: index, amount: '1.00' })),
  Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 'off'])),
];

const MEGABYTE = ['y', '{{', '<a', '9', 'ß'].map((part) =>
  longText(part, 1_000_000 / 2 / part.length),
);

/** One hostile value. Long values are rare because each takes the time of many others. */
export function hostileValue({ chance, pick }: Random): unknown {
  if (chance(0.004)) return pick(MEGABYTE);
  if (chance(0.12)) return pick(LONG_VALUES);
  return chance(0.3) ? pick(HOSTILE_VALUES) : pick(HOSTILE_WORDS);
}

/** Whole bodies that are not objects or not JSON. */
export const HOSTILE_BODIES = [
  '',
  ' ',
  'null',
  '12',
  '"text"',
  '[]',
  '[{}]',
  'true',
  'NaN',
  '{',
  '{"a":',
  '{"a":1e400}',
  '{"a":1}{"b":2}',
  '{"a":1,"a":2}',
  '\ufeff{}',
  '{"a":"\\ud800"}',
  '{"\\u0000":1}',
  "{'a':1}",
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"a":"\\u0000"}',
  '{}x',
  '{"a":-0}',
  '{"": 1}',
  '{"a":01}',
  '// {}',
  '<xml/>',
  'a=b&c=d',
  '--x\r\n\r\n--x--',
  '['.repeat(100_000),
  '{"a":'.repeat(50_000),
  `{"a":"${longText('z', 1_048_576)}"}`,
  `[${longText('1,', 400_000)}1]`,
];

/** Headers that a malicious client may add. */
export const HOSTILE_HEADERS: readonly Record<string, string>[] = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/jsonp',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'application/json;',
  ';',
  'json',
  '__proto__/x',
  '*/*',
]
  .map((type): Record<string, string> => ({ 'Content-Type': type }))
  .concat(
    ['gzip', 'identity, gzip', 'br', ''].map((coding) => ({ 'Content-Encoding': coding })),
    ['', 'x'.repeat(300), 'a b', '\u00ff', '__proto__', 'constructor', '"'].flatMap((word) => [
      { 'Idempotency-Key': word },
      { 'X-Request-Id': word },
      { 'X-CSRFToken': word },
      { Cookie: `sessionid=${word}; csrftoken=${word}` },
      { Origin: word },
      { 'If-Match': word },
      { 'X-Forwarded-For': word },
    ]),
    ['https://evil.example', 'null', 'http://['].map((origin) => ({ Origin: origin })),
    ['bytes=0-1', 'bytes=9-', 'x'].map((range) => ({ Range: range })),
    [{ Cookie: 'a=%' }, { Cookie: 'a=b; '.repeat(2_000) }, { Cookie: '__proto__=1; =; ;;' }],
    [{ Expect: '200-nothing' }, { 'If-None-Match': '*' }, { 'X-HTTP-Method-Override': 'DELETE' }],
    [{ 'Accept-Language': 'x'.repeat(2_000) }, { Accept: ',;q=9'.repeat(500) }, { Via: 'x' }],
    [{ 'Content-Type': `application/json;${' '.repeat(8_000)}x` }, { 'User-Agent': CANARY }],
  );

/** Hosts of no tenant. The first two are spellings that some layer may take for one of ours. */
export const HOSTILE_HOSTS = [
  '__proto__',
  'constructor',
  'toString',
  'localhost',
  '[::1]',
  'a..b',
  '-',
  'x:99999',
  '%00',
  'xn--',
  `${'a.'.repeat(120)}b`,
  'evil.example',
  'a,b',
  'a b',
  'é',
  ':80',
  '@x',
  'a/b',
];

/** Path segments in the place of an id. */
export const HOSTILE_PATH_SEGMENTS = [
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c0%af',
  '..%2f..',
  '%2e%2e',
  '..',
  '.',
  '%0d%0aX:%20y',
  '~',
  ';a=b',
  'constructor',
  '__proto__',
  'toString',
  '0',
  '-1',
  'null',
  '%E2%80%AE',
  '%F0%9F%91%A9',
  '*',
  '0197A3C0-1111-7ABC-8DEF-0123456789AB',
  '%7B%7Bx%7D%7D',
  'a'.repeat(9e3),
  "'--",
  '%25',
];
