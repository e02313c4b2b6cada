import * as accounts from '../../../sql/users/accounts.ts';
import * as recovery from '../../../sql/users/recovery-codes.ts';
import * as factors from '../../../sql/users/second-factors.ts';
import { endAllSessions, type Proof } from '../../../sql/users/sessions.ts';
import { users } from '../../../sql/users/users.ts';
import { find, findLocked, type Row } from '../../../sql/table.ts';
import { Conflict, NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { notifyFactorChange } from './enroll.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { isSecondFactorRequired } from './second-factors.ts';
import { settingsOf } from '../settings/settings.ts';

type Holder = { tenant_role: string | null; borrower_id: string | null };

/**
 * Removes one of the user's own factors and ends the user's sessions. Removing the last factor also deletes
 * the recovery codes. Throws Conflict if the tenant requires a second factor and this is the last one.
 * Returns the proof that the current session keeps.
 */
export async function removeSecondFactor(
  work: Work,
  { user_id, id, proof }: { user_id: string; id: string; proof: Proof | null },
): Promise<{ second_factor: Proof | null; epoch: number }> {
  const { tx } = work;
  await accounts.lockUser(tx, user_id);
  const kind = await factors.deleteFactor(tx, user_id, id);
  if (kind === null) throw new NotFound();
  const isLast = (await factors.listFactorKinds(tx, user_id)).length === 0;
  const holder = (await find(tx, users, user_id)) as (Row & Holder) | null;
  const { auth } = await settingsOf(tx);
  if (isLast && holder !== null && isSecondFactorRequired(auth, holder)) throw lastFactorRequired();
  if (isLast) await recovery.deleteCodes(tx, user_id);
  const epoch = await endAllSessions(tx, user_id);
  await notifyFactorChange(work, user_id, { old: kind, new: null });
  return { second_factor: isLast && proof !== 'provider' ? null : proof, epoch };
}

/** Replaces the user's recovery codes and returns the new ones. They cannot be shown again. */
export async function renewRecoveryCodes({ tx }: Work, userId: string): Promise<string[]> {
  await accounts.lockUser(tx, userId);
  if ((await factors.listFactorKinds(tx, userId)).length === 0) throw noSecondFactor();
  return replaceRecoveryCodes(tx, userId);
}

/**
 * Removes all factors and recovery codes of another user who has lost them, and ends that user's sessions.
 * The user enrolls again at the next sign-in. Throws Conflict for the actor's own factors. Does nothing for
 * a user without factors.
 */
export async function resetSecondFactors(work: Work, userId: string): Promise<Row> {
  const { tx, actor } = work;
  const user = await findLocked(tx, users, userId);
  if (user === null) throw new NotFound();
  if (actor.id === userId) throw ownSecondFactor();
  const kinds = await factors.deleteAllFactors(tx, userId);
  await recovery.deleteCodes(tx, userId);
  if (kinds.length === 0) return user;
  await endAllSessions(tx, userId);
  await notifyFactorChange(work, userId, {
    old: [...new Set(kinds)].toSorted().join(', '),
    new: null,
  });
  return user;
}

export const lastFactorRequired = () =>
  new Conflict(
    'A second factor is required here. Enroll another one first.',
    'second_factor_required',
  );

export const noSecondFactor = () =>
  new Conflict('Recovery codes replace a second factor. Enroll one first.', 'no_second_factor');

export const ownSecondFactor = () =>
  new Conflict(
    'You cannot reset your own factors. Remove them one by one, or ask another superadmin.',
    'own_second_factor',
  );
