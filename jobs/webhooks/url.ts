import ipaddr from 'ipaddr.js';

export type UrlOptions = { allow_private_hosts?: boolean };
export type CheckedUrl = { href: string } | { problem: string };

const URL_CHARACTERS_MAX = 2_048;

/** Names that mean a private network, whatever they resolve to. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

/**
 * The URL of a webhook receiver as it is stored, or a sentence that says why it is refused.
 *
 * Only what the text shows is judged here; what its name resolves to is judged at each delivery,
 * since it may change between the two.
 */
export function checkWebhookUrl(text: unknown, options: UrlOptions = {}): CheckedUrl {
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
  const problem = portProblem(url) ?? hostProblem(url, trimmed, options);
  return problem ? { problem } : { href: url.href };
}

function portProblem({ port }: URL): string | undefined {
  const isAllowed = port === '' || (Number(port) >= 1024 && Number(port) <= 65_535);
  return isAllowed ? undefined : 'The port must be 443 or 1024 and above.';
}

function hostProblem(url: URL, text: string, options: UrlOptions): string | undefined {
  const host = url.hostname;
  const isAddress = host.startsWith('[') || ipaddr.IPv4.isValid(host);
  if (options.allow_private_hosts) return undefined;
  if (isAddress) return 'The host must be a name, not an address.';
  // Letters that look like others: a reader of the list would not see the difference.
  if (/^https:\/\/[^/?]*[^\u0020-\u007e]/i.test(text) || /(^|\.)xn--/.test(host)) {
    return 'The host must be written in plain letters.';
  }
  if (host.endsWith('.') || !host.includes('.') || PRIVATE_NAME.test(host)) {
    return 'The host must be a public name.';
  }
  return undefined;
}

/**
 * Whether a delivery may connect to the address: public unicast only. IPv4 inside IPv6 (mapped,
 * NAT64, 6to4, Teredo) is refused altogether, since a gateway would unwrap it.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return !METADATA.has(parsed.toString());
  return isGlobalIpv6(parsed.toByteArray());
}

/** Inside a cloud these public addresses answer with its secrets. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', '192.0.0.192']);

/** 2000::/3 without what tunnels and documents. */
function isGlobalIpv6(bytes: readonly number[]): boolean {
  const [first = 0, second = 0] = bytes;
  return first >= 0x20 && first <= 0x3f && !(first === 0x20 && second === 0x02);
}
