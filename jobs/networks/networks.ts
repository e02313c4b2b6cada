import ipaddr from 'ipaddr.js';
import { z } from 'zod';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** A network of everything would name no network. */
const isNetwork = (text: string) => ipaddr.isValidCIDR(text) && !text.endsWith('/0');

function listed(list: string): string[] {
  const words = list.split(',').map((word) => word.trim());
  return words.filter(Boolean);
}

/** PRIVATE_NETWORKS: the networks beside the public one that requests of tenants may reach. */
export const PrivateNetworks = z
  .string()
  .default('')
  .transform(listed)
  .refine(
    (networks) => networks.every(isNetwork),
    'Must be networks like 10.20.0.0/16, separated by commas.',
  );

/**
 * TRUSTED_PROXIES: addresses or networks of proxies whose X-Forwarded-* headers are believed. A name
 * would be none of them, and the headers would be passed over without a word.
 */
export const TrustedProxies = z
  .string()
  .default('')
  .transform(listed)
  .refine(
    (proxies) => proxies.every((proxy) => ipaddr.isValid(proxy) || isNetwork(proxy)),
    'Must be addresses like 10.20.0.5 or networks like 10.20.0.0/16, separated by commas.',
  );

/** Which private networks requests that tenants cause may reach; the API and the workers agree. */
export type Networks = {
  /** Those that the installation has named. */
  readonly named: readonly Network[];
  /** Whether a tenant's own switch for private hosts counts. */
  readonly may_tenants_open: boolean;
};

/** The networks of an installation; in production nobody else opens a private host. */
export const parseNetworks = (
  named: readonly string[],
  { isProduction = false } = {},
): Networks => ({
  named: named.map((network) => ipaddr.parseCIDR(network)),
  may_tenants_open: !isProduction,
});

/** Whether the address lies in a network that the installation has named. */
export function isInAllowedNetwork({ named }: Networks, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return named.some((network) => contains(network, parsed));
}

/** Whether the address is one of these, or lies in one of these networks. */
export function isInNetworks(address: string, places: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return places.some((place) =>
    place.includes('/')
      ? contains(ipaddr.parseCIDR(place), parsed)
      : ipaddr.process(place).toString() === parsed.toString(),
  );
}

const contains = ([base, bits]: Network, address: ReturnType<typeof ipaddr.parse>) =>
  base.kind() === address.kind() && address.match([base, bits] as never);
