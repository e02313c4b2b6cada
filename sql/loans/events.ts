import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';

const EventRow = z.object({
  id: z.string(),
  kind: z.string(),
  effective_date: z.string(),
  details: z.record(z.string(), z.unknown()),
  recorded_on: z.string(),
});
export type EventRow = z.output<typeof EventRow>;

/** All that is known to have happened to the loan, in the order it became known. */
export const ofLoan = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(EventRow)`
    select id, kind, effective_date, details, recorded_on
    from loan_events where loan_id = ${loanId} order by id
  `);

export type NewEvent = { id: string; kind: string; effective_date: string; details: unknown };

export async function append(tx: Transaction, loanId: string, events: readonly NewEvent[]) {
  await tx.query(sql.typeAlias('void')`
    insert into loan_events (id, loan_id, kind, effective_date, details)
    select id, ${loanId}, kind, effective_date, details
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as event (id uuid, kind text, effective_date date, details jsonb)
  `);
}
