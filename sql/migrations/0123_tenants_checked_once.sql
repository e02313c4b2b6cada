-- Rows that come by the million, and of which each must name a record of its tenant: that the tenant
-- exists is known from that record, and was looked up a second time for each row.
alter table installments drop constraint installments_tenant_id_fkey;
alter table loan_events drop constraint loan_events_tenant_id_fkey;
alter table journal_lines drop constraint journal_lines_tenant_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_tenant_id_fkey;
alter table payments drop constraint payments_tenant_id_fkey;
alter table fees drop constraint fees_tenant_id_fkey;
