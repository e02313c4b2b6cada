-- When a session last changed something: until a read replica surely has that, its lists come from the primary.
-- A session that begins has just changed something itself.
alter table sessions add column wrote_at timestamptz not null default now();

-- As before (0050), and notes that the session is about to change something, at most once a second. That note costs
-- no wait for the disk: a crash that loses it ends the requests that it was for.
create function app.open_session(tenant uuid, hash bytea, writes boolean)
  returns table (
    user_id uuid, csrf_token text, email text, first_name text, last_name text,
    tenant_role text, borrower_id uuid, session_id uuid, second_factor text, wrote_at timestamptz
  )
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  update sessions as session set last_seen_at = now()
  where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
    and session.last_seen_at < now() - interval '1 minute'
    and session.last_seen_at > now() - make_interval(secs => session.idle_seconds);
  if writes then
    perform set_config('synchronous_commit', 'off', true);
    update sessions as session set wrote_at = now()
    where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
      and session.wrote_at < now() - interval '1 second';
  end if;
  return query
    select account.id, session.csrf_token, account.email, account.first_name, account.last_name,
           account.tenant_role, account.borrower_id, session.id, session.second_factor,
           session.wrote_at
    from sessions as session
    join users as account on account.tenant_id = session.tenant_id and account.id = session.user_id
    left join borrowers as borrower
      on borrower.tenant_id = account.tenant_id and borrower.id = account.borrower_id
    where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
      and session.last_seen_at > now() - make_interval(secs => session.idle_seconds)
      and session.absolute_expires_at > now()
      and session.epoch = account.session_epoch
      and account.is_active and not coalesce(borrower.is_archived, false);
end $$;

-- What the release before this one asks: the same, said once.
create or replace function app.open_session(tenant uuid, hash bytea)
  returns table (
    user_id uuid, csrf_token text, email text, first_name text, last_name text,
    tenant_role text, borrower_id uuid, session_id uuid, second_factor text
  )
  language sql security definer set search_path = public, pg_temp
as $$
  select user_id, csrf_token, email, first_name, last_name, tenant_role, borrower_id, session_id,
         second_factor
  from app.open_session(tenant, hash, false)
$$;
