import type { DatabasePool } from 'slonik';
import { openPool, type PoolSettings } from '../../sql/database/db.ts';
import { assertPrimary, assertTenantIsolation } from '../../sql/database/readiness.ts';
import { findDatabase, type CommandConfiguration } from './configuration.ts';

/** Opens a command's connections as the application. Refuses a login that can read all tenants. */
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
