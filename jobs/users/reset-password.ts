import * as accounts from '../../sql/users/accounts.ts';
import { endAll } from '../../sql/users/sessions.ts';
import { setPassword } from '../../sql/users/users.ts';
import { record } from '../audit.ts';
import { Invalid } from '../errors.ts';
import type { Within, Work } from '../work.ts';
import { notify } from './notify.ts';
import { hashPassword, problemWith, verifyPassword } from './passwords.ts';
import { witness } from './security-log.ts';
import { hashOf } from './send-account-message.job.ts';
import { settingsOf } from './settings.ts';

/** Has a link sent to whoever has this address, and says nothing of whether there is somebody. */
export async function requestReset(work: Work, email: string) {
  const user = await accounts.activeByEmail(work.tx, email.trim().toLowerCase());
  await notify(work, { user_id: user?.id ?? null, message: 'password_reset' });
}

const WRONG_LINK = 'The link is not valid. It works once, and only for a limited time.';

/**
 * Sets a new password for whoever holds the link, which is used up by that. Every session of the
 * user ends, other links open nothing, and the user is told; nobody is signed in by it.
 */
export async function resetPassword(
  within: Within,
  tenantId: string,
  { token, password }: { token: string; password: string },
) {
  const hash = hashOf(token);
  await within(tenantId, async (work) => {
    const holder = await accounts.holderOf(work.tx, hash);
    if (holder === null) throw new Invalid({ token: WRONG_LINK });
    await checkPassword(work, password, holder.email, 'password');
  });
  // Hashing takes a while, and no row stays locked meanwhile.
  const password_hash = await hashPassword(password);
  await within(tenantId, async (work) => {
    const userId = await accounts.useToken(work.tx, hash);
    if (userId === null) throw new Invalid({ token: WRONG_LINK });
    await keep(work, userId, password_hash, 'reset-password');
  });
}

/** Sets a new password for a user who knows the old one; the sessions of the old one end. */
export async function changePassword(
  within: Within,
  tenantId: string,
  userId: string,
  passwords: { current_password: string; new_password: string },
) {
  const user = await within(tenantId, ({ tx }) => accounts.active(tx, userId), { readOnly: true });
  if (!(await verifyPassword(passwords.current_password, user?.password_hash ?? null)))
    throw new Invalid({ current_password: 'Is wrong.' });
  await within(tenantId, (work) =>
    checkPassword(work, passwords.new_password, user?.email ?? '', 'new_password'),
  );
  const password_hash = await hashPassword(passwords.new_password);
  await within(tenantId, (work) => keep(work, userId, password_hash, 'change-password'));
}

/** Refuses a new password that is too short, too common, or says whose it is. */
export async function checkPassword({ tx }: Work, password: string, email: string, field: string) {
  const { auth } = await settingsOf(tx);
  const { name } = await accounts.sender(tx);
  const problem = problemWith(password, { email, tenant: name, least: auth.password_min });
  if (problem !== null) throw new Invalid({ [field]: problem });
}

const PASSWORD_EVENTS = {
  'reset-password': { event: 'password_reset', route: 'POST /auth/password/reset' },
  'change-password': { event: 'password_change', route: 'POST /auth/password/change' },
} as const;

async function keep(
  work: Work,
  userId: string,
  passwordHash: string,
  action: keyof typeof PASSWORD_EVENTS,
) {
  await setPassword(work.tx, userId, passwordHash);
  await endAll(work.tx, userId);
  await accounts.voidTokens(work.tx, userId);
  await record(work, { type: 'users', id: userId }, action, {
    password: { old: '***', new: '***' },
  });
  await witness(work, { ...PASSWORD_EVENTS[action], outcome: 'done', user_id: userId });
  await notify(work, { user_id: userId, message: 'password_changed' });
}
