import { assertRecentProof, PROOF_MINUTES } from '../../jobs/users/recent-proof.ts';
import { isFieldDenied } from '../../sql/users/permissions.ts';
import { withApproval } from './approval-gate.ts';
import type { Call, Route } from './route.ts';

export type NeedsProof = true | ((call: Call) => boolean | Promise<boolean>);

/** For OpenAPI. */
export const describeProof = ({ needs_proof }: Pick<Route, 'needs_proof'>): string => {
  if (needs_proof === undefined) return '';
  const when = needs_proof === true ? 'Needs' : 'May need';
  return ` ${when} a recent proof: a sign-in with the password, or POST /auth/prove, at most ${PROOF_MINUTES} minutes ago. Otherwise 403 proof_required.`;
};

/** Whether this call of the route grants power, and so needs a recent proof. */
export const isProofNeeded = async ({ needs_proof }: Pick<Route, 'needs_proof'>, call: Call) =>
  needs_proof === true || (needs_proof !== undefined && (await needs_proof(call)));

/** What the endpoint does, once a proof that it needs is there; also before a request for approval is kept. */
export function withRecentProof(route: Route & { transaction: 'read' | 'write' }) {
  const run = withApproval(route);
  if (route.needs_proof === undefined) return run;
  return async (call: Call) => {
    await assertProved(route, call);
    return run(call);
  };
}

/** Refuses the call where it needs a proof that is not there. */
export async function assertProved(route: Pick<Route, 'needs_proof'>, call: Call) {
  if (await isProofNeeded(route, call)) await assertRecentProof(call.work, call.user?.session_id);
}

/**
 * For endpoints that decide where data goes, outside the platform: where anybody of the tenant is denied a
 * field, a new destination could show it to that person.
 */
export const isAnyFieldDenied = ({ work }: Call) => isFieldDenied(work.tx);
