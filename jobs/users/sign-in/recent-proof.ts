import * as accounts from '../../../sql/users/accounts.ts';
import * as factors from '../../../sql/users/second-factors.ts';
import type { Proof } from '../../../sql/users/sessions.ts';
import * as sessions from '../../../sql/users/sessions.ts';
import { Forbidden } from '../../errors.ts';
import type { Work } from '../../work.ts';

/** How long a proof is valid. A client proves once and then makes several changes. */
export const PROOF_MINUTES = 15;

/**
 * Throws Forbidden unless the session has a password or second factor entry from the last PROOF_MINUTES.
 * Signing in here counts; single sign-on does not. Required for changes that grant power.
 */
export async function assertRecentProof({ tx }: Pick<Work, 'tx'>, sessionId: string | undefined) {
  if (sessionId && (await sessions.hasRecentProof(tx, sessionId, PROOF_MINUTES))) return;
  throw proofRequired();
}

export const proofRequired = () =>
  new Forbidden(
    'Enter your password or a second factor again: call POST /auth/prove, then repeat this request.',
    'proof_required',
    { prove_at: '/api/v1/auth/prove', valid_minutes: PROOF_MINUTES },
  );

/** Records a proof for the session. Returns how long it is valid. */
export async function recordProof(
  { tx }: Pick<Work, 'tx'>,
  sessionId: string,
  factor: Proof | null,
) {
  const proved_at = await sessions.noteProof(tx, sessionId, factor);
  const until = new Date(proved_at).getTime() + PROOF_MINUTES * 60_000;
  return { valid_until: new Date(until).toISOString() };
}

/**
 * True if the user has neither a password nor a second factor and the session is new: a single sign-on user
 * who sets up a first factor.
 */
export async function hasNothingToProve(
  { tx }: Pick<Work, 'tx'>,
  userId: string,
  sessionId: string,
) {
  const account = await accounts.findActiveUser(tx, userId);
  if (account === null || account.password_hash !== null) return false;
  if ((await factors.listFactorKinds(tx, userId)).length > 0) return false;
  return sessions.isFresh(tx, sessionId, PROOF_MINUTES);
}
