import * as accounts from '../../../sql/users/accounts.ts';
import { usesProviderOnly } from '../../../sql/users/identity-providers.ts';
import { endAllSessions } from '../../../sql/users/sessions.ts';
import { setPassword } from '../../../sql/users/users.ts';
import { recordAudit } from '../../audit.ts';
import { Invalid } from '../../errors.ts';
import type { Within, Work } from '../../work.ts';
import { countAttempt, accountSubject } from './throttling.ts';
import { notifyUser } from '../notify-user.ts';
import { verifyCurrentPassword } from './verify-current-password.ts';
import { hashPassword } from './passwords.ts';
import { writeSecurityLog } from '../security-log.ts';
import { hashToken } from '../send-account-message.job.ts';
import { settingsOf } from '../settings/settings.ts';

/**
 * Each new link invalidates the previous one, so frequent requests would fill a mailbox and leave the user
 * without a valid link.
 */
const LINKS = { limit: 3, seconds: 900 };

/**
 * Sends a reset link to the user with this address. The response is the same if there is no such user or if
 * the limit is reached.
 */
export async function requestReset(work: Work, request: { email: string; device: string }) {
  const { tx } = work;
  const email = request.email.trim().toLowerCase();
  const user = await accounts.findActiveByEmail(tx, email);
  const subject = accountSubject(work, email, user?.id ?? null, request.device);
  const counted = await countAttempt(tx, 'request', subject, LINKS);
  // A user who signs in only through a provider gets no link; otherwise a user disabled at the provider
  // could still get in.
  const isElsewhere = await usesProviderOnly(tx, user?.id ?? null);
  const user_id = 'wait' in counted || isElsewhere ? null : (user?.id ?? null);
  await notifyUser(work, { user_id, message: 'password_reset' });
}

/** Whether a link's token is known, unused and not expired. */
export const isLinkUsable = async ({ tx }: Pick<Work, 'tx'>, token: string): Promise<boolean> =>
  (await accounts.findTokenHolder(tx, hashToken(token))) !== null;

const WRONG_LINK =
  'The link is not valid. It works once and for a limited time. Request a new one.';

/**
 * Sets a new password and uses up the link. Ends all sessions, invalidates other links and notifies the
 * user. Does not sign the user in. Returns the user's id; throws Invalid.
 */
export async function resetPassword(
  within: Within,
  tenantId: string,
  { token, password }: { token: string; password: string },
): Promise<string> {
  const hash = hashToken(token);
  await within(tenantId, async (work) => {
    const holder = await accounts.findTokenHolder(work.tx, hash);
    if (holder === null) throw new Invalid({ token: WRONG_LINK });
    await assertPasswordAllowed(work, password, holder, 'password');
  });
  // Hashing is slow, so it runs between the transactions and holds no locks.
  const password_hash = await hashPassword(password);
  return within(tenantId, async (work) => {
    const userId = await accounts.useToken(work.tx, hash);
    if (userId === null) throw new Invalid({ token: WRONG_LINK });
    await storePassword(work, userId, password_hash, 'reset-password');
    return userId;
  });
}

type Change = {
  user_id: string;
  /** The device's cookie, or an empty string. */
  device: string;
  current_password: string;
  new_password: string;
};

/**
 * Changes the password of a user who knows the current one, and ends all sessions. Wrong current passwords
 * are throttled as at login. Returns the new session epoch or the seconds to wait.
 */
export async function changePassword(
  within: Within,
  tenantId: string,
  { user_id, device, current_password, new_password }: Change,
): Promise<{ wait: number } | { epoch: number }> {
  const asked = await verifyCurrentPassword(within, tenantId, {
    user_id,
    device,
    current_password,
  });
  if ('wait' in asked) return asked;
  const { user } = asked;
  await within(tenantId, (work) => assertPasswordAllowed(work, new_password, user, 'new_password'));
  const password_hash = await hashPassword(new_password);
  return within(tenantId, async (work) => {
    await assertUnchanged(work, user);
    return { epoch: await storePassword(work, user_id, password_hash, 'change-password') };
  });
}

/** If two requests change the password concurrently, the second one fails. */
async function assertUnchanged({ tx }: Work, { id, session_epoch }: accounts.Account) {
  await accounts.lockUser(tx, id);
  const now = await accounts.findActiveUser(tx, id);
  if (now?.session_epoch !== session_epoch) throw new Invalid({ current_password: 'Is wrong.' });
}

type Person = { email: string; first_name: string; last_name: string };

/**
 * Throws Invalid if the new password is too short, easy to guess or contains the user's or lender's name.
 */
export async function assertPasswordAllowed(
  { tx }: Pick<Work, 'tx'>,
  password: string,
  person: Person,
  field: string,
) {
  const { auth } = await settingsOf(tx);
  const { name } = await accounts.findSender(tx);
  const problem = await findPasswordProblem(password, {
    ...person,
    tenant: name,
    least: auth.password_min,
  });
  if (problem !== null) throw new Invalid({ [field]: problem });
}

const CHARACTERS_MAX = 128;

/** Returns the problem with a new password, or null. There are no composition rules (NIST SP 800-63B). */
export async function findPasswordProblem(
  password: string,
  { email, first_name, last_name, tenant, least }: Person & { tenant: string; least: number },
): Promise<string | null> {
  if (password.length > CHARACTERS_MAX) return `Must be at most ${CHARACTERS_MAX} characters.`;
  if (Array.from(password).length < least) return `Must be at least ${least} characters.`;
  const folded = password.toLowerCase();
  const [name = ''] = email.toLowerCase().split('@');
  if (name.length >= 4 && folded.includes(name)) return 'Must not contain the email address.';
  const lender = tenant.toLowerCase();
  if (lender.length >= 4 && folded.includes(lender)) return 'Must not contain our name.';
  // Loaded on first use: the dictionaries take seven megabytes of memory.
  const { isGuessable } = await import('./guessable-passwords.ts');
  const isFound = isGuessable(password, [email, `${first_name} ${last_name}`, tenant]);
  return isFound ? 'Is too easy to guess. Use several unrelated words.' : null;
}

const PASSWORD_EVENTS = {
  'reset-password': { event: 'password_reset', route: 'POST /auth/password/reset' },
  'change-password': { event: 'password_change', route: 'POST /auth/password/change' },
} as const;

async function storePassword(
  work: Work,
  userId: string,
  passwordHash: string,
  action: keyof typeof PASSWORD_EVENTS,
) {
  await setPassword(work.tx, userId, passwordHash);
  const epoch = await endAllSessions(work.tx, userId);
  await accounts.voidTokens(work.tx, userId);
  await recordAudit(work, { type: 'users', id: userId }, action, {
    password: { old: '***', new: '***' },
  });
  await writeSecurityLog(work, { ...PASSWORD_EVENTS[action], outcome: 'done', user_id: userId });
  await notifyUser(work, { user_id: userId, message: 'password_changed' });
  return epoch;
}
