import * as accounts from '../../../sql/users/accounts.ts';
import * as providers from '../../../sql/users/identity-providers.ts';
import * as signIns from '../../../sql/users/provider-sign-ins.ts';
import { endAllSessions } from '../../../sql/users/sessions.ts';
import { find } from '../../../sql/table.ts';
import { TENANT_ROLES, users } from '../../../sql/users/users.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict, NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { countAttempt } from '../sign-in/throttling.ts';
import { notifyUser } from '../notify-user.ts';
import { hashToken } from '../send-account-message.job.ts';

/** How long a user has to sign in with the existing method and consent. */
const SECONDS = 1_800;
/** Limits emails per user, because a provider could trigger them without limit. */
const LINK_EMAILS_MAX = { limit: 3, seconds: 3_600 };

type LinkRequest = { sign_in_id: string; provider_id: string; user_id: string; subject: string };

/** Records that a provider identified a user who is not linked to it, and notifies that user by email. */
export async function requestLinkConsent(work: Work, { sign_in_id, ...asked }: LinkRequest) {
  const { tx } = work;
  const { user_id, provider_id, subject } = asked;
  await signIns.markUnlinked(tx, sign_in_id, { user_id, subject, seconds: SECONDS });
  const provider = { provider_id: { old: null, new: provider_id } };
  await recordAudit(work, { type: 'users', id: user_id }, 'ask-to-link-provider', provider);
  const counted = await countAttempt(tx, 'request', `link ${user_id}`, LINK_EMAILS_MAX);
  if ('wait' in counted) return;
  await notifyUser(work, { user_id, message: 'provider_link_asked', provider_id });
}

/**
 * Links the signed-in user to the provider's subject. The browser must hold the token of that provider
 * sign-in, so that a user cannot confirm another person's sign-in.
 */
export async function confirmLink(
  work: Work,
  { token, user_id }: { token: string; user_id: string },
) {
  const { tx } = work;
  const provider_id = token === '' ? null : await signIns.findWaitingProvider(tx, hashToken(token));
  // Locks in the same order as provider changes, which end sign-ins and sessions: the provider first.
  const held = provider_id === null ? null : await providers.lockActive(tx, provider_id);
  await accounts.lockUser(tx, user_id);
  const subject = held === null ? null : await signIns.acceptLink(tx, hashToken(token), user_id);
  if (provider_id === null || held === null || subject === null) throw noLinkToConfirm();
  const user = await find(tx, users, user_id);
  const role_max = TENANT_ROLES.find((role) => role === user?.['tenant_role']) ?? 'none';
  const { issuer_url } = held;
  await providers.linkUser(tx, { provider_id, issuer_url }, { subject, user_id, role_max });
  await recordAudit(work, { type: 'users', id: user_id }, 'link-to-provider', {
    provider_id: { old: null, new: provider_id },
  });
  await notifyUser(work, { user_id, message: 'provider_linked', provider_id });
}

/** The providers through which the user can sign in. */
export const listLinks = ({ tx }: Work, userId: string) => providers.listLinks(tx, userId);

/**
 * Removes the user's link to a provider and ends all sessions. Returns the epoch for the current session.
 * Throws Conflict if the user has no password, because the link is then the only way to sign in.
 */
export async function removeLink(
  work: Work,
  { user_id, provider_id }: { user_id: string; provider_id: string },
): Promise<number> {
  const { tx } = work;
  await accounts.lockUser(tx, user_id);
  const account = await accounts.findActiveUser(tx, user_id);
  if (!(await providers.unlinkUser(tx, user_id, provider_id))) throw new NotFound();
  if (account === null || account.password_hash === null) throw onlyWayIn();
  await recordAudit(work, { type: 'users', id: user_id }, 'unlink-from-provider', {
    provider_id: { old: provider_id, new: null },
  });
  return endAllSessions(tx, user_id);
}

export const noLinkToConfirm = () =>
  new Conflict(
    'No sign-in waits for your consent in this browser. Sign in at the provider again.',
    'no_link_to_confirm',
  );

export const onlyWayIn = () =>
  new Conflict(
    'You have no password, so this is your only way to sign in. Set a password first.',
    'only_way_in',
  );
