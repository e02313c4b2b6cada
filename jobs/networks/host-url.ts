import ipaddr from 'ipaddr.js';
import { isInAllowedNetwork, type Networks } from './networks.ts';

/** What a tenant has set; it counts outside production alone. */
export type UrlOptions = { allow_private_hosts?: boolean };
export type CheckedUrl = { href: string } | { problem: string };

const URL_CHARACTERS_MAX = 2_048;

/** Names that mean a private network, whatever they resolve to. */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;
/** All that an address may consist of: for any other text the library throws before it says no, 40 µs each time. */
const ADDRESS = /^[\da-fx.:]+$/i;
/** Of what else a parser of URLs lets through, another reader may take a part for the host. */
const PLAIN_NAME = /^[\w.-]+$/;
const LOOPBACK_NAME = /(^|\.)localhost$/;
/** Names under which clouds keep the secrets of a machine. */
const METADATA_NAME = /^(metadata|instance-data)(\.|$)/;
const METADATA_ADDRESS = '169.254.169.254';

/**
 * The URL of a webhook receiver as it is stored, or a sentence that says why it is refused.
 *
 * Only what the text shows is judged here; what its name resolves to is judged at each delivery
 * (mayReach), since it may change between the two.
 */
export function checkWebhookUrl(
  text: unknown,
  networks: Networks,
  options: UrlOptions = {},
): CheckedUrl {
  if (typeof text !== 'string') return { problem: 'The URL must be a string.' };
  const trimmed = text.trim();
  if (trimmed.length > URL_CHARACTERS_MAX) return { problem: 'The URL is too long.' };
  if (!/^https:\/\/[^/\\]/i.test(trimmed)) return { problem: 'The URL must begin with https://.' };
  // The parser would take these out silently, and another reader might not.
  if (/[\s\p{Cc}\\]/u.test(trimmed)) return { problem: 'The URL holds a forbidden character.' };
  const url = URL.parse(trimmed);
  if (!url) return { problem: 'This is not a URL.' };
  if (/^https:\/\/[^/?#]*@/i.test(trimmed)) return { problem: 'The URL must not hold a user.' };
  if (trimmed.includes('#')) return { problem: 'The URL must not hold a fragment.' };
  const problem = portProblem(url) ?? hostProblem(url, trimmed, networks, options);
  return problem ? { problem } : { href: url.href };
}

function portProblem({ port }: URL): string | undefined {
  const isAllowed = port === '' || (Number(port) >= 1024 && Number(port) <= 65_535);
  return isAllowed ? undefined : 'The port must be 443 or 1024 and above.';
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
    return isReached ? undefined : NO_ADDRESS;
  }
  if (!PLAIN_NAME.test(host)) return NOT_PLAIN;
  if (METADATA_NAME.test(host) && !isInAllowedNetwork(networks, METADATA_ADDRESS)) return NO_NAME;
  if (isOpen) return undefined;
  // Letters that look like others: a reader of the list would not see the difference.
  if (/^https:\/\/[^/?]*[^\u0020-\u007e]/i.test(text) || /(^|\.)xn--/.test(host)) {
    return NOT_PLAIN;
  }
  return isPrivateName(host) && !mayResolve(host, networks) ? NO_NAME : undefined;
}

const HOST_NAME = /^(?!-)[a-z0-9.-]{1,253}$/;

/** Why a host that is no part of a URL is refused, in a sentence; nothing, where it may be reached. */
export function checkHost(
  host: string,
  networks: Networks,
  options: UrlOptions = {},
): string | undefined {
  const isAddress = ipaddr.IPv6.isValid(host);
  if (!isAddress && !HOST_NAME.test(host)) return 'The host must be a name in plain letters.';
  const text = `https://${isAddress ? `[${host}]` : host}/`;
  const url = URL.parse(text);
  return url ? hostProblem(url, text, networks, options) : 'This is not the name of a host.';
}

const NO_ADDRESS = 'The host must be a name, not an address.';
const NOT_PLAIN = 'The host must be written in plain letters.';
const NO_NAME = 'The host must be a public name.';

/** Whether the name means a host of a private network, as far as its letters tell. */
export const isPrivateName = (host: string) =>
  host.endsWith('.') || !host.includes('.') || PRIVATE_NAME.test(host);

/** A private name may be kept where networks are named; what it resolves to must lie in one. */
const mayResolve = (host: string, networks: Networks) =>
  LOOPBACK_NAME.test(host)
    ? isInAllowedNetwork(networks, '127.0.0.1') || isInAllowedNetwork(networks, '::1')
    : networks.named.length > 0;

/** Whether the tenant's own switch counts here: for development, the demo and tests. */
export const allowsPrivateHosts = (
  { may_tenants_open }: Networks,
  { allow_private_hosts = false }: UrlOptions,
) => allow_private_hosts && may_tenants_open;

/**
 * Whether a request may go to the address: a public one, one in a network that the installation has
 * named, or, where the tenant's switch counts, one of the machine or of its private networks. Where
 * clouds keep their secrets only its own name in that list leads.
 */
export function mayReach(address: string, networks: Networks, options: UrlOptions = {}): boolean {
  if (isPublicAddress(address) || isInAllowedNetwork(networks, address)) return true;
  if (!allowsPrivateHosts(networks, options) || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return LOCAL.has(parsed.range()) && !METADATA.has(parsed.toString());
}

const LOCAL = new Set(['loopback', 'private', 'uniqueLocal']);

/**
 * Whether the address is of the public network: unicast only. IPv4 inside IPv6 (mapped,
 * NAT64, 6to4, Teredo) is refused altogether, since a gateway would unwrap it.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return !METADATA.has(parsed.toString());
  return isGlobalIpv6(parsed.toByteArray());
}

/** Inside a cloud these addresses outside the link-local network answer with its secrets. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254']);

/** 2000::/3 without what tunnels and documents. */
function isGlobalIpv6(bytes: readonly number[]): boolean {
  const [first = 0, second = 0] = bytes;
  return first >= 0x20 && first <= 0x3f && !(first === 0x20 && second === 0x02);
}
