import * as rows from '../../sql/users/security-log.ts';
import type { Work } from '../work.ts';

/** A security event of a tenant and the user it concerns. */
export type SecurityEvent = {
  event: string;
  outcome: rows.SecurityRow['outcome'];
  reason?: string;
  /** The user concerned, if not the actor: the user who signs in or uses a link. */
  user_id?: string | null;
  /**
   * The attempted address. Stored only as a keyed hash, and not stored at all if it belongs to an account.
   */
  email?: string | null;
  subject_id?: string | null;
  route: string;
  occurrences?: number;
};

/** Writes one row of the security log in the given transaction. Rows are never changed. */
export async function writeSecurityLog(work: Work, { email = null, ...given }: SecurityEvent) {
  const { tx, tenant_id, actor, installation } = work;
  const address = email?.trim().toLowerCase() ?? null;
  await rows.writeSecurityLog(tx, {
    event: given.event,
    outcome: given.outcome,
    reason: given.reason ?? null,
    user_id: given.user_id ?? actor.id,
    email: address,
    attempted_identifier: address === null ? null : installation.keys.keyedHash(tenant_id, address),
    subject_id: given.subject_id ?? null,
    route: given.route,
    ip_address: actor.ip,
    request_id: actor.request_id,
    occurrences: given.occurrences ?? 1,
  });
}
