-- The return code for which an account is blocked; a later return for want of money does not hide it.
alter table payment_instruments add column block_code text check (block_code ~ '^R\d{2}$');
update payment_instruments set block_code = last_return_code
where status = 'blocked' and last_return_code ~ '^R\d{2}$';

-- A return ends the authorization: R05, R07, R10 and R29.
alter table borrower_consents drop constraint borrower_consents_revocation_method_check;
alter table borrower_consents add constraint borrower_consents_revocation_method_check check (
  revocation_method in ('portal', 'sms_keyword', 'agent', 'email', 'letter', 'provider', 'bank_return')
);
