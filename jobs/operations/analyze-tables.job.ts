import { z } from 'zod';
import { analyzeTable, tablesToAnalyze } from '../../sql/operations/statistics.ts';
import { job } from '../job.ts';

/** The statistics belong to no tenant; any transaction may ask for them. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Keeps the planner's statistics of every table current, soon after a tenant is boarded and for partitioned tables too.
 * Each table has its own transaction, so that a second process waits for one table at most.
 */
export const analyzeTables = job({
  name: 'analyze-tables',
  pool: 'ledger',
  payload: z.object({}),
  attempts: 3,

  async run(_payload, outside) {
    const tables = () => outside.within(NOBODY, ({ tx }) => tablesToAnalyze(tx));
    for (const name of await tables())
      await outside.within(NOBODY, ({ tx }) => analyzeTable(tx, name));
    // Parents become due when their partitions were analyzed.
    for (const name of await tables())
      await outside.within(NOBODY, ({ tx }) => analyzeTable(tx, name));
  },
});
