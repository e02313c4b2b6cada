import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { StartupError } from './startup-error.ts';
import { sql } from './db.ts';
import { BASELINE } from './baseline.ts';
import { baselineChecksum, newestMigration } from './migrate.ts';

const Applied = z.object({ newest: z.string().nullable(), baseline: z.string().nullable() });

/** Whether the database answers and has this version's baseline and every migration of this version. */
export async function isSchemaCurrent(pool: DatabasePool): Promise<boolean> {
  const { newest, baseline } = await pool.one(sql.type(Applied)`
    select max(name) as newest, max(checksum) filter (where name = ${BASELINE}) as baseline
    from public.schema_migrations
  `);
  return newest !== null && newest >= newestMigration() && baseline === baselineChecksum();
}

/**
 * Throws StartupError if the database is a standby: every process writes, except through the API's replica
 * pool.
 */
export async function assertPrimary(pool: DatabasePool) {
  const isStandby = await pool.oneFirst(sql.type(z.object({ is_standby: z.boolean() }))`
    select pg_is_in_recovery() as is_standby
  `);
  if (isStandby)
    throw new StartupError(
      'DATABASE_URL names a standby, which accepts no changes. Set DATABASE_URL to the primary; the API may read ' +
        'from the standby if DATABASE_REPLICA_URL names it.',
    );
}

/**
 * Throws StartupError if row-level security would not hold: for the role that queries run as and, in
 * production, for the login behind it, which could switch roles with one statement.
 */
export async function assertTenantIsolation(pool: DatabasePool, environment: string) {
  const { bypasses } = await pool.one(sql.type(z.object({ bypasses: z.boolean() }))`
    select rolsuper or rolbypassrls or exists (
      select from pg_class where relname = 'loans' and pg_has_role(current_user, relowner, 'usage')
    ) as bypasses
    from pg_roles where rolname = current_user
  `);
  if (bypasses)
    throw new StartupError(
      'The database role of this process could see all tenants: refusing to start.',
    );
  if (environment !== 'production') return;
  const powers = await findExcessPrivileges(pool);
  if (powers.length === 0) return;
  throw new StartupError(
    `The login of DATABASE_URL could see all tenants: ${powers.join('; ')}. Use a login that is a ` +
      'member of servicing_app alone, and for workers and ops of servicing_worker: the section ' +
      '"Logins of the database" in README.md creates one.',
  );
}

const ExcessPrivilege = z.object({
  login: z.string(),
  role: z.string(),
  is_itself: z.boolean(),
  power: z.string(),
});

/**
 * The login's powers to bypass row-level security, its own or through SET ROLE, each as the end of a
 * sentence.
 */
async function findExcessPrivileges(pool: DatabasePool): Promise<string[]> {
  const found = await pool.any(sql.type(ExcessPrivilege)`
    select login.rolname as login, role.rolname as role, role.oid = login.oid as is_itself, power
    from pg_roles as login
    join pg_roles as role on pg_has_role(login.oid, role.oid, 'member'),
    lateral (
      select case
        when role.rolsuper then 'is a superuser'
        when role.rolbypassrls then 'bypasses row-level security'
        when role.rolcreaterole then 'may create roles, and so become others'
        when role.rolreplication then 'may replicate the whole database'
        when role.rolname = 'servicing_owner' or exists (
          select from pg_class where relowner = role.oid and relrowsecurity
        ) then 'owns the tables'
        when role.rolname = 'servicing_auditor' then 'reads the rows of every tenant'
        when role.rolname in
          ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
          then 'reaches the files of the server'
      end as power
    ) as powers
    where login.rolname = session_user and power is not null
      -- A superuser may become any role, so its other powers are not listed.
      and (not login.rolsuper or role.oid = login.oid)
    order by is_itself desc, role
  `);
  return found.map(({ login, role, is_itself, power }) =>
    is_itself ? `${login} ${power}` : `${login} may become ${role}, which ${power}`,
  );
}
