-- When the user of the session last proved who he is, by password or second factor. Whatever grants power
-- needs a recent proof. A session that began elsewhere (single sign-on) has none yet.
alter table sessions add column proved_at timestamptz;

-- Secrets of a request that waits for approval (a client secret), sealed; its body shows *** in their place.
alter table approvals add column secrets_sealed text;
