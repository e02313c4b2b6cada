import { totpCode, enrollApp, allowCodeReuse, signInHalfway } from './second-factors.ts';
import type { Client } from './client.ts';
import type { Stage, Tenant } from './world.ts';

/** Makes this tenant the operators' tenant and signs its superadmin in with two factors. */
export async function newOperator(
  stage: Stage,
  tenant: Tenant,
): Promise<Client & { secret: string }> {
  await stage.owner.query("select app.set_operator_tenant($1, 'tests', 'They need one.')", [
    tenant.slug,
  ]);
  const first = await tenant.signedIn('superadmin');
  const { secret } = await enrollApp(first);
  await allowCodeReuse(stage, tenant);
  const { client, prove } = await signInHalfway(tenant, 'superadmin');
  await prove({ code: totpCode(secret, 1) });
  return Object.assign(client, { secret });
}

/** Puts jobs of a kind into the queue. Returns their numbers. */
export async function enqueueJobs(
  stage: Stage,
  kind: string,
  payload: object,
  count = 1,
  attempts = 5,
) {
  await stage.owner.query(
    `select app.add_jobs($1, array(
       select ($2::jsonb || jsonb_build_object('chunk', number))::json from generate_series(1, $3::integer) as number
     ), now(), $4::integer, array_fill(null::text, array[$3::integer]))`,
    [kind, JSON.stringify(payload), count, attempts],
  );
  const { rows } = await stage.owner.query<{ id: string }>(
    'select id from graphile_worker._private_jobs order by id desc limit $1',
    [count],
  );
  return rows.map(({ id }) => id).toReversed();
}

/** Marks these jobs as failed for good and updates the records that depend on them, as the worker would. */
export const failJobs = (stage: Stage, numbers: readonly string[], error: string) =>
  stage.owner.query(
    `with failed as (
       update graphile_worker._private_jobs set attempts = max_attempts, last_error = $2
       where id = any($1::bigint[]) returning id, task_id, payload, attempts
     )
     insert into app.failed_jobs (job_id, task, payload, attempts, error, handled_at)
     select failed.id, task.identifier, payload::jsonb, attempts, replace($2, '%', failed.id::text), now()
     from failed join graphile_worker._private_tasks as task on task.id = failed.task_id
     on conflict (job_id) do update set error = excluded.error, retried_at = null, handled_at = now()`,
    [numbers, error],
  );

/** Inserts a running close of this tenant in four chunks, the first of them done. */
export async function insertRunningClose(stage: Stage, { id }: Tenant) {
  const { rows } = await stage.owner.query<{ run_id: string }>(
    `with run as (
       insert into cob_runs (tenant_id, cob_date, through_date, chunks_total, loans, started_at)
       values ($1, '2026-01-15', '2026-01-15', 4, 40000, now() - interval '20 seconds')
       returning tenant_id, id
     )
     insert into cob_chunks (tenant_id, run_id, chunk, cob_date, first_loan_id)
     select tenant_id, id, chunk, '2026-01-15', uuidv7() from run cross join generate_series(1, 4) as chunk
     returning run_id`,
    [id],
  );
  const closeAPart = () =>
    stage.owner.query(
      `update cob_chunks set done_at = now()
       where run_id = $1 and chunk = (select min(chunk) from cob_chunks where run_id = $1 and done_at is null)`,
      [rows[0]?.run_id],
    );
  await closeAPart();
  return { closeAPart };
}
