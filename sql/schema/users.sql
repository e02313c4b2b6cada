-- Users, their sign-ins and permissions, and the logs of their actions.

create table users (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  email text not null check (email = lower(email)),
  first_name text not null,
  last_name text not null,
  -- argon2id in PHC format; null until an invited user chooses a password.
  password_hash text,
  tenant_role text check (tenant_role in ('viewer', 'collector', 'loan_officer', 'admin', 'superadmin')),
  borrower_id uuid,
  is_active boolean not null default true,
  -- Increases with each password reset, deactivation and change of role. Sessions of an older epoch are void.
  session_epoch integer not null default 0,
  date_joined timestamptz not null default now(),
  last_login timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, email),
  unique (tenant_id, borrower_id)
);
create index users_created on users (tenant_id, created_at desc, id desc);
call app.protect('users');
call app.declare_borrower_data('users', 'portal', links => '{"borrower_id": "borrowers"}',
  redacted => '{first_name,last_name}', redacted_as => $${"email": "'redacted-' || id || '@redacted.invalid'"}$$,
  secret => '{password_hash}', takes_rows_after_redaction => true);

-- Permissions of one user in addition to the role: a group, a rule, or one record.
create table user_permissions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  type text not null default 'allow' check (type in ('allow', 'deny')),
  action text not null,
  resource text not null,
  record jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index user_permissions_user on user_permissions (tenant_id, user_id);
create index user_permissions_created on user_permissions (tenant_id, created_at desc, id desc);
call app.protect('user_permissions');
call app.declare_borrower_data('user_permissions', 'portal', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}');

-- Only the SHA-256 of a session's id is stored, so a stolen copy of this table opens no session.
create table sessions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id_hash bytea not null,
  user_id uuid not null,
  csrf_token text not null,
  epoch integer not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  idle_seconds integer not null,
  absolute_expires_at timestamptz not null,
  ip text,
  user_agent text,
  revoked_at timestamptz,
  -- A public id, which may be shown, and the second factor that the sign-in used.
  id uuid not null default uuidv7(),
  second_factor text check (second_factor in ('totp', 'passkey', 'recovery_code', 'provider')),
  -- When the session last changed something. Until a read replica has caught up with this time, the session's lists
  -- come from the primary.
  last_write_at timestamptz not null default now(),
  -- When the session's user last proved who they are, by password or second factor. Sensitive requests need a
  -- recent proof. A session from single sign-on has none yet.
  proved_at timestamptz,
  primary key (tenant_id, id_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  unique (tenant_id, id)
);
create index sessions_user on sessions (tenant_id, user_id) where revoked_at is null;
call app.protect('sessions');
call app.declare_borrower_data('sessions', 'portal', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}', secret => '{id_hash,csrf_token}');

