import { z } from 'zod';
import { analyzeTable, tablesToAnalyze } from '../../sql/operations/statistics.ts';
import { job } from '../job.ts';
import { NO_TENANT_ID } from '../work.ts';

/**
 * Keeps the planner's statistics current, also for partitioned tables and soon after a tenant is boarded.
 * Each table has its own transaction, so that another process waits for at most one table.
 */
export const analyzeTables = job({
  name: 'analyze-tables',
  pool: 'ledger',
  payload: z.object({}),
  attempts: 3,

  async run(_payload, outside) {
    const tables = () => outside.within(NO_TENANT_ID, ({ tx }) => tablesToAnalyze(tx));
    for (const name of await tables())
      await outside.within(NO_TENANT_ID, ({ tx }) => analyzeTable(tx, name));
    // Partitioned tables become due after their partitions were analyzed.
    for (const name of await tables())
      await outside.within(NO_TENANT_ID, ({ tx }) => analyzeTable(tx, name));
  },
});
