-- Events, and their delivery to the webhooks of subscribers.

-- Events, written in the transaction that caused them, with the exact bytes that will be signed. A relay turns each
-- into one delivery per matching subscription.
create table events (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  event_type text not null,
  loan_id uuid,
  body text not null,
  created_at timestamptz not null default now(),
  relayed_at timestamptz,
  -- The id of the HTTP request that caused the event.
  request_id text default app.current_request(),
  primary key (tenant_id, id)
);
create index events_loan on events (tenant_id, loan_id, id);
-- The relay reads waiting events tenant by tenant, so that the events of an inactive tenant, which wait, do
-- not block others.
create index events_waiting on events (tenant_id, id) where relayed_at is null;
call app.protect('events', 'select, insert');
call app.declare_borrower_data('events', 'history', links => '{"loan_id": "loans"}',
  redacted_as => jsonb_build_object('body', $$app.redacted_json(body::jsonb, '{
    event,event_type,type,loan_number,receipt_number,status,sub_status,old_status,new_status,
    old_bucket,new_bucket,fee_type,payment_method,payment_type,credit_type,modification_type,
    document_type,lien_type,apply_to,source,code,enforcement,return_code,currency}')::text$$),
  kept => '{"one of our codes": ["event_type"], "generated for each request": ["request_id"]}',
  is_about => 'not app.is_joint(loan_id)');

create table webhook_subscriptions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  url text not null,
  events jsonb not null,
  -- Sealed (jobs/sealing/secrets.ts); people see its last four characters.
  secret_sealed text not null,
  secret_last_four text not null,
  is_active boolean not null default true,
  last_error text,
  -- Consecutive deliveries that exhausted their retries. A success resets it.
  consecutive_failures integer not null default 0,
  disabled_at timestamptz,
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The receiver's condition: since when and why it fails, and whether it is slow. The previous secret also
  -- signs until previous_secret_until.
  failing_since timestamptz,
  last_failure text,
  is_slow boolean not null default false,
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  primary key (tenant_id, id),
  constraint webhook_subscriptions_previous_secret_check
    check ((previous_secret_sealed is null) = (previous_secret_until is null))
);
create index webhook_subscriptions_created on webhook_subscriptions (tenant_id, created_at desc, id desc);
call app.protect('webhook_subscriptions');

create table webhook_deliveries (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  subscription_id uuid not null,
  event_id uuid not null,
  -- Increases with each manual retry; 0 is the original delivery.
  round integer not null default 0,
  status text not null default 'scheduled' check (status in ('scheduled', 'delivered', 'dead', 'canceled')),
  attempt integer not null default 1,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Whether the delivery waits in the queue of a throttled receiver.
  is_throttled boolean not null default false,
  primary key (tenant_id, id),
  constraint webhook_deliveries_once unique (tenant_id, subscription_id, event_id, round),
  foreign key (tenant_id, subscription_id) references webhook_subscriptions (tenant_id, id),
  foreign key (tenant_id, event_id) references events (tenant_id, id)
) with (fillfactor = 70);
create index webhook_deliveries_event on webhook_deliveries (tenant_id, event_id);
create index webhook_deliveries_scheduled on webhook_deliveries (tenant_id, subscription_id)
  where status = 'scheduled';
create index webhook_deliveries_created
  on webhook_deliveries (tenant_id, subscription_id, created_at desc, id desc);
call app.protect('webhook_deliveries');
call app.declare_borrower_data('webhook_deliveries',
  not_exported_because => 'which of the lender''s systems received an event',
  kept => '{"one of our codes": ["status"]}');

-- One row per HTTP attempt, written before the request (answered_at null) and completed after it.
create table webhook_attempts (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  delivery_id uuid not null,
  attempt integer not null,
  started_at timestamptz not null default now(),
  answered_at timestamptz,
  response_status integer,
  response_body text,
  error text,
  ms integer,
  primary key (tenant_id, id),
  foreign key (tenant_id, delivery_id) references webhook_deliveries (tenant_id, id)
);
create index webhook_attempts_delivery on webhook_attempts (tenant_id, delivery_id, attempt);
create index webhook_attempts_started on webhook_attempts (tenant_id, started_at);
call app.protect('webhook_attempts');
call app.declare_borrower_data('webhook_attempts', not_exported_because => 'what the lender''s systems answered',
  redacted => '{response_body,error}');

-- Deliveries that exhausted their retries.
create table dead_letters (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  subscription_id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  response_status integer,
  response_body text,
  error text,
  attempted_at timestamptz not null,
  retry_count integer not null,
  status text not null default 'dead' check (status in ('dead', 'retried', 'resolved')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, subscription_id) references webhook_subscriptions (tenant_id, id),
  foreign key (tenant_id, delivery_id) references webhook_deliveries (tenant_id, id),
  foreign key (tenant_id, event_id) references events (tenant_id, id)
);
create index dead_letters_subscription on dead_letters (tenant_id, subscription_id, created_at desc, id desc);
create index dead_letters_delivery on dead_letters (tenant_id, delivery_id);
-- For deleting the answers of receivers after their retention period.
create index dead_letters_answers on dead_letters (tenant_id, attempted_at) where response_body is not null;
call app.protect('dead_letters');
call app.declare_borrower_data('dead_letters', not_exported_because => 'what the lender''s systems refused',
  links => '{"event_id": "events"}', redacted => '{response_body,error}',
  kept => '{"one of our codes": ["status"]}');

