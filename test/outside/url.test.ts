import { expect, test } from 'vitest';
import { checkWebhookUrl, isPublicAddress } from '../../jobs/networks/host-url.ts';
import { parseNetworks } from '../../jobs/networks/networks.ts';

const networks = parseNetworks([]);

test.each([
  ['https://example.com/hook?a=1', 'https://example.com/hook?a=1'],
  ['  HTTPS://Example.COM:443/Hook  ', 'https://example.com/Hook'],
  ['https://example.com:8443', 'https://example.com:8443/'],
])('%s is kept as %s', (text, href) => {
  const checked = checkWebhookUrl(text, networks);

  expect(checked).toEqual({ href });
});

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'https:example.com',
  'https:///example.com',
  'https:\\\\example.com',
  'https://',
  '',
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'https://@example.com/',
  'https://example.com/#x',
  'https://example.com/#',
  'https://example.com:22/',
  'https://example.com:25/',
  'https://example.com:0/',
  'https://example.com:99999/',
  'https://example',
  'https://localhost/',
  'https://localhost./',
  'https://example.com./',
  'https://metadata.google.internal/',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://8.8.8.8/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://exаmple.com/',
  'https://xn--exmple-4uf.com/',
  'https://exa\tmple.com/',
  'https://example.com/a b',
  `https://example.com/${'a'.repeat(2_048)}`,
  null,
  ['https://example.com/'],
])('%s is refused', (text) => {
  const checked = checkWebhookUrl(text, networks);

  expect(checked).toHaveProperty('problem');
});

test('even if private hosts are allowed, plain HTTP and user names are refused', () => {
  const allowed = { allow_private_hosts: true };

  const kept = ['https://localhost:8443/a', 'https://127.0.0.1:4000/'].map((url) =>
    checkWebhookUrl(url, networks, allowed),
  );
  const refused = ['http://localhost:8080/', 'https://a@localhost/', 'https://localhost:22/'].map(
    (url) => checkWebhookUrl(url, networks, allowed),
  );

  expect(kept.every((checked) => 'href' in checked)).toBe(true);
  expect(refused.every((checked) => 'problem' in checked)).toBe(true);
});

const PRIVATE =
  '127.0.0.1 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 198.18.0.1 ' +
  '224.0.0.1 255.255.255.255 192.0.2.1 192.88.99.1 168.63.129.16 100.100.100.200 240.0.0.1 ' +
  '192.0.0.8 :: ::1 ::ffff:8.8.8.8 64:ff9b::7f00:1 2002:7f00:1:: 2001::1 2001:db8::1 fe80::1 ' +
  'fc00::1 fd00:ec2::254 ff02::1 ::7f00:1 100::1 example.com';

test.each(['8.8.8.8', '2606:4700::1111'])('%s is public', (address) => {
  const isPublic = isPublicAddress(address);

  expect(isPublic).toBe(true);
});

test.each(['', ...PRIVATE.split(' ')])('%s is not public', (address) => {
  const isPublic = isPublicAddress(address);

  expect(isPublic).toBe(false);
});
