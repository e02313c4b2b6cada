import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { TENANT_ROLES } from './users.ts';

type New = {
  provider_id: string;
  token_hash: string;
  state_hash: string;
  nonce: string;
  verifier_sealed: string;
  seconds: number;
};

export const beginProviderSignIn = (tx: Transaction, given: New) =>
  tx.query(sql.typeAlias('void')`
    insert into provider_sign_ins
      (provider_id, token_hash, state_hash, nonce, verifier_sealed, expires_at)
    values (${given.provider_id}, decode(${given.token_hash}, 'hex'),
            decode(${given.state_hash}, 'hex'), ${given.nonce}, ${given.verifier_sealed},
            now() + make_interval(secs => ${given.seconds}))
  `);

const SignIn = z.object({
  id: z.string(),
  status: z.enum(['begun', 'asked', 'known', 'unlinked', 'failed', 'used']),
  user_id: z.string().nullable(),
  is_multi_factor: z.boolean(),
  problem: z.string().nullable(),
  provider: z.string(),
  expires_at: z.string(),
  seconds_left: z.int(),
});

/** The sign-in that this browser began with that state, if it has not ended. */
export const findOpen = (tx: Transaction, tokenHash: string, stateHash: string) =>
  tx.maybeOne(sql.type(SignIn)`
    select sign_in.id, sign_in.status, sign_in.user_id, sign_in.is_multi_factor, sign_in.problem,
           provider.name as provider, sign_in.expires_at,
           extract(epoch from sign_in.expires_at - now())::integer as seconds_left
    from provider_sign_ins as sign_in
    join identity_providers as provider on provider.id = sign_in.provider_id
    where sign_in.token_hash = decode(${tokenHash}, 'hex')
      and sign_in.state_hash = decode(${stateHash}, 'hex')
      and sign_in.status <> 'used' and sign_in.expires_at > now()
  `);

type ReturnedCode = { code_sealed: string; response_issuer: string | null };

/** Stores the authorization code. Only the first one counts; answers whether this was it. */
export const saveCode = async (
  tx: Transaction,
  id: string,
  { code_sealed, response_issuer }: ReturnedCode,
) => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update provider_sign_ins
    set status = 'asked', code_sealed = ${code_sealed}, response_issuer = ${response_issuer}
    where id = ${id} and status = 'begun'
  `);
  return rowCount === 1;
};

const CodeExchange = z.object({
  provider_id: z.string(),
  nonce: z.string(),
  verifier_sealed: z.string(),
  code_sealed: z.string(),
  response_issuer: z.string().nullable(),
});

/** The code that a worker must exchange, unless another worker has. */
export const findCodeToExchange = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(CodeExchange)`
    select provider_id, nonce, verifier_sealed, code_sealed, response_issuer from provider_sign_ins
    where id = ${id} and status = 'asked' and expires_at > now()
  `);

export const markUserKnown = (
  tx: Transaction,
  id: string,
  userId: string,
  isMultiFactor: boolean,
) =>
  tx.query(sql.typeAlias('void')`
    update provider_sign_ins
    set status = 'known', user_id = ${userId}, is_multi_factor = ${isMultiFactor}, code_sealed = null
    where id = ${id} and status = 'asked'
  `);

type LinkChallenge = { user_id: string; subject: string; seconds: number };

/**
 * Records that the identity matches a user who is not linked. The sign-in waits for that user's consent.
 */
export const markUnlinked = (
  tx: Transaction,
  id: string,
  { user_id, subject, seconds }: LinkChallenge,
) =>
  tx.query(sql.typeAlias('void')`
    update provider_sign_ins
    set status = 'unlinked', user_id = ${user_id}, subject = ${subject}, code_sealed = null,
        expires_at = now() + make_interval(secs => ${seconds})
    where id = ${id} and status = 'asked'
  `);

/** The provider for which this browser's sign-in waits for consent. */
export const findWaitingProvider = (tx: Transaction, tokenHash: string) =>
  tx.maybeOneFirst(sql.type(z.object({ provider_id: z.string() }))`
    select provider_id from provider_sign_ins
    where token_hash = decode(${tokenHash}, 'hex') and status = 'unlinked' and expires_at > now()
  `);

/**
 * Uses this browser's sign-in, if it waits for the consent of this user. Returns the subject; a second use
 * finds nothing.
 */
export const acceptLink = (tx: Transaction, tokenHash: string, userId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ subject: z.string() }))`
    update provider_sign_ins set status = 'used'
    where token_hash = decode(${tokenHash}, 'hex') and user_id = ${userId}
      and status = 'unlinked' and expires_at > now()
    returning subject
  `);

export const markProviderSignInFailed = (tx: Transaction, id: string, problem: string) =>
  tx.query(sql.typeAlias('void')`
    update provider_sign_ins set status = 'failed', problem = ${problem}, code_sealed = null
    where id = ${id} and status in ('begun', 'asked')
  `);

const Holder = z.object({
  id: z.string(),
  tenant_role: z.enum(TENANT_ROLES).nullable(),
  borrower_id: z.string().nullable(),
  session_epoch: z.int(),
});

/** Uses the sign-in of a user who may sign in. A second use finds nothing. */
export const useSignIn = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Holder)`
    update provider_sign_ins as sign_in set status = 'used'
    from users as holder
    where sign_in.id = ${id} and sign_in.status = 'known'
      and holder.id = sign_in.user_id and holder.is_active
    returning holder.id, holder.tenant_role, holder.borrower_id, holder.session_epoch
  `);

export const deleteEndedProviderSignIns = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    delete from provider_sign_ins where expires_at < now() - interval '1 day'
  `);
