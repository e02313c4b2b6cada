-- Who may do what besides the role: groups with their rules and members, and grants for one record. What
-- is a user's own stands in user_permissions. A rule that denies names fields, or a whole action.
create table permission_groups (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  description text,
  -- Rules as the API gives them: type, action, resource and the fields that a denial names.
  permissions jsonb not null default '[]' check (jsonb_typeof(permissions) = 'array'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
call app.protect('permission_groups');
create index permission_groups_created on permission_groups (tenant_id, created_at desc, id desc);

create table permission_group_members (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  group_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, group_id, user_id),
  foreign key (tenant_id, group_id) references permission_groups (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('permission_group_members', 'select, insert, delete');
create index permission_group_members_user on permission_group_members (tenant_id, user_id);

create table object_grants (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  action text not null,
  resource text not null,
  record_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('object_grants');
create index object_grants_user on object_grants (tenant_id, user_id, created_at, id);
create index object_grants_created on object_grants (tenant_id, created_at desc, id desc);
create index user_permissions_created on user_permissions (tenant_id, created_at desc, id desc);

-- One round trip for every request of the staff, like app.open_session: all rules that a user has beside
-- the role, from whatever source. They are asked for each time, so a change holds from the next request.
create function app.rules_of(tenant uuid, whom uuid)
  returns table (type text, action text, resource text, record jsonb, record_id uuid)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select type, action, resource, record, record_id
  from (
    select 1 as source, created_at, id, 0::bigint as place,
           type, action, resource, record, null::uuid as record_id
    from user_permissions where tenant_id = tenant and user_id = whom
    union all
    select 2, held.created_at, held.id, rule.place,
           rule.said ->> 'type', rule.said ->> 'action', rule.said ->> 'resource',
           nullif(rule.said -> 'record', 'null'), null
    from permission_group_members as member
    join permission_groups as held
      on held.tenant_id = member.tenant_id and held.id = member.group_id
    cross join jsonb_array_elements(held.permissions) with ordinality as rule (said, place)
    where member.tenant_id = tenant and member.user_id = whom
    union all
    select 3, created_at, id, 0, 'allow', action, resource, null, record_id
    from object_grants where tenant_id = tenant and user_id = whom
  ) as rules
  order by source, created_at, id, place
$$;
