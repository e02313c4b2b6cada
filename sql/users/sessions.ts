import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { andCommit, sql, deferred, type Transaction } from '../database/db.ts';
import { LAG_MAX_MS } from '../database/replica.ts';
import { table } from '../table.ts';
import { Rule } from './permissions.ts';
import { TENANT_ROLES } from './users.ts';

/** How a session proved its second factor. `provider`: the tenant's identity provider did. */
export const PROOFS = ['totp', 'passkey', 'recovery_code', 'provider'] as const;
export type Proof = (typeof PROOFS)[number];

/** Valid sessions as people may see them, without their tokens. */
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

/** A longer request records its write again when it ends. */
export const LONG_REQUEST_MS = 15_000;
/** Writes before this are older than the maximum lag of a replica that is read. */
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
 * The valid session with that hash, its user and the user's rules; null if there is none. A valid session
 * belongs to this tenant and to an active user's current epoch, and is not revoked, idle or too old by the
 * database's clock. Records the last use, at most once a minute, and a write if the request is about to
 * write.
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

/** Records a write at the end of a request, whatever was recorded at its start. */
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
  /** The user's session epoch when they proved their identity. */
  epoch: number;
  /** Whether the password or a second factor was checked here to start it. */
  is_proved: boolean;
};

/**
 * Starts a session. Never changes an existing one, so a revoked session stays revoked. Starts none if the
 * user's sessions were ended since they proved their identity. Returns whether the session exists, after
 * the commit; no statement may follow in the transaction.
 */
export const startSession = (tx: Transaction, session: NewSession): Promise<boolean> =>
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

export const revokeSession = (tx: Transaction, idHash: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update sessions set revoked_at = now()
    where id_hash = decode(${idHash}, 'hex') and revoked_at is null
  `),
  );

/** Whether the session's user proved their identity within the last minutes. */
export const hasRecentProof = (tx: Transaction, id: string, minutes: number) =>
  tx.exists(sql.typeAlias('void')`
    select from sessions
    where id = ${id} and proved_at > now() - make_interval(mins => ${minutes})
  `);

export const isFresh = (tx: Transaction, id: string, minutes: number) =>
  tx.exists(sql.typeAlias('void')`
    select from sessions
    where id = ${id} and created_at > now() - make_interval(mins => ${minutes})
  `);

/**
 * Records that the user has just proved their identity. A factor checked here replaces `provider`. Returns
 * the time.
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

/** Ends a session by its id. If a user is given, only if it belongs to them. */
export const endSession = (tx: Transaction, id: string, userId: string | null = null) =>
  tx.query(sql.typeAlias('void')`
    update sessions set revoked_at = now()
    where id = ${id} and revoked_at is null and user_id = coalesce(${userId}::uuid, user_id)
  `);

export const sessionExists = (tx: Transaction, idHash: string) =>
  tx.exists(sql.typeAlias('void')`
    select from sessions where id_hash = decode(${idHash}, 'hex')
  `);

/** Ends every session of the user by starting a new epoch, and returns the epoch. */
export const endAllSessions = (tx: Transaction, userId: string): Promise<number> =>
  tx.oneFirst(sql.type(z.object({ session_epoch: z.int() }))`
    update users set session_epoch = session_epoch + 1 where id = ${userId}
    returning session_epoch
  `);

export const deleteEndedSessions = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    delete from sessions
    where least(coalesce(revoked_at, 'infinity'), absolute_expires_at) < now() - interval '7 days'
  `);
