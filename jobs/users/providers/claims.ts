import { z } from 'zod';
import { emailAddress } from '../../../sql/types.ts';
import { TENANT_ROLES } from '../../../sql/users/users.ts';

type Role = (typeof TENANT_ROLES)[number];

const name = z.string().trim().min(1).max(200).optional().catch(undefined);
const lines = z
  .union([z.string().transform((line) => [line]), z.array(z.string())])
  .optional()
  .catch(undefined);

/** ASCII only. Lowercasing other letters, such as the Kelvin sign, could turn one address into another. */
const asciiAddress = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .pipe(emailAddress);

/** The identity provider's claims that the platform reads. All other claims are discarded. */
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: asciiAddress.optional().catch(undefined),
  // Some providers send this claim as a string.
  email_verified: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .optional()
    .catch(undefined),
  given_name: name,
  family_name: name,
  name,
  amr: lines,
});

export type ClaimedPerson = {
  subject: string;
  /** Set only if the provider has verified the address. */
  email: string | null;
  first_name: string;
  last_name: string;
  is_multi_factor: boolean;
};

/** Returns null if the claims have no valid subject. */
export function readPerson(claims: Record<string, unknown>): ClaimedPerson | null {
  const read = Claims.safeParse(claims);
  if (!read.success) return null;
  const { sub, email, email_verified, given_name, family_name, amr = [] } = read.data;
  const [first = 'Unknown', ...rest] = (read.data.name ?? '').split(' ').filter(Boolean);
  return {
    subject: sub,
    email: email !== undefined && email_verified === true ? email : null,
    first_name: given_name ?? first,
    last_name: family_name ?? (rest.join(' ') || 'Staff'),
    is_multi_factor: isMultiFactor(amr),
  };
}

/** Authentication methods of RFC 8176 by kind: knowledge, possession, inherence. */
const KINDS: readonly (readonly string[])[] = [
  ['pwd', 'pin', 'kba'],
  ['otp', 'hwk', 'swk', 'sms', 'tel', 'sc', 'pop'],
  ['face', 'fpt', 'iris', 'retina', 'vbm'],
];

const isMultiFactor = (amr: readonly string[]) =>
  amr.includes('mfa') ||
  KINDS.filter((words) => words.some((word) => amr.includes(word))).length > 1;

/**
 * The highest role that the claim maps to, or null. A claim may be nested, as in `realm_access.roles`. A
 * top-level claim whose own name contains dots takes precedence.
 */
export function readRole(
  claims: Record<string, unknown>,
  claim: string,
  roles: Readonly<Record<string, Role>>,
): Role | null {
  const own = Object.hasOwn(claims, claim) ? claims[claim] : deeper(claims, claim.split('.'));
  const named = (lines.parse(own) ?? []).flatMap((word) =>
    Object.hasOwn(roles, word) ? [roles[word]] : [],
  );
  return TENANT_ROLES.findLast((role) => named.includes(role)) ?? null;
}

function deeper(at: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
  if (!isThere) return undefined;
  const found = (at as Record<string, unknown>)[name];
  return rest.length === 0 ? found : deeper(found, rest);
}
