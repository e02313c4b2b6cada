-- What announced documents have left behind is found by their links' end; after that it is cleared.
create index documents_links on documents (tenant_id, expires_at)
  where expires_at is not null and status <> 'expired';
