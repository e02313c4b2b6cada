-- A provider reports that the holder of a number has opted out there.
alter table borrower_consents drop constraint borrower_consents_revocation_method_check;
alter table borrower_consents add constraint borrower_consents_revocation_method_check
  check (revocation_method in ('portal', 'sms_keyword', 'agent', 'email', 'letter', 'provider'));
