import type { z } from 'zod';
import * as accounts from '../../../sql/users/accounts.ts';
import * as recovery from '../../../sql/users/recovery-codes.ts';
import * as factors from '../../../sql/users/second-factors.ts';
import type { FactorKind } from '../../../sql/users/second-factors.ts';
import { endAllSessions } from '../../../sql/users/sessions.ts';
import { markLogin, users } from '../../../sql/users/users.ts';
import { find } from '../../../sql/table.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import type { SignedIn } from '../sign-in/login.ts';
import { notifyUser } from '../notify-user.ts';
import { endPendingSignIn, lockPendingSignIn } from '../sign-in/pending-sign-in.ts';
import type { NewPasskey } from './passkey-shapes.ts';
import { addPasskey, type PasskeySite } from './passkeys.ts';
import { useTotpCode } from './verify-proof.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { writeSecurityLog } from '../security-log.ts';
import { newTotpSecret, totpLabel } from './totp.ts';

/** The user who enrolls a factor. `token` is set if a pending sign-in requires the enrollment. */
export type Enroller = { user_id: string; token: string | null };

/** Returns the user whose pending sign-in requires enrollment, or null. */
export async function findEnroller({ tx }: Work, token: string): Promise<Enroller | null> {
  const pending = await lockPendingSignIn(tx, token, 'enrollment');
  return pending && { user_id: pending.user_id, token };
}

/**
 * Starts enrolling an authenticator app. This response is the only one that shows the secret. It is not a
 * valid factor until a code confirms it. Starting again discards the previous secret.
 */
export async function beginAppEnrollment(work: Work, { user_id }: Enroller) {
  const { tx, tenant_id, installation } = work;
  await accounts.lockUser(tx, user_id);
  if ((await factors.listFactorKinds(tx, user_id)).includes('totp'))
    throw new Conflict(
      'An authenticator app is already enrolled. Remove it first.',
      'already_exists',
    );
  const secret = newTotpSecret();
  await factors.insertUnconfirmedApp(tx, user_id, installation.keys.seal(tenant_id, secret));
  const { name: issuer } = await accounts.findSender(tx);
  const user = await find(tx, users, user_id);
  return { secret, ...totpLabel({ issuer, email: String(user?.['email']), secret }) };
}

/** Confirms the app with its first code. From now on it is required at every sign-in. */
export async function confirmAppEnrollment(work: Work, enroller: Enroller, code: string) {
  await accounts.lockUser(work.tx, enroller.user_id);
  if (!(await useTotpCode(work, enroller.user_id, code, false)))
    throw new Invalid({ code: 'Is wrong, or no enrollment was started.' });
  return enrolled(work, enroller, 'totp');
}

/** Stores a passkey that the user's browser has created. */
export async function confirmPasskeyEnrollment(
  work: Work,
  enroller: Enroller,
  site: PasskeySite,
  made: { name: string; credential: z.output<typeof NewPasskey> },
) {
  await accounts.lockUser(work.tx, enroller.user_id);
  await addPasskey(work, enroller.user_id, site, made);
  return enrolled(work, enroller, 'passkey');
}

export type EnrollmentResult = { recovery_codes: string[]; user: SignedIn };

/**
 * Completes an enrollment: creates recovery codes for the first factor, ends all other sessions and
 * notifies the user by email. A pending sign-in that waited for the enrollment is completed.
 */
async function enrolled(
  work: Work,
  { user_id, token }: Enroller,
  kind: FactorKind,
): Promise<EnrollmentResult> {
  const { tx } = work;
  const isFirst = (await recovery.countUnusedCodes(tx, user_id)) === 0;
  const recovery_codes = isFirst ? await replaceRecoveryCodes(tx, user_id) : [];
  if (token !== null) await endPendingSignIn(tx, token);
  const epoch = await endAllSessions(tx, user_id);
  if (token !== null) await markLogin(tx, user_id, epoch);
  await notifyFactorChange(work, user_id, { old: null, new: kind });
  const route = 'POST /auth/second-factors';
  await writeSecurityLog(work, { event: 'second_factor_add', outcome: 'done', user_id, route });
  if (token !== null)
    await writeSecurityLog(work, { event: 'sign_in', outcome: 'done', user_id, route });
  const row = await find(tx, users, user_id);
  const borrower_id = (row?.['borrower_id'] ?? null) as string | null;
  const user = { id: user_id, borrower_id, second_factor: kind, epoch, is_proved: true };
  return { recovery_codes, user };
}

/**
 * Records every factor change in the audit trail and notifies the user by email. Neither contains the
 * factor's secret.
 */
export async function notifyFactorChange(
  work: Work,
  userId: string,
  change: { old: unknown; new: unknown },
) {
  const action = change.new === null ? 'remove-second-factor' : 'add-second-factor';
  await recordAudit(work, { type: 'users', id: userId }, action, { second_factor: change });
  const message = change.new === null ? 'second_factor_removed' : 'second_factor_added';
  await notifyUser(work, { user_id: userId, message });
}
