import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import type { Transaction } from './database/db.ts';

/** A violation: its rule, tenant and record, and a sentence that explains it. */
export const Violation = z.object({
  rule: z.string(),
  tenant_id: z.string().nullable(),
  subject: z.string(),
  message: z.string(),
});
export type Violation = z.output<typeof Violation>;

export const ViolationRow = Violation.omit({ rule: true });

/** A rule that must hold at every moment, and the query that finds its violations. */
export type Check = { rule: string; query: QuerySqlToken<typeof ViolationRow> };

const VIOLATIONS_MAX = 1_000;

export async function findViolations(
  tx: Transaction,
  { rule, query }: Check,
): Promise<Violation[]> {
  const found = await tx.any(query);
  return found.slice(0, VIOLATIONS_MAX).map((violation) => ({ rule, ...violation }));
}
