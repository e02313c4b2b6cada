import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { DOMAIN_ORDER } from '../tenants.ts';

const Superadmin = z.object({ id: z.string() });

/** Locks the active superadmins, so that two concurrent changes cannot remove the last one. */
export const lockSuperadmins = (tx: Transaction) =>
  tx.anyFirst(sql.type(Superadmin)`
    select id from users where tenant_role = 'superadmin' and is_active
    order by id
    for no key update
  `);

export const listAdmins = (tx: Transaction) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from users where tenant_role in ('admin', 'superadmin') and is_active order by id
  `);

/** Serializes changes to a user. */
export const lockUser = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`select from users where id = ${id} for no key update`);

export const setRole = (tx: Transaction, id: string, role: string | null) =>
  tx.query(sql.typeAlias('void')`
    update users set tenant_role = ${role}, session_epoch = session_epoch + 1 where id = ${id}
  `);

/** Activates or deactivates the user. Both end all existing sessions. */
export const setActive = (tx: Transaction, id: string, isActive: boolean) =>
  tx.query(sql.typeAlias('void')`
    update users set is_active = ${isActive}, session_epoch = session_epoch + 1 where id = ${id}
  `);

const Account = z.object({
  id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  borrower_id: z.string().nullable(),
  password_hash: z.string().nullable(),
  /** The language of messages to the user; null for staff. */
  language: z.string().nullable(),
  session_epoch: z.int(),
});
export type Account = z.output<typeof Account>;
const account = sql.fragment`
  select id, email, first_name, last_name, borrower_id, password_hash, session_epoch,
         (
           select language_preference from borrowers where borrowers.id = users.borrower_id
         ) as language
  from users`;

/** The user, if active. */
export const findActiveUser = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Account)`${account} where id = ${id} and is_active`);

export const findActiveByEmail = (tx: Transaction, email: string) =>
  tx.maybeOne(sql.type(Account)`${account} where email = ${email} and is_active`);

export const findUserOfBorrower = (tx: Transaction, borrowerId: string) =>
  tx.maybeOne(sql.type(Account)`${account} where borrower_id = ${borrowerId}`);

export type TokenPurpose = 'password_reset' | 'invitation';

/** Issues a link to the user. Earlier links stop working. */
export async function issueToken(
  tx: Transaction,
  token: { hash: string; user_id: string; purpose: TokenPurpose; minutes: number },
): Promise<string> {
  await voidTokens(tx, token.user_id);
  return tx.oneFirst(sql.type(z.object({ expires_at: z.string() }))`
    insert into one_time_tokens (token_hash, user_id, purpose, expires_at)
    values (decode(${token.hash}, 'hex'), ${token.user_id}, ${token.purpose},
            now() + make_interval(mins => ${token.minutes}))
    returning expires_at
  `);
}

export const voidTokens = (tx: Transaction, userId: string) =>
  tx.query(sql.typeAlias('void')`
    update one_time_tokens set used_at = now() where user_id = ${userId} and used_at is null
  `);

const Holder = z.object({
  user_id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
});

/** The user of an unused link, without using it. */
export const findTokenHolder = (tx: Transaction, hash: string) =>
  tx.maybeOne(sql.type(Holder)`
    select token.user_id, holder.email, holder.first_name, holder.last_name
    from one_time_tokens as token join users as holder on holder.id = token.user_id
    where token.token_hash = decode(${hash}, 'hex') and token.used_at is null
      and token.expires_at > now() and holder.is_active
  `);

/** Uses the link. A second use finds nothing. */
export const useToken = (tx: Transaction, hash: string) =>
  tx.maybeOneFirst(sql.type(z.object({ user_id: z.string() }))`
    update one_time_tokens as token set used_at = now()
    from users as holder
    where token.token_hash = decode(${hash}, 'hex') and token.used_at is null
      and token.expires_at > now() and holder.id = token.user_id and holder.is_active
    returning token.user_id
  `);

const Sender = z.object({
  name: z.string(),
  slug: z.string(),
  locale: z.string(),
  currency: z.string(),
  time_zone: z.string(),
  domains: z.array(z.string()),
});

/** The tenant's name, locale and domains, for mails. */
export const findSender = (tx: Transaction) =>
  tx.one(sql.type(Sender)`
    select name, slug, locale, currency, time_zone,
           array(select domain from tenant_domains where tenant_id = tenant.id
                 order by ${DOMAIN_ORDER})
             as domains
    from tenants as tenant where id = app.current_tenant()
  `);
