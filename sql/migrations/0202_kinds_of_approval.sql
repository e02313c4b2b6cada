-- Two more things that a tenant may want a second person for: new destinations of data and money, and
-- any change of the settings.
alter table approvals drop constraint approvals_kind_check, add constraint approvals_kind_check check (kind in
  ('disbursements', 'reversals', 'refunds', 'suspense', 'invitations', 'redactions', 'destinations', 'settings'));
