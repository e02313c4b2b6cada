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

/** Uses the challenge up; whether it was this user's, for this, and not too old. */
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

/** The user's passkeys, whichever of the tenant's hosts they are for. */
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

/** Keeps a passkey; null where somebody has it already. */
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

/** Writes how often it says that it has signed; a copy of it would say less than it did before. */
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
