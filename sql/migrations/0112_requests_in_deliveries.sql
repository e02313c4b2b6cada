-- A delivery is found by the request whose event it delivers.
drop function app.delivery_job(uuid, uuid, uuid, integer, boolean, boolean, timestamptz);
create function app.delivery_job(
  tenant_id uuid, subscription_id uuid, delivery_id uuid, attempt integer, in_line boolean,
  comes_last boolean, run_at timestamptz, request_id text
) returns graphile_worker.job_spec
  language sql stable
  return row(
    'deliver-webhook',
    json_strip_nulls(json_build_object('tenant_id', tenant_id, 'subscription_id', subscription_id,
      'delivery_id', delivery_id, 'attempt', attempt, 'in_line', in_line,
      'request_id', request_id)),
    case when in_line then 'slow-receivers-' ||
      (abs(hashtext(subscription_id::text)::bigint) + abs(hashtext(delivery_id::text)::bigint) % 4) % 24
    end,
    run_at, 5, 'deliver-webhook:' || delivery_id || ':' || attempt,
    case when not in_line then 0 when comes_last then 20 else 10 end, null
  )::graphile_worker.job_spec;
revoke execute on function app.delivery_job from public;

create or replace function app.relay_events(batch integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare taken integer;
begin
  with
    waiting as materialized (
      select event.tenant_id, event.id
      from tenants as tenant
      cross join lateral (
        select own.tenant_id, own.id from events as own
        where own.tenant_id = tenant.id and own.relayed_at is null
        order by own.id limit batch
      ) as event
      where tenant.is_active
      order by event.id limit batch
    ),
    due as (
      select event.tenant_id, event.id, event.event_type, event.request_id
      from waiting
      join events as event on event.tenant_id = waiting.tenant_id and event.id = waiting.id
      where event.relayed_at is null
      for update of event skip locked
    ),
    marked as (
      update events as event set relayed_at = now() from due
      where event.tenant_id = due.tenant_id and event.id = due.id
      returning event.id
    ),
    deliveries as (
      insert into webhook_deliveries (tenant_id, subscription_id, event_id, next_attempt_at, in_line)
      select due.tenant_id, subscription.id, due.id, now(), subscription.is_slow
      from due
      join webhook_subscriptions as subscription
        on subscription.tenant_id = due.tenant_id and subscription.is_active and not subscription.is_deleted
        and (subscription.events ? due.event_type or subscription.events ? '*')
      on conflict do nothing
      returning tenant_id, id, subscription_id, in_line, event_id
    ),
    jobs as (
      select count(*) as enqueued from graphile_worker.add_jobs(array(
        select app.delivery_job(new.tenant_id, new.subscription_id, new.id, 1, new.in_line,
          subscription.failing_since is not null, now(), due.request_id)
        from deliveries as new
        join due on due.tenant_id = new.tenant_id and due.id = new.event_id
        join webhook_subscriptions as subscription
          on subscription.tenant_id = new.tenant_id and subscription.id = new.subscription_id
      ))
    )
  select (select count(*) from marked) + 0 * (select enqueued from jobs) into taken;
  return taken;
end $$;

create or replace function app.send_deliveries(ids uuid[], put_aside boolean) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select from graphile_worker.add_jobs(array(
    select app.delivery_job(delivery.tenant_id, delivery.subscription_id, delivery.id, delivery.attempt,
      delivery.in_line, put_aside or subscription.failing_since is not null, delivery.next_attempt_at,
      event.request_id)
    from webhook_deliveries as delivery
    join webhook_subscriptions as subscription
      on subscription.tenant_id = delivery.tenant_id and subscription.id = delivery.subscription_id
    join events as event on event.tenant_id = delivery.tenant_id and event.id = delivery.event_id
    where delivery.tenant_id = app.current_tenant() and delivery.id = any(ids)
      and delivery.status = 'scheduled'
    order by delivery.id
  ))
$$;
