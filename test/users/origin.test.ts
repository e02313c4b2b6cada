import { expect, test } from 'vitest';
import { tenantOrigin } from '../../jobs/users/settings/tenant-origin.ts';

const domains = ['loans.example.com', 'www.example.com'];
const nowhere = { site_origin: '' };

test('links lead to the first domain over HTTPS', () => {
  const origin = tenantOrigin({ domains, auth: nowhere }, { local_port: null });

  expect(origin).toBe('https://loans.example.com');
});

test('in development links to local names lead to the port on which the API listens', () => {
  const at = (domain: string) =>
    tenantOrigin({ domains: [domain], auth: nowhere }, { local_port: 3000 });

  expect(at('acme.localhost')).toBe('http://acme.localhost:3000');
  expect(at('loans.example.com')).toBe('https://loans.example.com');
});

test('a tenant may set the origin, but only to one of its own domains', () => {
  const at = (site_origin: string) =>
    tenantOrigin({ domains, auth: { site_origin } }, { local_port: null });

  expect(at('https://www.example.com:8443')).toBe('https://www.example.com:8443');
  expect(at('https://elsewhere.example')).toBe('https://loans.example.com');
});

test('a tenant without a domain has no address for links', () => {
  expect(() => tenantOrigin({ domains: [], auth: nowhere }, { local_port: null })).toThrow(
    'no domain',
  );
});
