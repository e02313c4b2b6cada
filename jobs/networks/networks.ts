import ipaddr from 'ipaddr.js';
import { z } from 'zod';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Rejects /0, which would include every address. */
const isNetwork = (text: string) => ipaddr.isValidCIDR(text) && !text.endsWith('/0');

function splitList(list: string): string[] {
  const words = list.split(',').map((word) => word.trim());
  return words.filter(Boolean);
}

/** PRIVATE_NETWORKS: private networks that tenants' requests may reach. */
export const PrivateNetworks = z
  .string()
  .default('')
  .transform(splitList)
  .refine(
    (networks) => networks.every(isNetwork),
    'Must be networks like 10.20.0.0/16, separated by commas.',
  );

/**
 * TRUSTED_PROXIES: addresses or networks of proxies whose X-Forwarded-* headers are trusted. Host names are
 * rejected, because they would never match and the headers would be ignored silently.
 */
export const TrustedProxies = z
  .string()
  .default('')
  .transform(splitList)
  .refine(
    (proxies) => proxies.every((proxy) => ipaddr.isValid(proxy) || isNetwork(proxy)),
    'Must be addresses like 10.20.0.5 or networks like 10.20.0.0/16, separated by commas.',
  );

/** The private networks that tenants' requests may reach. The API and the workers use the same value. */
export type Networks = {
  /** The networks named by the installation. */
  readonly named: readonly Network[];
  /** Whether the tenant setting for private hosts has an effect. */
  readonly may_tenants_open: boolean;
};

/** The networks of an installation. In production only the installation can open private hosts. */
export const parseNetworks = (
  named: readonly string[],
  { isProduction = false } = {},
): Networks => ({
  named: named.map((network) => ipaddr.parseCIDR(network)),
  may_tenants_open: !isProduction,
});

/** Whether the address is in a network named by the installation. */
export function isInAllowedNetwork({ named }: Networks, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return named.some((network) => contains(network, parsed));
}

/** Whether the address equals one of these addresses or is in one of these networks. */
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
