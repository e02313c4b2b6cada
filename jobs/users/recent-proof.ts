import * as accounts from '../../sql/users/accounts.ts';
import * as factors from '../../sql/users/second-factors.ts';
import type { Proof } from '../../sql/users/sessions.ts';
import * as sessions from '../../sql/users/sessions.ts';
import { Forbidden } from '../errors.ts';
import type { Work } from '../work.ts';

/** For how long a proof counts. A client proves once and then makes several changes. */
export const PROOF_MINUTES = 15;

/**
 * Refuses a change that grants power unless the user of the session entered the password or a second factor
 * here within the last minutes. Signing in here counts; single sign-on does not.
 */
export async function assertRecentProof({ tx }: Pick<Work, 'tx'>, sessionId: string | undefined) {
  if (sessionId && (await sessions.hasRecentProof(tx, sessionId, PROOF_MINUTES))) return;
  throw new Forbidden(
    'Enter your password or a second factor again: call POST /auth/prove, then repeat this request.',
    'proof_required',
    { prove_at: '/api/v1/auth/prove', valid_minutes: PROOF_MINUTES },
  );
}

/** Keeps a proof with the session that gave it. Answers until when it counts. */
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
 * Whether the user has neither a password nor a second factor, and the session is new: somebody who signs in
 * at a provider alone and sets up a first factor here.
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
