-- What one sees of a receiver: since when it fails and why, from the first failure on; whether it is slow;
-- and the secret before the present one, which signs beside it until its time is over.
alter table webhook_subscriptions
  add column failing_since timestamptz,
  add column last_failure text,
  add column is_slow boolean not null default false,
  add column previous_secret_sealed text,
  add column previous_secret_until timestamptz,
  add constraint webhook_subscriptions_previous_secret_check
    check ((previous_secret_sealed is null) = (previous_secret_until is null));

-- Whether the delivery waits in one of the lines of slow receivers.
alter table webhook_deliveries add column in_line boolean not null default false;
create index webhook_deliveries_created
  on webhook_deliveries (tenant_id, subscription_id, created_at desc, id desc);
create index webhook_attempts_started on webhook_attempts (tenant_id, started_at);

-- The job that makes an attempt. What goes to slow receivers waits in 24 lines, each a queue of the queue
-- in which one job runs at a time, whatever the number of workers: a receiver stands in four of them, and all
-- of them together hold less than half of one worker's slots. Such jobs come after all others, since a
-- worker fetches the first hundred and a long line would be all of them; and in a line those that answer,
-- however slowly, come before the others.
create function app.delivery_job(
  tenant_id uuid, subscription_id uuid, delivery_id uuid, attempt integer, in_line boolean,
  comes_last boolean, run_at timestamptz
) returns graphile_worker.job_spec
  language sql stable
  return row(
    'deliver-webhook',
    json_build_object('tenant_id', tenant_id, 'subscription_id', subscription_id,
      'delivery_id', delivery_id, 'attempt', attempt, 'in_line', in_line),
    case when in_line then 'slow-receivers-' ||
      (abs(hashtext(subscription_id::text)::bigint) + abs(hashtext(delivery_id::text)::bigint) % 4) % 24
    end,
    run_at, 5, 'deliver-webhook:' || delivery_id || ':' || attempt, 
    case when not in_line then 0 when comes_last then 20 else 10 end, null
  )::graphile_worker.job_spec;

-- Enqueues the next attempt of each of these deliveries, at its time; last, where they were put aside.
create function app.send_deliveries(ids uuid[], put_aside boolean) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select from graphile_worker.add_jobs(array(
    select app.delivery_job(delivery.tenant_id, delivery.subscription_id, delivery.id, delivery.attempt,
      delivery.in_line, put_aside or subscription.failing_since is not null, delivery.next_attempt_at)
    from webhook_deliveries as delivery
    join webhook_subscriptions as subscription
      on subscription.tenant_id = delivery.tenant_id and subscription.id = delivery.subscription_id
    where delivery.tenant_id = app.current_tenant() and delivery.id = any(ids)
      and delivery.status = 'scheduled'
    order by delivery.id
  ))
$$;
revoke execute on function app.send_deliveries from public;
grant execute on function app.send_deliveries to servicing_app;

-- As before, and what goes to a slow receiver takes its place in a line at once.
create or replace function app.relay_events(batch integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare taken integer;
begin
  with
    due as (
      select tenant_id, id, event_type from events where relayed_at is null
      order by id limit batch for update skip locked
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
      join tenants as tenant on tenant.id = due.tenant_id and tenant.is_active
      join webhook_subscriptions as subscription
        on subscription.tenant_id = due.tenant_id and subscription.is_active and not subscription.is_deleted
        and (subscription.events ? due.event_type or subscription.events ? '*')
      on conflict do nothing
      returning tenant_id, id, subscription_id, in_line
    ),
    jobs as (
      select count(*) as enqueued from graphile_worker.add_jobs(array(
        select app.delivery_job(new.tenant_id, new.subscription_id, new.id, 1, new.in_line,
          subscription.failing_since is not null, now())
        from deliveries as new
        join webhook_subscriptions as subscription
          on subscription.tenant_id = new.tenant_id and subscription.id = new.subscription_id
      ))
    )
  select (select count(*) from marked) + 0 * (select enqueued from jobs) into taken;
  return taken;
end $$;
