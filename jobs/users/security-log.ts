import * as rows from '../../sql/users/security-log.ts';
import type { Work } from '../work.ts';

/** What happened to the security of a tenant, and to whom. */
export type SecurityEvent = {
  event: string;
  outcome: rows.SecurityRow['outcome'];
  reason?: string;
  /** Somebody else than the one who acts: whoever signs in, or holds the link. */
  user_id?: string | null;
  /** The address that was tried; kept only as a keyed hash, and not even so if it is an account's. */
  email?: string | null;
  subject_id?: string | null;
  route: string;
  occurrences?: number;
};

/** Writes one row of the security log, in the transaction that it is given. Nothing ever changes it. */
export async function writeSecurityLog(work: Work, { email = null, ...given }: SecurityEvent) {
  const { tx, tenant_id, actor, installation } = work;
  const address = email?.trim().toLowerCase() ?? null;
  await rows.write(tx, {
    event: given.event,
    outcome: given.outcome,
    reason: given.reason ?? null,
    user_id: given.user_id ?? actor.id,
    email: address,
    attempted_address_hash:
      address === null ? null : installation.keys.keyedHash(tenant_id, address),
    subject_id: given.subject_id ?? null,
    route: given.route,
    ip_address: actor.ip,
    request_id: actor.request_id,
    occurrences: given.occurrences ?? 1,
  });
}
