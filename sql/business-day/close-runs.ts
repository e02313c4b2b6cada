import { sql } from '../database/db.ts';
import { table } from '../table.ts';

/** The closes of business days, one run a day. */
export const runs = table({
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
          select from cob_chunks as chunk where chunk.run_id = record.id and chunk.unbilled_month is not null
        ))
        and job.payload ->> 'run_id' = record.id::text
    ) as failed on true
  `,
});
