import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { andCommit, sql, deferred, type Transaction } from '../database/db.ts';
import { LAG_MAX_MS } from '../database/replica.ts';
import { table } from '../table.ts';
import { Rule } from './permissions.ts';
import { TENANT_ROLES } from './users.ts';

/** What beside the first factor a session was proved by; `provider` is the tenant's own. */
export const PROOFS = ['totp', 'passkey', 'recovery_code', 'provider'] as const;
export type Proof = (typeof PROOFS)[number];

/** The sessions that open something now, as people may see them: without what opens them. */
export const sessions = table({
  name: 'sessions',
  rows: sql.fragment`
    select record.id, record.user_id, holder.email, record.ip as ip_address, record.user_agent,
           record.second_factor, record.last_seen_at,
           least(record.absolute_expires_at,
                 record.last_seen_at + make_interval(secs => record.idle_seconds)) as expires_at,
           record.created_at
    from sessions as record
    join users as holder on holder.id = record.user_id and holder.session_epoch = record.epoch
    where record.revoked_at is null and record.absolute_expires_at > now()
      and record.last_seen_at > now() - make_interval(secs => record.idle_seconds)
      and holder.is_active
  `,
  gone: sql.fragment`record.revoked_at is not null`,
});

/** A request that took longer notes its write once more, at its end. */
export const LONG_REQUEST_MS = 15_000;
/** What was committed before lies further back than a replica that is read may lag behind. */
const OWN_WRITES_SECONDS = (LONG_REQUEST_MS + LAG_MAX_MS) / 1_000 + 5;

const OpenSession = z.object({
  user_id: z.string(),
  csrf_token: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  tenant_role: z.enum(TENANT_ROLES).nullable(),
  borrower_id: z.string().nullable(),
  session_id: z.string(),
  second_factor: z.enum(PROOFS).nullable(),
  rules: z.array(Rule),
  has_just_written: z.boolean(),
});
export type OpenSession = z.output<typeof OpenSession>;

/**
 * The live session of that hash and its user, or null: of this tenant, not revoked, neither idle nor
 * too old by the database's clock, of the user's current epoch, and of an active user. With it comes
 * what holds for the user beside the role, where there is one. Marks it as seen, at most once a minute,
 * and as writing where it is about to.
 */
export const openSession = (
  pool: DatabasePool,
  tenantId: string,
  idHash: string,
  writes: boolean,
) =>
  pool.maybeOne(sql.prepared('open_session', OpenSession)`
    select user_id, csrf_token, email, first_name, last_name, tenant_role, borrower_id,
           session_id, second_factor,
           last_write_at > now() - make_interval(secs => ${OWN_WRITES_SECONDS}) as has_just_written,
           (
             select coalesce(jsonb_agg(to_jsonb(rule)), '[]')
             from app.user_rules(${tenantId}, session.user_id) as rule
             where session.tenant_role is not null
           ) as rules
    from app.open_session(${tenantId}, decode(${idHash}, 'hex'), ${writes}) as session
  `);

/** The session has just written, whatever was noted when the request began. */
export const noteWrite = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`update sessions set last_write_at = now() where id = ${id}`);

type NewSession = {
  id_hash: string;
  user_id: string;
  csrf_token: string;
  idle_seconds: number;
  absolute_seconds: number;
  ip: string;
  user_agent: string;
  second_factor: Proof | null;
  /** What the user's sessions counted as when he proved himself. */
  epoch: number;
  /** Whether the password or a second factor was asked for here to begin it. */
  is_proved: boolean;
};

/**
 * Writes a new session and never touches one that exists: a revoked one stays revoked. Nor does it
 * write one where all that the user had has ended since he proved himself. Answers whether there is one,
 * once it is committed: nothing follows in its transaction.
 */
export const start = (tx: Transaction, session: NewSession): Promise<boolean> =>
  tx.oneFirst(
    andCommit(sql.type(z.object({ is_there: z.boolean() }))`
      with begun as (
        insert into sessions
          (id_hash, user_id, csrf_token, epoch, idle_seconds, absolute_expires_at, ip, user_agent,
           second_factor, proved_at)
        select decode(${session.id_hash}, 'hex'), id, ${session.csrf_token}, session_epoch,
               ${session.idle_seconds}, now() + make_interval(secs => ${session.absolute_seconds}),
               ${session.ip}, ${session.user_agent}, ${session.second_factor},
               case when ${session.is_proved} then now() end
        from users where id = ${session.user_id} and session_epoch = ${session.epoch}
        on conflict do nothing
        returning id
      )
      select exists (select from begun)
          or exists (select from sessions where id_hash = decode(${session.id_hash}, 'hex')) as is_there
    `),
  );

export const revoke = (tx: Transaction, idHash: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update sessions set revoked_at = now()
    where id_hash = decode(${idHash}, 'hex') and revoked_at is null
  `),
  );

/** Whether the user of the session proved who he is within so many minutes. */
export const hasRecentProof = (tx: Transaction, id: string, minutes: number) =>
  tx.exists(sql.typeAlias('void')`
    select from sessions
    where id = ${id} and proved_at > now() - make_interval(mins => ${minutes})
  `);

/** Whether the session began within so many minutes. */
export const isFresh = (tx: Transaction, id: string, minutes: number) =>
  tx.exists(sql.typeAlias('void')`
    select from sessions
    where id = ${id} and created_at > now() - make_interval(mins => ${minutes})
  `);

/**
 * Notes that the user of the session has just proved who he is. A factor of ours replaces the word of a
 * provider as what the session was proved by. Answers when that was.
 */
export const noteProof = (tx: Transaction, id: string, factor: Proof | null) =>
  tx.oneFirst(sql.type(z.object({ proved_at: z.string() }))`
    update sessions
    set proved_at = now(),
        second_factor = case
          when second_factor is null or second_factor = 'provider'
            then coalesce(${factor}, second_factor)
          else second_factor
        end
    where id = ${id}
    returning proved_at
  `);

/** Ends one session by its name; one of another user's, where a user is named, stays. */
export const endSession = (tx: Transaction, id: string, userId: string | null = null) =>
  tx.query(sql.typeAlias('void')`
    update sessions set revoked_at = now()
    where id = ${id} and revoked_at is null and user_id = coalesce(${userId}::uuid, user_id)
  `);

/** Whether there is or was such a session. */
export const sessionExists = (tx: Transaction, idHash: string) =>
  tx.exists(sql.typeAlias('void')`
    select from sessions where id_hash = decode(${idHash}, 'hex')
  `);

/** Ends every session of the user; the next login starts the first of a new epoch, which is answered. */
export const endAllSessions = (tx: Transaction, userId: string): Promise<number> =>
  tx.oneFirst(sql.type(z.object({ session_epoch: z.int() }))`
    update users set session_epoch = session_epoch + 1 where id = ${userId}
    returning session_epoch
  `);

/** Sessions that can never open again, a week after they ended. */
export const deleteEnded = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    delete from sessions
    where least(coalesce(revoked_at, 'infinity'), absolute_expires_at) < now() - interval '7 days'
  `);
