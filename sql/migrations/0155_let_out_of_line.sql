-- A receiver that nobody has heard of yet answers: what was put into a line meanwhile, and is not under way,
-- is sent like anything else to a receiver that answers. Of more than a statement can move
-- in time the rest stays where it was. Deliveries are locked before their jobs, as by whoever enqueues them.
create function app.let_out_of_line(receiver uuid) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  with
    in_line as materialized (
      select delivery.id, delivery.attempt
      from webhook_deliveries as delivery
      join webhook_subscriptions as subscription
        on subscription.tenant_id = delivery.tenant_id and subscription.id = delivery.subscription_id
        and not subscription.is_slow
      where delivery.tenant_id = app.current_tenant() and delivery.subscription_id = receiver
        and delivery.status = 'scheduled' and delivery.in_line
      order by delivery.id limit 5000
      for update of delivery skip locked
    ),
    waiting as materialized (
      select in_line.id, job.id as job_id
      from in_line
      cross join lateral (
        select own.id from graphile_worker._private_jobs as own
        where own.key = 'deliver-webhook:' || in_line.id || ':' || in_line.attempt
          and own.job_queue_id is not null and own.is_available
        for update skip locked
      ) as job
    ),
    come as (
      update webhook_deliveries as delivery set in_line = false
      from waiting where delivery.tenant_id = app.current_tenant() and delivery.id = waiting.id
    )
  update graphile_worker._private_jobs as job
  set job_queue_id = null, priority = 0,
      payload = (job.payload::jsonb || '{"in_line": false}')::json, updated_at = now()
  from waiting where job.id = waiting.job_id
$$;
revoke execute on function app.let_out_of_line from public;
grant execute on function app.let_out_of_line to servicing_app;
