import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const closeRuns = table({
  name: 'cob_runs',
  rows: sql.fragment`
    select record.id, record.cob_date, record.through_date,
           case when failed.chunks is null then record.status else 'failed' end as status,
           'Parts that failed for good: ' || failed.chunks || '. Their reasons are shown, and they '
             || 'are run again, by the operations command line (failed, retry).' as failure_reason,
           record.chunks_total,
           (
             select count(*)::integer from cob_chunks as chunk
             where chunk.run_id = record.id and chunk.done_at is not null
           ) as chunks_done,
           record.loans, record.interest, record.parked, record.started_at, record.finished_at
    from cob_runs as record
    left join lateral (
      select string_agg(job.payload ->> 'chunk', ', ' order by (job.payload ->> 'chunk')::integer)
               as chunks
      from app.failed_jobs as job
      where job.task = 'close-loans' and job.retried_at is null
        and (record.status = 'running' or exists (
          select from cob_chunks as chunk where chunk.run_id = record.id and (chunk.unbilled_month is not null or chunk.has_ended_reliefs)
        ))
        and job.payload ->> 'run_id' = record.id::text
    ) as failed on true
  `,
});

const RunRow = z.object({
  id: z.string(),
  cob_date: z.string(),
  through_date: z.string(),
  status: z.string(),
  chunks_total: z.int(),
  chunks_done: z.int(),
  loans: z.int(),
  interest: z.string(),
  parked: z.int(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
});

export const latestRuns = (tx: Transaction, limit: number) =>
  tx.any(
    prepared(sql.type(RunRow)`
    select id, cob_date, through_date, status, chunks_total, chunks_done, loans, interest, parked,
           started_at, finished_at
    from cob_runs order by cob_date desc limit ${limit}
  `),
  );
