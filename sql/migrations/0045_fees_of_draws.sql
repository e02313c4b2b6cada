-- The draw that a fee was asked for, so that it is taken back with it.
alter table fees add column draw_id uuid;
alter table fees add foreign key (tenant_id, draw_id) references draws (tenant_id, id)
  -- A fee is assessed before its draw is written, in the same transaction.
  deferrable initially deferred;
create index fees_draw on fees (tenant_id, draw_id) where draw_id is not null;

-- Both were written in one transaction, at its time.
update fees set draw_id = draw.id
from draws as draw
where fees.tenant_id = draw.tenant_id and fees.loan_id = draw.loan_id
  and fees.fee_type = 'draw' and fees.created_at = draw.created_at;
