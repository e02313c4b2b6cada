import { find } from '../../sql/table.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { Conflict } from '../errors.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { generateSecret } from './subscription.ts';

export type Rotation = {
  secret?: string | null | undefined;
  overlap_hours?: number | null | undefined;
};

/**
 * Replaces the secret. During the overlap both secrets sign, so that the receiver can switch; use an
 * overlap of 0 hours for a leaked secret. Only this response shows the new secret.
 */
export async function rotateSecret(work: Work, id: string, given: Rotation) {
  const { tx, tenant_id, installation } = work;
  const subscription = await subscriptions.lockSubscription(tx, id);
  const usual = (await settingsOf(tx)).webhooks.rotation_overlap_hours;
  const overlap_hours = given.overlap_hours ?? usual;
  if (subscription?.is_rotating && overlap_hours > 0) {
    throw rotationUnderWay();
  }
  const secret = given.secret ?? generateSecret();
  const sealed = installation.keys.seal(tenant_id, secret);
  await subscriptions.replaceSecret(tx, id, { sealed, last_four: secret.slice(-4), overlap_hours });
  return { ...(await find(tx, subscriptions.subscriptions, id)), secret };
}

/** Ends the overlap: the previous secret no longer signs. */
export async function retirePreviousSecret({ tx }: Work, id: string) {
  await subscriptions.retireSecret(tx, id);
}

export const rotationUnderWay = () =>
  new Conflict(
    'The previous secret is still valid. Retire it first, or set overlap_hours to 0.',
    'rotation_under_way',
  );
