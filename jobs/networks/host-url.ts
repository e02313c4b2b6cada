import ipaddr from 'ipaddr.js';
import { isInAllowedNetwork, type Networks } from './networks.ts';

/** The tenant's setting. It has an effect only outside production. */
export type UrlOptions = { allow_private_hosts?: boolean };
export type CheckedUrl = { href: string } | { problem: string };

const URL_CHARACTERS_MAX = 2_048;

/** Names of private networks, regardless of what they resolve to. */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;
/** The characters of an IP address. For other text the library throws internally, which takes 40 µs. */
const ADDRESS = /^[\da-fx.:]+$/i;
/** URL parsers disagree about other characters and could take a different part for the host. */
const PLAIN_NAME = /^[\w.-]+$/;
const LOOPBACK_NAME = /(^|\.)localhost$/;
/** Names of cloud metadata services, which reveal a machine's secrets. */
const METADATA_NAME = /^(metadata|instance-data)(\.|$)/;
const METADATA_ADDRESS = '169.254.169.254';

/**
 * Checks the URL of a webhook receiver. Returns its normalized form or the reason why it is refused.
 *
 * This checks only the text. The addresses that the name resolves to can change, so `mayReach` checks them
 * at each delivery.
 */
export function checkWebhookUrl(
  text: unknown,
  networks: Networks,
  options: UrlOptions = {},
): CheckedUrl {
  if (typeof text !== 'string') return { problem: 'The URL must be a string.' };
  const trimmed = text.trim();
  if (trimmed.length > URL_CHARACTERS_MAX)
    return { problem: 'The URL must be at most 2,048 characters.' };
  if (!/^https:\/\/[^/\\]/i.test(trimmed)) return { problem: 'The URL must begin with https://.' };
  // The URL parser would remove these silently; another parser might not.
  if (/[\s\p{Cc}\\]/u.test(trimmed)) return { problem: 'The URL contains a forbidden character.' };
  const url = URL.parse(trimmed);
  if (!url) return { problem: 'This is not a valid URL.' };
  if (/^https:\/\/[^/?#]*@/i.test(trimmed))
    return { problem: 'The URL must not contain a user name.' };
  if (trimmed.includes('#')) return { problem: 'The URL must not contain a fragment.' };
  const problem = portProblem(url) ?? hostProblem(url, trimmed, networks, options);
  return problem ? { problem } : { href: url.href };
}

function portProblem({ port }: URL): string | undefined {
  const isAllowed = port === '' || (Number(port) >= 1024 && Number(port) <= 65_535);
  return isAllowed ? undefined : 'The port must be 443, or 1024 or higher.';
}

function hostProblem(
  url: URL,
  text: string,
  networks: Networks,
  options: UrlOptions,
): string | undefined {
  const host = url.hostname;
  const address = host.replace(/^\[|\]$/g, '');
  const isOpen = allowsPrivateHosts(networks, options);
  if (ADDRESS.test(address) && ipaddr.isValid(address)) {
    const isReached =
      isInAllowedNetwork(networks, address) || (isOpen && mayReach(address, networks, options));
    return isReached ? undefined : `${NO_ADDRESS}${remedy(networks)}`;
  }
  if (!PLAIN_NAME.test(host)) return NOT_PLAIN;
  if (METADATA_NAME.test(host) && !isInAllowedNetwork(networks, METADATA_ADDRESS)) return NO_NAME;
  if (isOpen) return undefined;
  // Internationalized names can imitate other names in a list.
  if (/^https:\/\/[^/?]*[^\u0020-\u007e]/i.test(text) || /(^|\.)xn--/.test(host)) {
    return NOT_PLAIN;
  }
  if (!isPrivateName(host) || mayResolve(host, networks)) return undefined;
  return `${NO_NAME}${remedy(networks)}`;
}

const HOST_NAME = /^(?!-)[a-z0-9.-]{1,253}$/;

/** Checks a host name or address outside a URL. Returns the problem, or undefined if it may be reached. */
export function checkHost(
  host: string,
  networks: Networks,
  options: UrlOptions = {},
): string | undefined {
  const isAddress = ipaddr.IPv6.isValid(host);
  if (!isAddress && !HOST_NAME.test(host)) return 'The host must be a name in plain letters.';
  const text = `https://${isAddress ? `[${host}]` : host}/`;
  const url = URL.parse(text);
  return url ? hostProblem(url, text, networks, options) : 'This is not a valid host name.';
}

const NO_ADDRESS = 'Use a host name, not an address.';
const NOT_PLAIN = 'The host must be written in plain letters.';
const NO_NAME = 'Use a public host name.';

/** In production only operators can open a private host. */
const remedy = ({ may_tenants_open }: Networks) =>
  may_tenants_open ? ' In development, set PRIVATE_NETWORKS to allow local receivers.' : '';

/** Whether the name belongs to a private network, judged by its text only. */
export const isPrivateName = (host: string) =>
  host.endsWith('.') || !host.includes('.') || PRIVATE_NAME.test(host);

/**
 * A private name can be saved if the installation names private networks. The address it resolves to must
 * be in one of them.
 */
const mayResolve = (host: string, networks: Networks) =>
  LOOPBACK_NAME.test(host)
    ? isInAllowedNetwork(networks, '127.0.0.1') || isInAllowedNetwork(networks, '::1')
    : networks.named.length > 0;

/** Whether the tenant's setting has an effect: in development, in the demo and in tests. */
export const allowsPrivateHosts = (
  { may_tenants_open }: Networks,
  { allow_private_hosts = false }: UrlOptions,
) => allow_private_hosts && may_tenants_open;

/**
 * Whether a request may connect to this address: a public address, an address in a network named by the
 * installation or, where the tenant's setting counts, a local or private address. Cloud metadata addresses
 * are allowed only if the installation names them.
 */
export function mayReach(address: string, networks: Networks, options: UrlOptions = {}): boolean {
  if (isPublicAddress(address) || isInAllowedNetwork(networks, address)) return true;
  if (!allowsPrivateHosts(networks, options) || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return LOCAL.has(parsed.range()) && !METADATA.has(parsed.toString());
}

const LOCAL = new Set(['loopback', 'private', 'uniqueLocal']);

/**
 * Whether the address is public unicast. Refuses IPv4 embedded in IPv6 (mapped, NAT64, 6to4, Teredo),
 * because a gateway could unwrap it.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return !METADATA.has(parsed.toString());
  return isGlobalIpv6(parsed.toByteArray());
}

/** Cloud metadata services outside the link-local network. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254']);

/**
 * 2000::/3 except 6to4 (2002::/16). ipaddr.js reports Teredo and documentation networks as their own
 * ranges.
 */
function isGlobalIpv6(bytes: readonly number[]): boolean {
  const [first = 0, second = 0] = bytes;
  return first >= 0x20 && first <= 0x3f && !(first === 0x20 && second === 0x02);
}
