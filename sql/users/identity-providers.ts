import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { TENANT_ROLES } from './users.ts';

export const identityProviders = table({
  name: 'identity_providers',
  rows: sql.fragment`
    select record.id, record.name, record.issuer_url, record.client_id, record.redirect_url,
           record.role_claim, record.roles, record.adds_users, record.trusts_amr, record.is_active,
           record.authorization_url, record.read_at, record.last_error,
           record.created_at, record.updated_at
    from identity_providers as record
  `,
});

const Provider = z.object({
  id: z.string(),
  issuer_url: z.string(),
  client_id: z.string(),
  client_secret_sealed: z.string(),
  redirect_url: z.string(),
  role_claim: z.string().nullable(),
  roles: z.record(z.string(), z.enum(TENANT_ROLES)),
  adds_users: z.boolean(),
  trusts_amr: z.boolean(),
  authorization_url: z.string().nullable(),
});
export type Provider = z.output<typeof Provider>;

const provider = sql.fragment`
  select id, issuer_url, client_id, client_secret_sealed, redirect_url, role_claim, roles,
         adds_users, trusts_amr, authorization_url
  from identity_providers`;

export const findActive = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Provider)`${provider} where id = ${id} and is_active`);

/**
 * The provider, if it is active. The lock keeps it from being changed or removed until the transaction
 * ends.
 */
export const lockActive = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Provider)`${provider} where id = ${id} and is_active for share`);

export const findName = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ name: z.string() }))`
    select name from identity_providers where id = ${id}
  `);

/**
 * Ends all sessions and unfinished sign-ins of users linked to the provider, and those that other users
 * began at it.
 */
export async function endSignIns(tx: Transaction, id: string) {
  await tx.query(sql.typeAlias('void')`
    update users set session_epoch = session_epoch + 1
    where id in (select user_id from user_identities where provider_id = ${id})
  `);
  await tx.query(sql.typeAlias('void')`delete from provider_sign_ins where provider_id = ${id}`);
}

export const listOffered = (tx: Transaction) =>
  tx.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
    select id, name from identity_providers
    where is_active and authorization_url is not null order by name, id
  `);

type DiscoveryResult = { authorization_url: string | null; last_error: string | null };

/** Stores the endpoints that a worker discovered, if the issuer has not changed since. */
export const saveDiscovery = (
  tx: Transaction,
  id: string,
  issuerUrl: string,
  read: DiscoveryResult,
) =>
  tx.query(sql.typeAlias('void')`
    update identity_providers
    set authorization_url = ${read.authorization_url}, last_error = ${read.last_error},
        read_at = now()
    where id = ${id} and issuer_url = ${issuerUrl}
  `);

/** The highest role that claims may give a linked user; `none` if staff removed the role. */
export type RoleMax = (typeof TENANT_ROLES)[number] | 'none';

const Unknown = z.object({
  user_id: z.string(),
  is_active: z.boolean(),
  tenant_role: z.enum(TENANT_ROLES).nullable(),
});
const Known = Unknown.extend({ role_max: z.enum(['none', ...TENANT_ROLES]).nullable() });

type Issuer = { provider_id: string; issuer_url: string };

/**
 * Locks and returns the user linked to this subject of the issuer. The lock serializes it with changes of
 * the user's role by staff.
 */
export async function lockLinkedUser(
  tx: Transaction,
  { provider_id, issuer_url }: Issuer,
  subject: string,
): Promise<z.output<typeof Known> | null> {
  const linked = sql.fragment`
    from user_identities as identity join users as holder on holder.id = identity.user_id
    where identity.provider_id = ${provider_id} and identity.issuer_url = ${issuer_url}
      and identity.subject = ${subject}`;
  await tx.query(sql.typeAlias('void')`select ${linked} for no key update of holder`);
  // A second statement, because the first may have waited and would see older data.
  return tx.maybeOne(sql.type(Known)`
    select holder.id as user_id, holder.is_active, holder.tenant_role, identity.role_max ${linked}
  `);
}

/** The member of staff with this email address who is not linked to the provider. */
export const findUnlinkedByEmail = (tx: Transaction, providerId: string, email: string) =>
  tx.maybeOne(sql.type(Unknown)`
    select holder.id as user_id, holder.is_active, holder.tenant_role
    from users as holder
    where holder.email = ${email} and holder.borrower_id is null
      and not exists (
        select from user_identities
        where provider_id = ${providerId} and user_id = holder.id
      )
  `);

/** Links the user to the subject. Of two concurrent calls, one fails. */
export const linkUser = (
  tx: Transaction,
  { provider_id, issuer_url }: Issuer,
  { subject, user_id, role_max }: { subject: string; user_id: string; role_max: RoleMax | null },
) =>
  tx.query(sql.typeAlias('void')`
    insert into user_identities (provider_id, issuer_url, subject, user_id, role_max)
    values (${provider_id}, ${issuer_url}, ${subject}, ${user_id}, ${role_max})
  `);

/** Limits the role that claims of any provider may give the user. */
export const capRole = (tx: Transaction, userId: string, roleMax: RoleMax) =>
  tx.query(sql.typeAlias('void')`
    update user_identities set role_max = ${roleMax} where user_id = ${userId}
  `);

const Link = z.object({ provider_id: z.string(), name: z.string(), linked_at: z.string() });

export const listLinks = (tx: Transaction, userId: string) =>
  tx.any(sql.type(Link)`
    select provider.id as provider_id, provider.name, identity.created_at as linked_at
    from user_identities as identity join identity_providers as provider
      on provider.id = identity.provider_id
    where identity.user_id = ${userId} order by provider.name, provider.id
  `);

export const unlinkUser = async (tx: Transaction, userId: string, providerId: string) => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from user_identities where user_id = ${userId} and provider_id = ${providerId}
  `);
  return rowCount > 0;
};

/** Whether the user has no password and signs in through a provider, which then controls access alone. */
export const usesProviderOnly = (tx: Transaction, userId: string | null) =>
  tx.exists(sql.typeAlias('void')`
    select from users as holder
    join user_identities as identity on identity.user_id = holder.id
    join identity_providers as provider
      on provider.id = identity.provider_id and provider.issuer_url = identity.issuer_url
    where holder.id = ${userId} and holder.password_hash is null and provider.is_active
  `);

/** Removes all links of a provider, because its issuer has changed. */
export const unlinkAll = (tx: Transaction, providerId: string) =>
  tx.query(sql.typeAlias('void')`delete from user_identities where provider_id = ${providerId}`);

/** Whether any user, including borrowers, has that address. */
export const isEmailTaken = (tx: Transaction, email: string) =>
  tx.exists(sql.typeAlias('void')`select from users where email = ${email}`);
