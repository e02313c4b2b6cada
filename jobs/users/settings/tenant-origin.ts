import { isLocalHost } from '../../../templates/sanitize.ts';
import type { Installation } from '../../installation.ts';
import { isOwnOrigin, type Settings } from './settings.ts';

type Site = { domains: readonly string[]; auth: Pick<Settings['auth'], 'site_origin'> };

/**
 * The origin of every link in the tenant's emails, letters and pages: `auth.site_origin`, or its first
 * domain over HTTPS. In development, local domains such as acme.localhost use HTTP and a port. Never taken
 * from a request. Throws if the tenant has no domain.
 */
export function tenantOrigin(
  { domains, auth: { site_origin } }: Site,
  { local_port }: Pick<Installation, 'local_port'>,
): string {
  // The origin's domain may have been removed after it was set.
  if (site_origin !== '' && isOwnOrigin(site_origin, domains)) return site_origin;
  const [domain] = domains;
  if (domain === undefined) throw new Error('The tenant has no domain for links.');
  return local_port === null || !isLocalHost(domain)
    ? `https://${domain}`
    : `http://${domain}:${local_port}`;
}