-- Password reset and invitation links: each works once, and only its hash is stored.
create table one_time_tokens (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  token_hash bytea not null,
  user_id uuid not null,
  purpose text not null check (purpose in ('password_reset', 'invitation')),
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index one_time_tokens_user on one_time_tokens (tenant_id, user_id);
call app.protect('one_time_tokens');
call app.declare_borrower_data('one_time_tokens', not_exported_because => 'hashes of links that were sent',
  is_deleted_on_redaction => true, links => '{"user_id": "users"}');

-- One row per counted request. An advisory lock makes the count exact across processes.
create table throttle_hits (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  scope text not null,
  subject text not null,
  at timestamptz not null default clock_timestamp(),
  id uuid not null default uuidv7(),
  primary key (tenant_id, scope, subject, id)
);
call app.protect('throttle_hits');

-- A second proof of identity after the password: time-based codes (TOTP) or a passkey. A factor counts from its
-- first successful use, which sets confirmed_at.
create table second_factors (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  -- The sealed TOTP secret, and the time step of the last accepted code, which is never accepted again.
  secret_sealed text,
  last_used_step bigint,
  -- The passkey's credential id for this host, and its signature counter.
  credential_id text,
  public_key text,
  sign_count bigint,
  transports jsonb,
  host text,
  confirmed_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  check ((kind = 'totp') = (secret_sealed is not null)),
  check ((kind = 'passkey') = (credential_id is not null)),
  check (kind = 'totp' or (public_key is not null and sign_count is not null and host is not null)),
  check (kind = 'totp' or confirmed_at is not null)
);
create index second_factors_user on second_factors (tenant_id, user_id);
create unique index second_factors_credential on second_factors (tenant_id, credential_id);
create unique index second_factors_app on second_factors (tenant_id, user_id)
  where kind = 'totp' and confirmed_at is not null;
call app.protect('second_factors');
call app.declare_borrower_data('second_factors', 'portal', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}', secret => '{secret_sealed,credential_id,public_key}');

-- Recovery codes for users who lost their second factor. Each works once, and only its hash is stored.
create table recovery_codes (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  user_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, user_id, code_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('recovery_codes');
call app.declare_borrower_data('recovery_codes', not_exported_because => 'hashes of codes',
  is_deleted_on_redaction => true, links => '{"user_id": "users"}');

-- A sign-in that has passed its first proof and needs a second factor, or the enrollment of one. It belongs to one
-- browser and ends after minutes or a few wrong attempts.
create table pending_sign_ins (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  token_hash bytea not null,
  user_id uuid not null,
  wants text not null check (wants in ('proof', 'enrollment')),
  -- Like a session's epoch: ending the user's sessions also ends this sign-in.
  epoch integer not null,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index pending_sign_ins_user on pending_sign_ins (tenant_id, user_id);
call app.protect('pending_sign_ins');
call app.declare_borrower_data('pending_sign_ins',
  not_exported_because => 'hashes of sign-ins that wait for a second factor', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}');

-- A challenge for a passkey to sign, used once.
create table passkey_challenges (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  challenge text not null,
  user_id uuid not null,
  purpose text not null check (purpose in ('enrollment', 'proof')),
  expires_at timestamptz not null,
  primary key (tenant_id, challenge),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index passkey_challenges_user on passkey_challenges (tenant_id, user_id);
call app.protect('passkey_challenges');
call app.declare_borrower_data('passkey_challenges',
  not_exported_because => 'challenges to a device, valid for minutes', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}');

-- OpenID Connect providers with which a tenant's staff may sign in. A worker reads the provider's discovery
-- document before anyone is redirected to it.
create table identity_providers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  issuer_url text not null,
  client_id text not null,
  client_secret_sealed text not null,
  redirect_url text not null,
  -- The claim that names a person's role at the provider, and how its values map to roles here.
  role_claim text,
  roles jsonb not null default '{}',
  -- Whether a person known only to the provider becomes a user here.
  adds_users boolean not null default false,
  is_active boolean not null default true,
  authorization_url text,
  read_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Whether the provider's statement about second factors (amr) replaces a second factor here.
  trusts_amr boolean not null default false,
  primary key (tenant_id, id),
  -- Two providers with one issuer would disagree about the roles of the same person.
  constraint identity_providers_tenant_id_issuer_url_key unique (tenant_id, issuer_url)
);
create index identity_providers_created on identity_providers (tenant_id, created_at desc, id desc);
call app.protect('identity_providers');

-- Links a user to the subject identifier at a provider, which never changes, unlike an email address.
create table user_identities (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  provider_id uuid not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  -- The issuer that vouched for the person. role_max is the role that staff gave the user: claims may lower it,
  -- never exceed it. Null for users whom the provider added: their role follows its claims until staff decide
  -- otherwise.
  issuer_url text not null,
  role_max text check (role_max in ('none', 'viewer', 'collector', 'loan_officer', 'admin', 'superadmin')),
  primary key (tenant_id, provider_id, subject),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create unique index user_identities_user on user_identities (tenant_id, user_id, provider_id);
call app.protect('user_identities');
call app.declare_borrower_data('user_identities', 'portal', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}');

-- A sign-in through a provider, in one browser: the values sent to the provider, its answer, and the
-- worker's result.
create table provider_sign_ins (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  provider_id uuid not null,
  token_hash bytea not null,
  state_hash bytea not null,
  nonce text not null,
  verifier_sealed text not null,
  code_sealed text,
  response_issuer text,
  status text not null default 'begun' check (status in ('begun', 'asked', 'known', 'unlinked', 'failed', 'used')),
  user_id uuid,
  is_multi_factor boolean not null default false,
  problem text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Set while a person who has an unlinked user here waits for that user's consent.
  subject text,
  primary key (tenant_id, id),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create unique index provider_sign_ins_token on provider_sign_ins (tenant_id, token_hash);
create index provider_sign_ins_provider on provider_sign_ins (tenant_id, provider_id);
create index provider_sign_ins_user on provider_sign_ins (tenant_id, user_id);
call app.protect('provider_sign_ins');
call app.declare_borrower_data('provider_sign_ins', not_exported_because => 'secrets of unfinished sign-ins',
  is_deleted_on_redaction => true, links => '{"user_id": "users"}');

-- Permission groups with their rules and members, and grants for one record. Rules of a single user are in
-- user_permissions. A denial names fields or a whole action.
create table permission_groups (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  description text,
  -- Rules in the form of the API: type, action, resource, and the fields of a denial.
  permissions jsonb not null default '[]' check (jsonb_typeof(permissions) = 'array'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
create index permission_groups_created on permission_groups (tenant_id, created_at desc, id desc);
call app.protect('permission_groups');

create table permission_group_members (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  group_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, group_id, user_id),
  foreign key (tenant_id, group_id) references permission_groups (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index permission_group_members_user on permission_group_members (tenant_id, user_id);
call app.protect('permission_group_members', 'select, insert, delete');
call app.declare_borrower_data('permission_group_members', 'portal', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}');

-- Permissions for one record.
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
create index object_grants_user on object_grants (tenant_id, user_id, created_at, id);
create index object_grants_created on object_grants (tenant_id, created_at desc, id desc);
call app.protect('object_grants');
call app.declare_borrower_data('object_grants', 'portal', is_deleted_on_redaction => true,
  links => '{"user_id": "users"}');

-- Requests that need a second person's approval. Nothing is done before the approval; the validated request is
-- stored and runs once when approved.
create table approvals (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('disbursements', 'reversals', 'refunds', 'suspense', 'invitations', 'redactions', 'destinations', 'credit_corrections', 'book_exports', 'imports', 'settings')),
  -- The endpoint, such as POST /loans/{id}/disburse. params and body are the request's validated path and body.
  endpoint text not null,
  params jsonb not null,
  body jsonb,
  -- The If-Match tags of the request, compared when it runs.
  if_match jsonb,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'canceled', 'outdated')),
  reason text,
  requested_by uuid not null,
  requested_by_email text not null,
  decided_by uuid,
  decided_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- What a second person approves: the records behind the request as they were when it was made. The action
  -- runs only if they are unchanged; otherwise the request is closed as outdated.
  content jsonb,
  content_fingerprint text,
  -- The fields of the content that had changed when a second person tried to approve it.
  changed_fields jsonb,
  -- Sealed secrets of the request, such as a client secret. Its body shows *** in their place.
  secrets_sealed text,
  primary key (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id),
  check ((status = 'pending') = (decided_at is null)),
  check (status not in ('approved', 'rejected') or decided_by <> requested_by)
);
create index approvals_pending on approvals (tenant_id, created_at desc, id desc)
  where status = 'pending';
create index approvals_created on approvals (tenant_id, created_at desc, id desc);
call app.protect('approvals', 'select, insert, update');
call app.declare_borrower_data('approvals', 'history',
  links => $${"params ->> 'id'": ["borrowers", "loans", "payments", "disbursements", "draws", "documents", "users",
    "support_cases"], "body ->> 'borrower_id'": ["borrowers", "loans", "payments", "disbursements", "draws",
    "documents", "users", "support_cases"], "body ->> 'loan_id'": ["borrowers", "loans", "payments",
    "disbursements", "draws", "documents", "users", "support_cases"]}$$,
  redacted => '{reason}', emptied => '{body}', secret => '{content,secrets_sealed}',
  kept => '{"one of our codes": ["kind", "endpoint", "status"], "ids": ["params"], "a version": ["if_match",
    "content_fingerprint"], "a member of the lender''s staff": ["requested_by_email"],
    "names of fields": ["changed_fields"]}',
  is_about => $$$1::text in (params ->> 'id', body ->> 'borrower_id') or not app.has_joint_loan($1)$$);

-- Responses to requests with an Idempotency-Key, returned when a request is repeated.
create table idempotency_keys (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  user_id uuid not null,
  method text not null,
  path text not null,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  status integer,
  body jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, user_id, method, path, key)
);
create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);
call app.protect('idempotency_keys');
call app.declare_borrower_data('idempotency_keys',
  not_exported_because => 'answers that other tables contain, kept for days',
  links => $${"user_id": "users", "substring(path from '[0-9a-f]{8}-[0-9a-f-]{27}')": ["borrowers", "loans",
    "payments", "disbursements", "draws", "documents", "users", "support_cases"], "body ->> 'id'": ["borrowers",
    "loans", "payments", "disbursements", "draws", "documents", "users", "support_cases"],
    "body ->> 'borrower_id'": ["borrowers", "loans", "payments", "disbursements", "draws", "documents", "users",
    "support_cases"], "body ->> 'loan_id'": ["borrowers", "loans", "payments", "disbursements", "draws",
    "documents", "users", "support_cases"]}$$,
  emptied => '{body}',
  kept => '{"one of our codes and ids": ["method", "path"], "a client''s own number for a request": ["key",
    "request_hash"]}');

