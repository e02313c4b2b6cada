import { sql } from '../database/db.ts';
import { TEST_EVENT } from './events.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';

/** Every event must reach its subscribers, and no job may be lost without a record. */
export const messageChecks: readonly Check[] = [
  {
    rule: 'events have their deliveries',
    query: sql.type(ViolationRow)`
      select event.tenant_id, event.id as subject,
             format('Event %s (%s) has no delivery to subscription %s.', event.id,
               event.event_type, subscription.id) as message
      from events as event
      join webhook_subscriptions as subscription
        on subscription.tenant_id = event.tenant_id and subscription.is_active
        and not subscription.is_deleted and subscription.created_at <= event.created_at
        and (subscription.events ? event.event_type or subscription.events ? '*')
      where event.relayed_at is not null and event.event_type <> ${TEST_EVENT}
        and not exists (
          select from webhook_deliveries as delivery
          where delivery.tenant_id = event.tenant_id and delivery.event_id = event.id
            and delivery.subscription_id = subscription.id
            and delivery.status in ('delivered', 'scheduled', 'dead')
        )
        -- A later change of the subscription may have added the event type.
        and not exists (
          select from audit_log as change
          where change.tenant_id = event.tenant_id and change.entity_id = subscription.id
            and change.created_at >= event.created_at
            and (change.changes ? 'is_active' or change.changes ? 'events')
        )
    `,
  },
  {
    rule: 'events are relayed while an outbound worker is running',
    query: sql.type(ViolationRow)`
      select tenant_id, id as subject,
             format('Event %s (%s) of %s was never relayed.', id, event_type, created_at) as message
      from events
      where relayed_at is null and created_at < now() - interval '1 minute'
        -- The events of an inactive or moving tenant wait.
        and exists (select from tenants where tenants.id = tenant_id and is_active)
        and exists (
          select from app.worker_pools
          where name = 'outbound' and started_at < now() - interval '1 minute'
            and heartbeat_at > now() - interval '15 seconds'
        )
    `,
  },
  ofQueue('jobs are held by living workers'),
  ofQueue('failed jobs are visible'),
  ofQueue('scheduled deliveries have their job'),
];

function ofQueue(rule: string): Check {
  const query = sql.type(ViolationRow)`
    select null as tenant_id, subject, message from app.queue_violations() where rule = ${rule}
  `;
  return { rule, query };
}
