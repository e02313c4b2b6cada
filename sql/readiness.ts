import { z } from 'zod';
import type { DatabasePool } from 'slonik';
import { sql } from './db.ts';
import { newestMigration } from './migrate.ts';

/** Whether the database answers and has the newest schema that this version knows. */
export async function isCurrent(pool: DatabasePool): Promise<boolean> {
  const found = await pool.maybeOneFirst(sql.type(z.object({ name: z.string().nullable() }))`
    select max(name) as name from public.schema_migrations
  `);
  return found !== null && found >= newestMigration();
}

/** Refuses to go on where row-level security would not hold for this connection. */
export async function assertTenancyHolds(pool: DatabasePool) {
  const { bypasses } = await pool.one(sql.type(z.object({ bypasses: z.boolean() }))`
    select rolsuper or rolbypassrls or exists (
      select from pg_class where relname = 'loans' and pg_has_role(current_user, relowner, 'usage')
    ) as bypasses
    from pg_roles where rolname = current_user
  `);
  if (bypasses)
    throw new Error('The database role of this process could see all tenants: refusing to start.');
}
