import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export type ChallengePurpose = 'enrollment' | 'proof';
type Challenge = { challenge: string; user_id: string; purpose: ChallengePurpose };

const CHALLENGE_SECONDS = 300;

export const saveChallenge = (tx: Transaction, { challenge, user_id, purpose }: Challenge) =>
  tx.query(sql.typeAlias('void')`
    insert into passkey_challenges (challenge, user_id, purpose, expires_at)
    values (${challenge}, ${user_id}, ${purpose}, now() + make_interval(secs => ${CHALLENGE_SECONDS}))
  `);

/** Uses the challenge. Returns whether it belonged to this user and purpose and has not expired. */
export const useChallenge = async (tx: Transaction, { challenge, user_id, purpose }: Challenge) => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from passkey_challenges
    where challenge = ${challenge} and user_id = ${user_id} and purpose = ${purpose}
      and expires_at > now()
  `);
  return rowCount === 1;
};

const Passkey = z.object({
  id: z.string(),
  credential_id: z.string(),
  public_key: z.string(),
  sign_count: z.string(),
  transports: z.array(z.string()).nullable(),
  host: z.string(),
});

/** The user's passkeys for any of the tenant's hosts. */
export const listPasskeys = (tx: Transaction, userId: string) =>
  tx.any(sql.type(Passkey)`
    select id, credential_id, public_key, sign_count, transports, host from second_factors
    where user_id = ${userId} and kind = 'passkey'
    order by created_at, id
  `);

type New = Omit<z.output<typeof Passkey>, 'id' | 'sign_count'> & {
  user_id: string;
  name: string;
  sign_count: number;
};

/** Stores a passkey. Returns null if another user already has it. */
export const insertPasskey = (tx: Transaction, passkey: New) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    insert into second_factors
      (user_id, kind, name, credential_id, public_key, sign_count, transports, host, confirmed_at)
    values (${passkey.user_id}, 'passkey', ${passkey.name}, ${passkey.credential_id},
            ${passkey.public_key}, ${passkey.sign_count}, ${JSON.stringify(passkey.transports)}::jsonb,
            ${passkey.host}, now())
    on conflict do nothing
    returning id
  `);

/** Records the passkey's signature counter. A cloned passkey would report a lower value than before. */
export const recordUse = async (
  tx: Transaction,
  id: string,
  signCount: number,
): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update second_factors set sign_count = ${signCount}, last_used_at = now()
    where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0))
  `);
  return rowCount === 1;
};