-- Refuses to mark events of a closed tenant as relayed. They wait until the tenant is open again, here or in the
-- database that it moves to.
create function app.refuse_relay_while_closed() returns trigger language plpgsql as $$
begin
  if exists (select from tenants where id = new.tenant_id and access <> 'open') then return null; end if;
  return new;
end $$;

-- The job for one delivery attempt. Deliveries to throttled receivers share 24 named
-- queues (four per receiver). The jobs of a named queue run one at a time.
create function app.delivery_job(
  tenant_id uuid, subscription_id uuid, delivery_id uuid, attempt integer, is_throttled boolean,
  is_last_in_queue boolean, run_at timestamptz, request_id text
) returns graphile_worker.job_spec
  language sql stable
  return row(
    'deliver-webhook',
    json_strip_nulls(json_build_object('tenant_id', tenant_id, 'subscription_id', subscription_id,
      'delivery_id', delivery_id, 'attempt', attempt, 'is_throttled', is_throttled,
      'request_id', request_id)),
    case when is_throttled then 'slow-receivers-' ||
      (abs(hashtext(subscription_id::text)::bigint) + abs(hashtext(delivery_id::text)::bigint) % 4) % 24
    end,
    run_at, 5, 'deliver-webhook:' || delivery_id || ':' || attempt,
    case when not is_throttled then 0 when is_last_in_queue then 20 else 10 end, null
  )::graphile_worker.job_spec;
revoke execute on function app.delivery_job from public;

-- Enqueues the next attempt of each delivery at its scheduled time; at the end of its queue if
-- is_last_in_queue.
create function app.send_deliveries(ids uuid[], is_last_in_queue boolean) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select from graphile_worker.add_jobs(array(
    select app.delivery_job(delivery.tenant_id, delivery.subscription_id, delivery.id, delivery.attempt,
      delivery.is_throttled, is_last_in_queue or subscription.failing_since is not null, delivery.next_attempt_at,
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
revoke execute on function app.send_deliveries from public;
grant execute on function app.send_deliveries to servicing_app;

-- Creates the deliveries of waiting events and enqueues them. Those for a throttled receiver enter its queue.
create function app.create_deliveries(batch integer) returns integer
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
      insert into webhook_deliveries (tenant_id, subscription_id, event_id, next_attempt_at, is_throttled)
      select due.tenant_id, subscription.id, due.id, now(), subscription.is_slow
      from due
      join webhook_subscriptions as subscription
        on subscription.tenant_id = due.tenant_id and subscription.is_active and not subscription.is_deleted
        and (subscription.events ? due.event_type or subscription.events ? '*')
      on conflict do nothing
      returning tenant_id, id, subscription_id, is_throttled, event_id
    ),
    jobs as (
      select count(*) as enqueued from graphile_worker.add_jobs(array(
        select app.delivery_job(new.tenant_id, new.subscription_id, new.id, 1, new.is_throttled,
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
revoke execute on function app.create_deliveries from public;
grant execute on function app.create_deliveries to servicing_worker;

-- Moves a receiver's waiting deliveries from its throttled queue to the normal one when it responds quickly
-- again, as many as one statement can move in time. Locks deliveries before their jobs, like the code that
-- enqueues them.
create function app.release_throttled(receiver uuid) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  with
    is_throttled as materialized (
      select delivery.id, delivery.attempt
      from webhook_deliveries as delivery
      join webhook_subscriptions as subscription
        on subscription.tenant_id = delivery.tenant_id and subscription.id = delivery.subscription_id
        and not subscription.is_slow
      where delivery.tenant_id = app.current_tenant() and delivery.subscription_id = receiver
        and delivery.status = 'scheduled' and delivery.is_throttled
      order by delivery.id limit 5000
      for update of delivery skip locked
    ),
    waiting as materialized (
      select is_throttled.id, job.id as job_id
      from is_throttled
      cross join lateral (
        select own.id from graphile_worker._private_jobs as own
        where own.key = 'deliver-webhook:' || is_throttled.id || ':' || is_throttled.attempt
          and own.job_queue_id is not null and own.is_available
        for update skip locked
      ) as job
    ),
    come as (
      update webhook_deliveries as delivery set is_throttled = false
      from waiting where delivery.tenant_id = app.current_tenant() and delivery.id = waiting.id
    )
  update graphile_worker._private_jobs as job
  set job_queue_id = null, priority = 0,
      payload = (job.payload::jsonb || '{"is_throttled": false}')::json, updated_at = now()
  from waiting where job.id = waiting.job_id
$$;
revoke execute on function app.release_throttled from public;
grant execute on function app.release_throttled to servicing_app;

create trigger waits before update of relayed_at on events
  for each row when (old.relayed_at is null) execute function app.refuse_relay_while_closed();
