import { sql } from '../db.ts';
import { table } from '../table.ts';

/** The closes of business days, one run a day. */
export const runs = table({
  name: 'cob_runs',
  rows: sql.fragment`
    select record.id, record.cob_date, record.through_date, record.status, record.chunks_total,
           (
             select count(*)::integer from cob_chunks as chunk
             where chunk.run_id = record.id and chunk.done_at is not null
           ) as chunks_done,
           record.loans, record.interest, record.parked, record.started_at, record.finished_at
    from cob_runs as record
  `,
});
