import { assertRecentProof, PROOF_MINUTES } from '../../jobs/users/sign-in/recent-proof.ts';
import { isFieldDenied } from '../../sql/users/permissions.ts';
import { withApproval } from './approval-gate.ts';
import type { Call, Route } from './route.ts';

/** The sentence about the proof in the OpenAPI description. */
export const describeProof = ({ needs_proof }: Pick<Route, 'needs_proof'>): string => {
  if (needs_proof === undefined) return '';
  const when = needs_proof === true ? 'Needs' : 'May need';
  return ` ${when} a recent proof: a sign-in with the password, or POST /auth/prove, at most ${PROOF_MINUTES} minutes ago. Otherwise 403 proof_required.`;
};

/** Whether this call grants power and therefore needs a recent proof. */
export const isProofNeeded = async ({ needs_proof }: Pick<Route, 'needs_proof'>, call: Call) =>
  needs_proof === true || (needs_proof !== undefined && (await needs_proof(call)));

/**
 * Wraps an endpoint so that it runs only after any required proof. The check also precedes storing a
 * request for approval.
 */
export function withRecentProof(route: Route & { transaction: 'read' | 'write' }) {
  const run = withApproval(route);
  if (route.needs_proof === undefined) return run;
  return async (call: Call) => {
    await assertProved(route, call);
    return run(call);
  };
}

/** Throws 403 if the call needs a recent proof and the session has none. */
export async function assertProved(route: Pick<Route, 'needs_proof'>, call: Call) {
  if (await isProofNeeded(route, call)) await assertRecentProof(call.work, call.user?.session_id);
}

/**
 * For endpoints that set destinations outside the platform. If any user of the tenant is denied a field, a
 * new destination could reveal that field to this user.
 */
export const isAnyFieldDenied = ({ work }: Call) => isFieldDenied(work.tx);
