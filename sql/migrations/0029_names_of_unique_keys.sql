-- A unique key that a client can violate is named {table}_tenant_id_{field}_key, after the field that is
-- to blame, as Postgres itself names a key of the tenant and one field. The answer reads the field off it.
alter table draws rename constraint draws_external_id to draws_tenant_id_external_id_key;
alter table investors rename constraint investors_external_id to investors_tenant_id_external_id_key;
alter table investors rename constraint investors_name to investors_tenant_id_name_key;
alter table ledger_accounts rename constraint ledger_accounts_code to ledger_accounts_tenant_id_code_key;
alter index liens_lien_position rename to liens_tenant_id_lien_position_key;
alter table loans rename constraint loans_external_id to loans_tenant_id_external_id_key;
alter table loans rename constraint loans_loan_number to loans_tenant_id_loan_number_key;
alter table payments rename constraint payments_external_id to payments_tenant_id_external_id_key;
alter table portfolios rename constraint portfolios_name to portfolios_tenant_id_name_key;
alter table products rename constraint products_code to products_tenant_id_code_key;
alter table programs rename constraint programs_code to programs_tenant_id_code_key;
