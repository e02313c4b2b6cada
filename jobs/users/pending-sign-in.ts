import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../sql/database/db.ts';
import * as pending from '../../sql/users/pending-sign-ins.ts';
import type { loadMethods } from './second-factors.ts';
import { hashToken } from './send-account-message.job.ts';

/** Whoever has to install an app first needs longer than whoever reads a code off it. */
const SECONDS = { proof: 600, enrollment: 1800 } as const;

/** After so many tries the first factor is asked for again. */
export const ATTEMPTS_MAX = 5;

type Methods = Awaited<ReturnType<typeof loadMethods>>['methods'];

/** What is wanted of whoever has proved himself once, and what his browser goes on with. */
export type SecondFactorRequest = {
  token: string;
  seconds: number;
  second_factor: { methods: Methods; must_enroll: boolean; expires_at: string };
};

/**
 * Keeps that the user has proved himself once. What it gives out opens nothing: it only goes on to the
 * second proof, or, for a user who has nothing to prove himself with, to enrolling that. Null where the
 * user's sessions have ended since he proved himself.
 */
export async function awaitSecondFactor(
  tx: Transaction,
  { id: user_id, session_epoch: epoch }: { id: string; session_epoch: number },
  methods: Methods,
): Promise<SecondFactorRequest | null> {
  const wants = methods.length > 0 ? 'proof' : 'enrollment';
  const token = randomBytes(32).toString('base64url');
  const seconds = SECONDS[wants];
  const expires_at = await pending.begin(tx, {
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

/** Who goes on with this, if it is for that and not over; held until the transaction has ended. */
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
  pending.end(tx, hashToken(token));
