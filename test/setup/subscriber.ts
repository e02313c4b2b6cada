import type { ExternalServices, PostResponse } from '../../jobs/external-systems.ts';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { emit } from '../../jobs/webhooks/emit.ts';
import { PAYMENT_RECEIVED } from './events.ts';
import { newOutside } from './outside.ts';
import type { Stage, Tenant } from './world.ts';

export const SUBSCRIBER_SECRET = 'a secret of the receiver';
export const REFUSED_POST: PostResponse = { ok: false, status: 500, body: 'no', ms: 3 };

type Delivery = { id: string; status: string; attempt: number; next_attempt_at: Date | null };

/** A tenant with one subscription, and the steps of the outbound pool. */
export async function newSubscriber(stage: Stage, url = 'https://receiver.example.com/hook') {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const { body } = await admin.post('/webhooks', {
    url,
    events: ['payment.received'],
    secret: SUBSCRIBER_SECRET,
  });
  const { keys } = stage.installation;
  const outside = Object.assign(newOutside(stage.pool), { keys });
  const emitPayment = () =>
    tenant.within((work) => emit(work, 'payment.received', PAYMENT_RECEIVED));
  const relayed = async () => {
    await stage.owner.query('select app.create_deliveries(100)');
    return latestDelivery(stage, tenant);
  };
  /** Fails one event on all of its attempts. */
  const failForGood = async () => {
    await emitPayment();
    const { id } = await relayed();
    outside.answers.post.push(REFUSED_POST, REFUSED_POST, REFUSED_POST, REFUSED_POST);
    for (const number of [1, 2, 3, 4]) await attemptDelivery(tenant, outside, id, number);
  };
  return { tenant, admin, id: body.id as string, outside, emitPayment, relayed, failForGood };
}

export async function latestDelivery(stage: Stage, tenant: Tenant): Promise<Delivery> {
  const { rows } = await stage.owner.query<Delivery>(
    `select id, status, attempt, next_attempt_at from webhook_deliveries where tenant_id = $1 order by id desc limit 1`,
    [tenant.id],
  );
  if (!rows[0]) throw new Error('There is no delivery.');
  return rows[0];
}

export const attemptDelivery = (
  tenant: Tenant,
  outside: ExternalServices,
  id: string,
  number = 1,
) =>
  deliverWebhook.run(
    { tenant_id: tenant.id, delivery_id: id, attempt: number, is_throttled: false },
    outside,
  );
