import { listAdmins } from '../../sql/users/accounts.ts';
import * as deadLetters from '../../sql/webhooks/dead-letters.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { notifyUser } from '../users/notify-user.ts';
import type { Work } from '../work.ts';

/**
 * Disables a subscription. Scheduled deliveries become dead letters. With a reason (not disabled by a
 * user), notifies the tenant's admins once.
 */
export async function disableSubscription(work: Work, id: string, reason: string | null) {
  const { tx } = work;
  const wasOn = await subscriptions.disableSubscription(tx, id, reason);
  await deadLetters.createForScheduled(tx, id);
  if (!wasOn || reason === null) return;
  for (const user_id of await listAdmins(tx))
    await notifyUser(work, { user_id, message: 'webhook_disabled', about: id });
}
