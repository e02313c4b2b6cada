import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

/** The staff roles. Each includes all earlier ones. */
/** From least to most powerful. Each role may do everything that the roles before it may. */
export const TENANT_ROLES = ['viewer', 'collector', 'loan_officer', 'admin', 'superadmin'] as const;

export const users = table({
  name: 'users',
  rows: sql.fragment`
    select record.id, record.email, record.first_name, record.last_name, record.tenant_role,
           record.borrower_id, record.is_active, record.date_joined, record.last_login,
           record.created_at, record.updated_at
    from users as record
  `,
  searched: ['email', 'first_name', 'last_name'],
  search: (words) => sql.fragment`
    row.email ilike ${containsPattern(words)}
    or row.first_name || ' ' || row.last_name ilike ${containsPattern(words)}
  `,
});

const Credentials = z.object({
  id: z.string(),
  password_hash: z.string().nullable(),
  tenant_role: z.enum(TENANT_ROLES).nullable(),
  borrower_id: z.string().nullable(),
  session_epoch: z.int(),
});

const SignInContext = z.object({
  settings: z.record(z.string(), z.unknown()),
  known: Credentials.nullable(),
});

/**
 * The user with that address (lower case) for a login, and the tenant's settings. The statement is the same
 * whether or not the user exists, so its duration reveals nothing.
 */
export const findCredentials = (tx: Transaction, email: string) =>
  tx.one(
    prepared(sql.type(SignInContext)`
      select tenant.settings, to_jsonb(holder) as known
      from tenants as tenant
      left join (
        select holder.id, holder.password_hash, holder.tenant_role, holder.borrower_id,
               holder.session_epoch
        from users as holder
        left join borrowers as borrower on borrower.id = holder.borrower_id
        where holder.email = ${email} and holder.is_active
          and not coalesce(borrower.is_archived, false)
      ) as holder on true
      where tenant.id = app.current_tenant()
    `),
  );

/** Records the login. Returns false if the user's sessions were ended in the meantime. */
export const markLogin = async (tx: Transaction, id: string, epoch: number): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update users set last_login = now()
    where id = ${id} and session_epoch = ${epoch} and is_active
  `);
  return rowCount === 1;
};

export const setPassword = (tx: Transaction, id: string, hash: string) =>
  tx.query(sql.typeAlias('void')`update users set password_hash = ${hash} where id = ${id}`);
