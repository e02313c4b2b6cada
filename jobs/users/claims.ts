import { z } from 'zod';
import { emailAddress } from '../../sql/types.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';

type Role = (typeof TENANT_ROLES)[number];

const name = z.string().trim().min(1).max(200).optional().catch(undefined);
const lines = z
  .union([z.string().transform((line) => [line]), z.array(z.string())])
  .optional()
  .catch(undefined);

/** Other letters may become those of another address when they are made small, such as the Kelvin sign. */
const asciiAddress = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .pipe(emailAddress);

/** What a provider says of somebody, as far as we look at it; the rest of it is never kept. */
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: asciiAddress.optional().catch(undefined),
  // Some providers write it as a text.
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
  /** Only where the provider has seen to it that it is his. */
  email: string | null;
  first_name: string;
  last_name: string;
  is_multi_factor: boolean;
};

/** Who it is, or null where the provider does not even say that. */
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

/** By the words of RFC 8176: what somebody knows, has, or is. */
const KINDS: readonly (readonly string[])[] = [
  ['pwd', 'pin', 'kba'],
  ['otp', 'hwk', 'swk', 'sms', 'tel', 'sc', 'pop'],
  ['face', 'fpt', 'iris', 'retina', 'vbm'],
];

const isMultiFactor = (amr: readonly string[]) =>
  amr.includes('mfa') ||
  KINDS.filter((words) => words.some((word) => amr.includes(word))).length > 1;

/**
 * The highest of the roles that the claim means; null where it means none. A claim may lie deeper:
 * `realm_access.roles`; one whose own name has dots is looked for first.
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
