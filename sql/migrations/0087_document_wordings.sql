-- What a tenant says in its own words on a printed document, beside what the law and we say there.
create table document_wordings (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  document_type text not null,
  language text not null,
  opening text,
  closing text,
  version integer not null default 1,
  is_active boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call app.protect('document_wordings');
create unique index document_wordings_one_of_a_kind on document_wordings (tenant_id, document_type, language)
  where not is_archived;
create index document_wordings_created on document_wordings (tenant_id, created_at desc, id desc);