-- Changes and their authors. Written in the transaction of the change and never changed.
create table audit_log (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  entity_type text not null,
  entity_id uuid not null,
  -- The borrower and loan of the entity, so that their histories include the change.
  borrower_id uuid,
  loan_id uuid,
  action text not null,
  actor_type text not null check (actor_type in ('user', 'borrower', 'system', 'provider')),
  actor_id uuid,
  actor_email text,
  changes jsonb not null,
  reason text,
  request_id text,
  ip_address text,
  -- The time of the change under the record's lock, not the start of the transaction, so that history is in the
  -- order of the changes.
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id)
);
create index audit_log_borrower on audit_log (tenant_id, borrower_id, created_at desc, id desc);
create index audit_log_loan on audit_log (tenant_id, loan_id, created_at desc, id desc);
create index audit_log_entity on audit_log (tenant_id, entity_id, created_at desc, id desc);
call app.protect('audit_log', 'select, insert');
call app.declare_borrower_data('audit_log', 'history',
  links => '{"borrower_id": "borrowers", "loan_id": "loans", "entity_id": ["users", "approvals", "documents",
    "payments", "support_cases", "collateral_items", "disbursements", "draws"]}',
  redacted => '{reason}',
  redacted_as => $${"changes": "app.redacted_changes(entity_type, changes)",
    "actor_email": "case actor_type when 'borrower' then 'Redacted' else actor_email end",
    "ip_address": "case when actor_type <> 'borrower' then ip_address end"}$$,
  kept => '{"one of our codes": ["entity_type", "action", "actor_type"],
    "generated for each request": ["request_id"]}',
  takes_rows_after_redaction => true,
  is_about => 'borrower_id = $1 or not app.is_joint(loan_id)',
  exported_as => jsonb_build_object('changes', $$case
    when borrower_id = $1 or not app.is_joint(loan_id) then changes
    when entity_type <> 'co_borrowers' then app.redacted_changes(entity_type, changes) end$$));

