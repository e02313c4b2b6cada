-- Events of a tenant that is not active wait, and are told once it is active again. They are looked for tenant by
-- tenant, so that those of one who is closed or has moved away are not in the way of the others'.
create index events_waiting on events (tenant_id, id) where relayed_at is null;
drop index events_unrelayed;

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
      select event.tenant_id, event.id, event.event_type
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
revoke execute on function app.relay_events from public;

-- What receivers answered is forgotten after a while, in dead letters as in attempts.
create index dead_letters_answers on dead_letters (tenant_id, attempted_at) where response_body is not null;

-- As before, and a receiver is in trouble from its first failure on.
drop function app.seen_webhooks();
create function app.seen_webhooks() returns table (
  tenant text, subscription_id uuid, host text, is_active boolean, consecutive_failures integer,
  waiting bigint, last_error text, disabled_at timestamptz, failing_since timestamptz, is_slow boolean
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.slug, hook.id, substring(hook.url from '^https?://(?:[^@/]*@)?([^/?#]+)'), hook.is_active,
    hook.consecutive_failures, (
      select count(*) from webhook_deliveries as delivery
      where delivery.tenant_id = hook.tenant_id and delivery.subscription_id = hook.id
        and delivery.status = 'scheduled'),
    left(coalesce(hook.last_error, hook.last_failure), 200), hook.disabled_at, hook.failing_since, hook.is_slow
  from webhook_subscriptions as hook
  join tenants on tenants.id = hook.tenant_id
  where not hook.is_deleted and (app.seen_tenant(null) is null or hook.tenant_id = app.seen_tenant(null))
  order by hook.is_active, hook.failing_since is null, hook.consecutive_failures desc, hook.id limit 200
$$;
revoke execute on function app.seen_webhooks from public;
grant execute on function app.seen_webhooks to servicing_app, servicing_worker;

-- As before, and a close whose chunks have failed for good says so: nothing more happens until they are retried.
create or replace function app.seen_closes() returns table (
  tenant text, cob_date date, status text, chunks_total integer, chunks_done integer, loans integer,
  set_aside integer, started_at timestamptz, finished_at timestamptz, seconds_left integer
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.slug, run.cob_date,
    case when run.status = 'running' and failed.is_so then 'failed' else run.status end,
    run.chunks_total, done.chunks, run.loans, run.parked, run.started_at, run.finished_at,
    case when run.finished_at is null and done.chunks > 0 and not failed.is_so then
      (extract(epoch from now() - run.started_at) / done.chunks * (run.chunks_total - done.chunks))::integer end
  from cob_runs as run
  join tenants on tenants.id = run.tenant_id
  cross join lateral (
    select count(*)::integer as chunks from cob_chunks as chunk
    where chunk.tenant_id = run.tenant_id and chunk.run_id = run.id and chunk.done_at is not null
  ) as done
  cross join lateral (
    select run.finished_at is null and exists (
      select from app.failed_jobs as job
      where job.retried_at is null and job.task = 'close-loans' and job.payload ->> 'run_id' = run.id::text
    ) as is_so
  ) as failed
  where (run.finished_at is null or run.started_at > now() - interval '2 days')
    and (app.seen_tenant(null) is null or run.tenant_id = app.seen_tenant(null))
  order by run.finished_at is not null, run.started_at desc limit 50
$$;
