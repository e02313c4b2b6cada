import { createServer as createHttps } from 'node:https';
import { createServer, isIPv6, type AddressInfo, type Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { checkWebhookUrl } from '../../jobs/networks/host-url.ts';
import { parseNetworks, type Networks } from '../../jobs/networks/networks.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp } from '../../workers/outside/http.ts';
import { FORGED_ANSWERS, FORGED_HOSTS, FORGED_URLS } from '../setup/forged-hosts.ts';

const PUBLIC = 'hooks.example.com';
const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

const listening = async (server: Server, host: string, port = 0) => {
  await new Promise<void>((done, fail) => server.listen(port, host, done).once('error', fail));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** Addresses of this machine with a listener that records every connection. */
const FORBIDDEN = ['127.0.0.1', '::1', '127.127.127.127', '127.255.255.254'];
const came: string[] = [];
const listener = () =>
  createServer((socket) => {
    came.push(socket.localAddress ?? '');
    socket.destroy();
  });
const port = await listening(listener(), '127.0.0.1');
for (const address of FORBIDDEN.slice(1)) await listening(listener(), address, port);

const { cert, key } = await makeCertificate(
  [PUBLIC, '127.0.0.2'],
  new Date(Date.now() - 1e7),
  new Date(Date.now() + 1e7),
);
const received: string[] = [];
let location = '';
const receiver = createHttps({ cert, key }, (request, response) => {
  received.push(request.url ?? '');
  const status = Number(request.url?.slice(1)) || 204;
  const elsewhere = { location, refresh: `0; url=${location}`, 'alt-svc': `h2="${location}"` };
  response.writeHead(status, location ? elsewhere : {}).end();
});
// On the same port, in a network that the installation allows.
await listening(receiver, '127.0.0.2', port);

const closed = parseNetworks([], { isProduction: true });
const opened = parseNetworks(['127.0.0.2/32'], { isProduction: true });

/** A client whose public names resolve to these answers in turn. The last answer repeats. */
function client(networks: Networks, ...answers: (readonly string[])[]) {
  let asked = 0;
  const resolve = async () => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  };
  const http = openHttp({ networks, ca: cert, resolve });
  closing.push(() => http.close());
  const post = (url: string) =>
    http.post({
      url,
      body: Buffer.from('{}'),
      headers: {},
      // In production, this tenant setting has no effect.
      allow_private_hosts: true,
    });
  return { post, asked: () => asked };
}

const atPort = (host: string) => `https://${host}:${port}/`;
/** Each with and without a port, because some spellings end where a port would begin. */
const forged = [
  ...Object.values(FORGED_HOSTS)
    .flat()
    .flatMap((host) => [atPort(host), `https://${host}/`]),
  ...FORGED_URLS,
];

test('the listener receives every allowed request, by name and by address', async () => {
  const { post } = client(parseNetworks(['127.0.0.0/8', '::1/128'], { isProduction: true }));

  for (const address of FORBIDDEN)
    await post(atPort(address.includes(':') ? `[${address}]` : address));

  expect(came.splice(0)).toEqual(FORBIDDEN);
});

test('no spelling of a forbidden host is accepted', () => {
  const kept = forged.filter((url) => 'href' in checkWebhookUrl(url, closed));

  expect(forged.length).toBeGreaterThan(300);
  expect(kept).toEqual([]);
});

test('a forbidden address that was stored earlier is neither reached nor looked up', async () => {
  const { post, asked } = client(closed, ['127.0.0.1']);

  const answers = await Promise.all(forged.map(post));

  expect(answers.filter(({ ok, status }) => ok || status !== undefined)).toEqual([]);
  expect(answers.every(({ error }) => /^(The |This |Use )/.test(error ?? ''))).toBe(true);
  expect(asked()).toBe(0);
  expect(came).toEqual([]);
});

test.each(FORGED_ANSWERS.map((answer) => [answer.join(' and '), answer] as const))(
  'a public name that resolves to "%s" cannot be reached',
  async (_, answer) => {
    const { post } = client(closed, answer);

    const { ok, status, error } = await post(atPort(PUBLIC));

    expect([ok, status]).toEqual([false, undefined]);
    expect(error).toBe('The host is not in the public network.');
    expect(came).toEqual([]);
  },
);

test('a name that resolves differently a moment later is looked up once and checked each time', async () => {
  const { post, asked } = client(opened, ['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2', '127.0.0.1']);

  const first = await post(atPort(PUBLIC));
  const lookedUp = asked();
  const other = client(opened, ['127.0.0.1'], ['127.0.0.2', '::1']);
  const later = [await other.post(atPort(PUBLIC)), await other.post(atPort(PUBLIC))];

  expect(first.status).toBe(204);
  expect(lookedUp).toBe(1);
  expect(later.map(({ error }) => error)).toEqual([
    'The host is not in the public network.',
    'The host is not in the public network.',
  ]);
  expect(received.splice(0)).toEqual(['/']);
  expect(came).toEqual([]);
});

test('redirects of a receiver are not followed, of any kind', async () => {
  const { post } = client(opened, ['127.0.0.2']);
  const places = [
    atPort('127.0.0.1'),
    atPort('[::1]'),
    `http://127.0.0.1:${port}/`,
    '//127.0.0.1/',
  ];

  for (const place of places) {
    location = place;
    for (const status of [201, 300, 301, 302, 303, 305, 307, 308, 401, 503])
      expect((await post(`https://${PUBLIC}:${port}/${status}`)).status).toBe(status);
  }

  expect(received).toHaveLength(40);
  expect(came).toEqual([]);
});
