import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { TENANT_ROLES } from './users.ts';

export const identityProviders = table({
  name: 'identity_providers',
  rows: sql.fragment`
    select record.id, record.name, record.issuer_url, record.client_id, record.redirect_url,
           record.role_claim, record.roles, record.adds_users, record.is_active,
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
  authorization_url: z.string().nullable(),
});
export type Provider = z.output<typeof Provider>;

/** The provider, as long as people may sign in there. */
export const active = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Provider)`
    select id, issuer_url, client_id, client_secret_sealed, redirect_url, role_claim, roles,
           adds_users, authorization_url
    from identity_providers where id = ${id} and is_active
  `);

/** Those that people can be sent to, as the page to sign in on names them. */
export const offered = (tx: Transaction) =>
  tx.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
    select id, name from identity_providers
    where is_active and authorization_url is not null order by name, id
  `);

type Read = { authorization_url: string | null; last_error: string | null };

/** Writes what a worker has read, as long as it is still about the same issuer. */
export const wasRead = (tx: Transaction, id: string, issuerUrl: string, read: Read) =>
  tx.query(sql.typeAlias('void')`
    update identity_providers
    set authorization_url = ${read.authorization_url}, last_error = ${read.last_error},
        read_at = now()
    where id = ${id} and issuer_url = ${issuerUrl}
  `);

const Known = z.object({
  user_id: z.string(),
  is_active: z.boolean(),
  tenant_role: z.enum(TENANT_ROLES).nullable(),
});

/** The user whom the provider calls so. */
export const known = (tx: Transaction, providerId: string, subject: string) =>
  tx.maybeOne(sql.type(Known)`
    select holder.id as user_id, holder.is_active, holder.tenant_role
    from user_identities as identity join users as holder on holder.id = identity.user_id
    where identity.provider_id = ${providerId} and identity.subject = ${subject}
  `);

/** One of the staff by address, whom the provider does not call anything yet. */
export const unknownByEmail = (tx: Transaction, providerId: string, email: string) =>
  tx.maybeOne(sql.type(Known)`
    select holder.id as user_id, holder.is_active, holder.tenant_role
    from users as holder
    where holder.email = ${email} and holder.borrower_id is null
      and not exists (
        select from user_identities
        where provider_id = ${providerId} and user_id = holder.id
      )
  `);

/** From now on the provider calls the user so; of two at once one is first. */
export const link = (tx: Transaction, providerId: string, subject: string, userId: string) =>
  tx.query(sql.typeAlias('void')`
    insert into user_identities (provider_id, subject, user_id)
    values (${providerId}, ${subject}, ${userId})
  `);

/** Nobody is known to it any more, since it is another one. */
export const unlinkAll = (tx: Transaction, providerId: string) =>
  tx.query(sql.typeAlias('void')`delete from user_identities where provider_id = ${providerId}`);

/** Whether anybody has that address, borrowers among them. */
export const isTaken = (tx: Transaction, email: string) =>
  tx.exists(sql.typeAlias('void')`select from users where email = ${email}`);
