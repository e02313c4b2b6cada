-- What happened, written in the transaction in which it happened, with the very bytes that will be
-- signed. A relay turns each into one delivery per matching subscription.
create table events (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  event_type text not null,
  loan_id uuid,
  body text not null,
  created_at timestamptz not null default now(),
  relayed_at timestamptz,
  primary key (tenant_id, id)
);
call app.protect('events', 'select, insert');
create index events_unrelayed on events (id) where relayed_at is null;
create index events_loan on events (tenant_id, loan_id, id);

create table webhook_subscriptions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  url text not null,
  events jsonb not null,
  -- Encrypted (jobs/sealing/secrets.ts); people are shown its last four characters only.
  secret_sealed text not null,
  secret_last_four text not null,
  is_active boolean not null default true,
  last_error text,
  -- Deliveries in a row whose retries were used up; any success sets it back.
  consecutive_failures integer not null default 0,
  disabled_at timestamptz,
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call app.protect('webhook_subscriptions');
create index webhook_subscriptions_created on webhook_subscriptions (tenant_id, created_at desc, id desc);

create table webhook_deliveries (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  subscription_id uuid not null,
  event_id uuid not null,
  -- Grows with each manual retry; 0 is the delivery that the event itself caused.
  round integer not null default 0,
  status text not null default 'scheduled' check (status in ('scheduled', 'delivered', 'dead', 'canceled')),
  attempt integer not null default 1,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint webhook_deliveries_once unique (tenant_id, subscription_id, event_id, round),
  foreign key (tenant_id, subscription_id) references webhook_subscriptions (tenant_id, id),
  foreign key (tenant_id, event_id) references events (tenant_id, id)
) with (fillfactor = 70);
call app.protect('webhook_deliveries');
create index webhook_deliveries_event on webhook_deliveries (tenant_id, event_id);
create index webhook_deliveries_scheduled on webhook_deliveries (tenant_id, subscription_id)
  where status = 'scheduled';

-- One row per request made, written before it (answered_at null) and completed after it.
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
call app.protect('webhook_attempts');
create index webhook_attempts_delivery on webhook_attempts (tenant_id, delivery_id, attempt);

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
call app.protect('dead_letters');
create index dead_letters_subscription on dead_letters (tenant_id, subscription_id, created_at desc, id desc);
create index dead_letters_delivery on dead_letters (tenant_id, delivery_id);

-- The relay: takes events nobody has taken yet, in order, writes their deliveries, and enqueues one
-- job for each, all in one statement's transaction. Returns how many events it took.
create function app.relay_events(batch integer) returns integer
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
      insert into webhook_deliveries (tenant_id, subscription_id, event_id, next_attempt_at)
      select due.tenant_id, subscription.id, due.id, now()
      from due
      join tenants as tenant on tenant.id = due.tenant_id and tenant.is_active
      join webhook_subscriptions as subscription
        on subscription.tenant_id = due.tenant_id and subscription.is_active and not subscription.is_deleted
        and (subscription.events ? due.event_type or subscription.events ? '*')
      on conflict do nothing
      returning tenant_id, id
    ),
    jobs as (
      select count(*) as enqueued from graphile_worker.add_jobs(array(
        select row(
          'deliver-webhook',
          json_build_object('tenant_id', tenant_id, 'delivery_id', id, 'attempt', 1),
          null, now(), 5, 'deliver-webhook:' || id || ':1', 0, null
        )::graphile_worker.job_spec
        from deliveries
      ))
    )
  select (select count(*) from marked) + 0 * (select enqueued from jobs) into taken;
  return taken;
end $$;
