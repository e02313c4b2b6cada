import { randomBytes } from 'node:crypto';
import * as deliveries from '../../sql/webhooks/deliveries.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { insert, update } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import { checkWebhookUrl } from '../networks/host-url.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { EVENT_TYPES } from './event-types.ts';
import { disableSubscription } from './disable-subscription.ts';

type NewSubscription = { url: string; events: string[]; is_active: boolean };
type SubscriptionChanges = {
  url?: string | undefined;
  events?: string[] | undefined;
  is_active?: boolean | undefined;
};

/** A secret of Standard Webhooks 1.0, so that its libraries accept the secret as it is. */
export const generateSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** The names in the list that are not events. */
export const findUnknownEvents = (events: readonly string[]) =>
  events.filter((name) => name !== '*' && !(EVENT_TYPES as readonly string[]).includes(name));

/** Creates a subscription. The secret is stored sealed, and only this response shows it. */
export async function subscribe(work: Work, input: NewSubscription, secret: string) {
  return insert(work.tx, 'webhook_subscriptions', {
    ...input,
    url: await checkedUrl(work, input.url),
    events: [...new Set(input.events)],
    secret_sealed: work.installation.keys.seal(work.tenant_id, secret),
    secret_last_four: secret.slice(-4),
  });
}

/** Changes the URL and the events. `is_active` enables or disables the subscription. */
export async function changeSubscription(work: Work, id: string, changes: SubscriptionChanges) {
  const { url, events, is_active } = changes;
  await subscriptions.lockSubscription(work.tx, id);
  await update(work.tx, 'webhook_subscriptions', id, {
    ...(url !== undefined && { url: await checkedUrl(work, url) }),
    ...(events !== undefined && { events: [...new Set(events)] }),
  });
  if (is_active === true) await subscriptions.enableSubscription(work.tx, id);
  if (is_active === false) await disableSubscription(work, id, null);
}

/** Deletes a subscription. After the commit only requests that are already in progress are sent. */
export async function unsubscribe({ tx }: Work, id: string) {
  await subscriptions.lockSubscription(tx, id);
  await subscriptions.removeSubscription(tx, id);
  await deliveries.cancelScheduledDeliveries(tx, id);
}

/** Enables the subscription and resets its failure count. Dead letters stay. */
export async function reEnable({ tx }: Work, id: string) {
  await subscriptions.enableSubscription(tx, id);
}

async function checkedUrl({ tx, installation }: Work, url: string): Promise<string> {
  const { allow_private_hosts } = (await settingsOf(tx)).webhooks;
  const checked = checkWebhookUrl(url, installation.networks, { allow_private_hosts });
  if ('problem' in checked) throw new Invalid({ url: checked.problem });
  return checked.href;
}
