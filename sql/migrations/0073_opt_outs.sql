-- Numbers and addresses whose holders want no more messages there, whether or not anybody here is known by
-- them: one that becomes a borrower's afterwards stays stopped. What is kept is not about a borrower, and
-- outlives a redaction, or else whoever said stop would be written to again.
create table opt_outs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  channel text not null check (channel in ('email', 'sms')),
  contact_value text not null,
  -- The words that said so.
  said text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, channel, contact_value)
);
call app.protect('opt_outs', 'select, insert, delete');

-- Words that came from numbers which nobody was known by, of each number the last.
insert into opt_outs (tenant_id, channel, contact_value, said, created_at)
select tenant_id, 'sms', sender, word, received_at
from (
  select distinct on (log.tenant_id, log.sender) log.tenant_id, log.sender, log.borrower_id,
         log.received_at, said.word
  from communication_logs as log
  cross join lateral (select lower(regexp_replace(log.body, '[\s.!]+', '', 'g')) as word) as said
  where log.direction = 'inbound' and log.channel = 'sms' and log.sender is not null
    and said.word in ('stop', 'stopall', 'quit', 'end', 'revoke', 'cancel', 'unsubscribe', 'optout',
      'start', 'unstop')
  order by log.tenant_id, log.sender, log.received_at desc
) as last_word
where borrower_id is null and word not in ('start', 'unstop');
