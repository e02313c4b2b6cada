-- Whether a provider's word about second factors (amr) replaces the factor that is set up here.
alter table identity_providers add column trusts_amr boolean not null default false;
-- Two providers with one issuer would disagree about the roles of the same person.
alter table identity_providers
  add constraint identity_providers_tenant_id_issuer_url_key unique (tenant_id, issuer_url);

-- A link belongs to the issuer that vouched for the person. role_max is the role that staff gave the user
-- here: claims may lower it, never exceed it. Null for users whom the provider added: their role follows its
-- claims until staff decide otherwise.
alter table user_identities add column issuer_url text;
update user_identities as identity set issuer_url = provider.issuer_url
from identity_providers as provider
where provider.tenant_id = identity.tenant_id and provider.id = identity.provider_id;
alter table user_identities alter column issuer_url set not null;
alter table user_identities add column role_max text
  check (role_max in ('none', 'viewer', 'collector', 'loan_officer', 'admin', 'superadmin'));

-- A sign-in by somebody who has a user here without a link waits for that user's consent.
alter table provider_sign_ins add column subject text;
alter table provider_sign_ins drop constraint provider_sign_ins_status_check;
alter table provider_sign_ins add constraint provider_sign_ins_status_check
  check (status in ('begun', 'asked', 'known', 'unlinked', 'failed', 'used'));
