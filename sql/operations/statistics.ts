import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

/** Tables with outdated planner statistics, partitions before their parents. */
export const tablesToAnalyze = (tx: Transaction) =>
  tx.anyFirst(sql.type(z.object({ name: z.string() }))`select name from app.tables_to_analyze()`);

/**
 * Updates the table's planner statistics if they are still outdated. The table stays readable and writable.
 */
export const analyzeTable = (tx: Transaction, name: string) =>
  tx.oneFirst(sql.type(z.object({ is_done: z.boolean() }))`
    select app.analyze_table(${name}) as is_done
  `);
