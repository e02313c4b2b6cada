import type { DatabasePool } from 'slonik';
import { openPool, type PoolSettings } from '../../sql/database/db.ts';
import { assertPrimary, assertTenantIsolation } from '../../sql/database/readiness.ts';
import { findDatabase, type CommandConfiguration } from './configuration.ts';

/** The application's connections of a command, which a login that sees all tenants does not get. */
export async function openForCommand(
  configuration: CommandConfiguration,
  settings: PoolSettings,
): Promise<DatabasePool> {
  const pool = await openPool(findDatabase(configuration), settings);
  try {
    await assertPrimary(pool);
    await assertTenantIsolation(pool, configuration.NODE_ENV);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}
