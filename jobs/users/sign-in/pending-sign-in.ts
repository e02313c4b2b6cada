import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../../sql/database/db.ts';
import * as pending from '../../../sql/users/pending-sign-ins.ts';
import type { loadMethods } from '../second-factors/second-factors.ts';
import { hashToken } from '../send-account-message.job.ts';

/** Installing an authenticator app takes longer than entering a code. */
const SECONDS = { proof: 600, enrollment: 1800 } as const;

/** After this many attempts the first factor is required again. */
export const ATTEMPTS_MAX = 5;

type Methods = Awaited<ReturnType<typeof loadMethods>>['methods'];

/** The required second factor, and the token with which the browser continues. */
export type SecondFactorRequest = {
  token: string;
  seconds: number;
  second_factor: { methods: Methods; must_enroll: boolean; expires_at: string };
};

/**
 * Records that the first factor was correct. The returned token gives no access; it only allows the second
 * factor, or an enrollment if the user has none. Null if the user's sessions were ended in the meantime.
 */
export async function awaitSecondFactor(
  tx: Transaction,
  { id: user_id, session_epoch: epoch }: { id: string; session_epoch: number },
  methods: Methods,
): Promise<SecondFactorRequest | null> {
  const wants = methods.length > 0 ? 'proof' : 'enrollment';
  const token = randomBytes(32).toString('base64url');
  const seconds = SECONDS[wants];
  const expires_at = await pending.beginPendingSignIn(tx, {
    hash: hashToken(token),
    user_id,
    epoch,
    wants,
    seconds,
  });
  if (expires_at === null) return null;
  const second_factor = { methods, must_enroll: wants === 'enrollment', expires_at };
  return { token, seconds, second_factor };
}

/**
 * Locks the pending sign-in of this token until the transaction ends. Null if it has another purpose, has
 * expired or has used all attempts.
 */
export async function lockPendingSignIn(
  tx: Transaction,
  token: string,
  wants: pending.PendingPurpose,
) {
  const found = token === '' ? null : await pending.lockOpen(tx, hashToken(token));
  return found !== null && found.wants === wants && found.tries < ATTEMPTS_MAX ? found : null;
}

export const countPendingAttempt = (tx: Transaction, token: string) =>
  pending.countAttempt(tx, hashToken(token));

export const endPendingSignIn = (tx: Transaction, token: string) =>
  pending.endPendingSignIn(tx, hashToken(token));
