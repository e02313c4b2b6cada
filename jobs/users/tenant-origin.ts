import { isLocalHost } from '../../templates/sanitize.ts';
import type { Installation } from '../installation.ts';
import { isOwnOrigin, type Settings } from './settings.ts';

type Site = { domains: readonly string[]; auth: Pick<Settings['auth'], 'site_origin'> };

/**
 * The origin of every link in a mail, letter or page of the tenant: its `auth.site_origin`, or its first domain
 * over HTTPS. In development, local domains such as acme.localhost are reached over HTTP on a port. It is never taken from a request.
 * Throws when the tenant has no domain.
 */
export function tenantOrigin(
  { domains, auth: { site_origin } }: Site,
  { local_port }: Pick<Installation, 'local_port'>,
): string {
  // The domain of a kept origin may have been removed since.
  if (site_origin !== '' && isOwnOrigin(site_origin, domains)) return site_origin;
  const [domain] = domains;
  if (domain === undefined) throw new Error('The tenant has no domain that a link could lead to.');
  return local_port === null || !isLocalHost(domain)
    ? `https://${domain}`
    : `http://${domain}:${local_port}`;
}
