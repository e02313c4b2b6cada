import ipaddr from 'ipaddr.js';
import { z } from 'zod';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** A network of everything would name no network. */
const isNetwork = (text: string) => ipaddr.isValidCIDR(text) && !text.endsWith('/0');

/** PRIVATE_NETWORKS: the networks beside the public one that requests of tenants may reach. */
export const PrivateNetworks = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((network) => network.trim())
      .filter(Boolean),
  )
  .refine(
    (networks) => networks.every(isNetwork),
    'Must be networks like 10.20.0.0/16, separated by commas.',
  );

let named: readonly Network[] = [];
let isTenantHeard = true;

/**
 * Says which private networks requests that tenants cause may reach, once when a process starts; the
 * API and the workers are told the same. In production nobody else opens a private host.
 */
export function openNetworks(networks: readonly string[], { isProduction = false } = {}) {
  named = networks.map((network) => ipaddr.parseCIDR(network));
  isTenantHeard = !isProduction;
}

/** Whether a tenant's own switch for private hosts counts: outside production alone. */
export const mayTenantsOpen = () => isTenantHeard;

export const hasNetworks = () => named.length > 0;

/** Whether the address lies in a network that the installation has named. */
export function isNamed(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return named.some(
    ([base, bits]) => base.kind() === parsed.kind() && parsed.match([base, bits] as never),
  );
}
