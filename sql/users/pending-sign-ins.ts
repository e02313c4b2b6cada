import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { TENANT_ROLES } from './users.ts';

export type PendingPurpose = 'proof' | 'enrollment';

type New = { hash: string; user_id: string; epoch: number; wants: PendingPurpose; seconds: number };

/**
 * Records that the user passed the first factor, under the hash of the browser's token. Returns null if the
 * user's sessions were ended in the meantime.
 */
export const beginPendingSignIn = (
  tx: Transaction,
  { hash, user_id, epoch, wants, seconds }: New,
) =>
  tx.maybeOneFirst(sql.type(z.object({ expires_at: z.string() }))`
    insert into pending_sign_ins (token_hash, user_id, wants, epoch, expires_at)
    select decode(${hash}, 'hex'), id, ${wants}, session_epoch,
           now() + make_interval(secs => ${seconds})
    from users where id = ${user_id} and session_epoch = ${epoch}
    returning expires_at
  `);

const Pending = z.object({
  user_id: z.string(),
  wants: z.enum(['proof', 'enrollment']),
  tries: z.int(),
  tenant_role: z.enum(TENANT_ROLES).nullable(),
  borrower_id: z.string().nullable(),
  epoch: z.int(),
});
export type Pending = z.output<typeof Pending>;

/**
 * The pending sign-in under the hash, locked so that attempts run one after the other; null if it has
 * ended.
 */
export const lockOpen = (tx: Transaction, hash: string) =>
  tx.maybeOne(sql.type(Pending)`
    select pending.user_id, pending.wants, pending.tries, pending.epoch, holder.tenant_role,
           holder.borrower_id
    from pending_sign_ins as pending
    join users as holder on holder.id = pending.user_id and holder.session_epoch = pending.epoch
    left join borrowers as borrower on borrower.id = holder.borrower_id
    where pending.token_hash = decode(${hash}, 'hex') and pending.ended_at is null
      and pending.expires_at > now() and holder.is_active
      and not coalesce(borrower.is_archived, false)
    for no key update of pending
  `);

export const countAttempt = (tx: Transaction, hash: string) =>
  tx.query(sql.typeAlias('void')`
    update pending_sign_ins set tries = tries + 1 where token_hash = decode(${hash}, 'hex')
  `);

export const endPendingSignIn = (tx: Transaction, hash: string) =>
  tx.query(sql.typeAlias('void')`
    update pending_sign_ins set ended_at = now() where token_hash = decode(${hash}, 'hex')
  `);

/** Deletes sign-ins that can no longer be continued. */
export async function deleteEndedPendingSignIns(tx: Transaction) {
  await tx.query(sql.typeAlias('void')`
    delete from pending_sign_ins where expires_at < now() - interval '1 day'
  `);
  await tx.query(sql.typeAlias('void')`
    delete from passkey_challenges where expires_at < now() - interval '1 day'
  `);
}
