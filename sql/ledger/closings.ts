import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const closings = table({
  name: 'period_closings',
  rows: sql.fragment`
    select record.id, record.closed_through, record.description, record.closed_by, record.created_at
    from period_closings as record
  `,
});

/** Waits for concurrent postings, and blocks new ones until the closing commits. */
export const lockPostings = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select from tenants where id = app.current_tenant() for update
  `);

/** The last closed day; null if none is closed. */
export async function closedThrough(tx: Transaction): Promise<string | null> {
  const { day } = await tx.one(sql.type(z.object({ day: z.string().nullable() }))`
    select max(closed_through) as day from period_closings
  `);
  return day;
}