-- Sign-ins, refusals and changes of permissions. Unlike audit_log, it is about people and includes refused
-- attempts.
create table security_log (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  event text not null check (event ~ '^[a-z_]{1,40}$'),
  outcome text not null check (outcome in ('done', 'refused', 'failed')),
  -- The code of the refusal.
  reason text,
  user_id uuid,
  -- A keyed hash of the attempted address, if no account has it.
  attempted_identifier text,
  -- The affected record: the user whose role changed, or the downloaded file.
  subject_id uuid,
  route text not null,
  ip_address text,
  request_id text,
  -- Above one if a burst of refusals was counted in one row.
  occurrences integer not null default 1 check (occurrences > 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index security_log_newest on security_log (tenant_id, created_at desc, id desc);
create index security_log_user on security_log (tenant_id, user_id, created_at desc, id desc);
call app.protect('security_log', 'select, insert');
call app.declare_borrower_data('security_log', 'portal', links => '{"user_id": "users"}',
  emptied => '{ip_address,attempted_identifier}',
  kept => '{"one of our codes": ["event", "outcome", "reason", "route"],
    "generated for each request": ["request_id"]}');

-- Logos for a tenant's letters, one row per upload or download. A ready logo never changes, so a letter is printed
-- with the logo of its day. A pending logo is test-printed before letters use it.
create table logos (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  url text not null,
  status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
  problem text,
  content_type text check (content_type in ('image/png', 'image/jpeg', 'image/svg+xml')),
  width integer,
  height integer,
  sha256_hash text,
  -- The sanitized image in base64.
  image text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check ((status = 'failed') = (problem is not null)),
  constraint logos_picture check (
    case status
    when 'ready' then image is not null and content_type is not null
    when 'pending' then (image is null) = (content_type is null)
    else image is null
    end
    )
);
create index logos_url on logos (tenant_id, url, id desc);
call app.protect('logos', 'select, insert, update');
-- A new logo that equals the current one is deleted.
grant delete on logos to servicing_app;

-- Returns the session and its user if the session is valid, and records its use at most once a minute. If
-- the request writes, also records the time of the write at most once a second, without waiting for the
-- disk: a crash that loses the time also ends the requests that needed it. Most requests record nothing, so it reads
-- first.
create function app.open_session(tenant uuid, hash bytea, writes boolean)
  returns table (
    user_id uuid, csrf_token text, email text, first_name text, last_name text,
    tenant_role text, borrower_id uuid, session_id uuid, second_factor text, last_write_at timestamptz
  )
  language plpgsql security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  is_seen_long_ago boolean;
begin
  select account.id, session.csrf_token, account.email, account.first_name, account.last_name,
         account.tenant_role, account.borrower_id, session.id, session.second_factor,
         session.last_write_at, session.last_seen_at < now() - interval '1 minute'
  into open_session.user_id, open_session.csrf_token, open_session.email, open_session.first_name,
       open_session.last_name, open_session.tenant_role, open_session.borrower_id, open_session.session_id,
       open_session.second_factor, open_session.last_write_at, is_seen_long_ago
  from sessions as session
  join users as account on account.tenant_id = session.tenant_id and account.id = session.user_id
  left join borrowers as borrower
    on borrower.tenant_id = account.tenant_id and borrower.id = account.borrower_id
  where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
    and session.last_seen_at > now() - make_interval(secs => session.idle_seconds)
    and session.absolute_expires_at > now()
    and session.epoch = account.session_epoch
    and account.is_active and not coalesce(borrower.is_archived, false);
  if not found then return; end if;
  if is_seen_long_ago then
    update sessions as session set last_seen_at = now()
    where session.tenant_id = tenant and session.id = open_session.session_id;
  end if;
  if writes and open_session.last_write_at < now() - interval '1 second' then
    perform set_config('synchronous_commit', 'off', true);
    update sessions as session set last_write_at = now()
    where session.tenant_id = tenant and session.id = open_session.session_id;
    last_write_at := now();
  end if;
  return next;
end $$;

-- All rules of a user in addition to the role. Read with every request of staff, so a change applies from the next
-- request.
create function app.user_rules(tenant uuid, whom uuid)
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

create trigger append_only before update or delete on audit_log
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on audit_log
  for each statement execute function app.refuse_change();
create trigger append_only before update or delete on security_log
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on security_log
  for each statement execute function app.refuse_change();
