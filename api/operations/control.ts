import { z } from 'zod';
import { Conflict, Invalid } from '../../jobs/errors.ts';
import { POOLS } from '../../jobs/job.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { requiredFreeText, timestamp, uuid } from '../../sql/types.ts';
import { endpoint } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { assertOperator, causeOf, isOperator, jobKind } from './operator.ts';

const routeDefaults = { tag: 'operations', allow: 'superadmin', status: 200 } as const;

const pool = z
  .string()
  .regex(/^[a-z]{1,20}(:[a-z0-9-]{1,30})?$/, 'This pool does not exist.')
  .describe('A pool, or a sub-pool such as documents:letters.');

const pauseTargetFields = {
  pool: pool.nullish(),
  kind: jobKind.nullish(),
  tenant_id: uuid
    .nullish()
    .describe('The id of the tenant whose jobs are meant. Default: all tenants.'),
};
const PauseRequest = z.object({
  ...pauseTargetFields,
  reason: requiredFreeText.describe('The reason, which is stored.'),
});
const Pause = z
  .object({
    ...pauseTargetFields,
    tenant: z
      .string()
      .nullable()
      .describe('The short name of the tenant whose jobs are paused. Null for all tenants.'),
    reason: z.string().nullable().describe('Why the jobs are paused. Null if you may not see it.'),
    paused_by: z.string().nullable().describe('Who paused them. Null if you may not see it.'),
    paused_at: timestamp.describe('When they were paused.'),
  })
  .meta({ id: 'SeenPause' });

const listPausesRoute = endpoint({
  ...routeDefaults,
  resource: 'operations/pauses',
  action: 'list',
  method: 'GET',
  transaction: 'read',
  summary: 'List pauses',
  description:
    'Users who are not operators see the paused pools and kinds, and the reasons for pauses of their own jobs.',
  path: '/operations/pauses',
  reply: Pause.array(),
  run: async (call: Call) => {
    await isOperator(call);
    return (await operations.listPauses(call.work.tx)).map(({ task, ...pause }) => ({
      ...pause,
      kind: task,
    }));
  },
});

/** Throws if the name is neither a pool nor a defined sub-pool. */
async function assertDefined({ work: { tx } }: Call, name: string) {
  const isPool = POOLS.some((known) => known === name);
  if (isPool || (await operations.listSubPools(tx)).some((known) => known.name === name)) return;
  throw new Invalid({ pool: 'This pool does not exist.' });
}

function parsePauseTarget({
  pool: name,
  kind,
  tenant_id,
}: z.output<typeof PauseRequest>): operations.PauseTarget {
  if (!name && !kind && !tenant_id)
    throw new Invalid({ pool: 'Choose at least one of pool, kind and tenant.' });
  if (kind && !allJobs.some(({ name }) => name === kind))
    throw new Invalid({ kind: 'This kind of job does not exist.' });
  return { pool: name ?? undefined, task: kind ?? undefined, tenant_id: tenant_id ?? undefined };
}

const pause = endpoint({
  ...routeDefaults,
  resource: 'operations/pauses',
  action: 'pause',
  method: 'POST',
  transaction: 'write',
  summary: 'Pause matching jobs',
  description:
    'Workers start no job that matches every given condition. Running jobs finish, and no attempt is used. For operators only.',
  path: '/operations/pauses',
  body: PauseRequest,
  reply: z.object({ paused: z.boolean().describe('Whether the jobs are paused now.') }),
  run: async (call: Call) => {
    await assertOperator(call);
    const hold = call.body as z.output<typeof PauseRequest>;
    if (hold.pool) await assertDefined(call, hold.pool);
    await operations.pauseWork(call.work.tx, parsePauseTarget(hold), causeOf(call, hold.reason));
    return { paused: true };
  },
});

const notPaused = () =>
  new Conflict('This pause has already ended. Reload the list of pauses.', 'not_paused');

const resume = endpoint({
  ...routeDefaults,
  resource: 'operations/pauses',
  action: 'resume',
  method: 'POST',
  transaction: 'write',
  summary: 'End a pause',
  description:
    'Name the pause by the same pool, kind and tenant. Its jobs start again. Answers 409 `not_paused` if it has already ended. For operators only.',
  conflicts: () => [notPaused()],
  path: '/operations/pauses/end',
  body: PauseRequest,
  reply: z.object({ paused: z.boolean().describe('Whether the jobs are still paused.') }),
  run: async (call: Call) => {
    await assertOperator(call);
    const hold = call.body as z.output<typeof PauseRequest>;
    const ended = await operations.resumeWork(
      call.work.tx,
      parsePauseTarget(hold),
      causeOf(call, hold.reason),
    );
    if (!ended) throw notPaused();
    return { paused: false };
  },
});

const Slots = z.object({
  pool,
  slots: z
    .int()
    .min(1)
    .max(200)
    .nullable()
    .describe('Null uses the value that each process was started with.'),
  reason: requiredFreeText.describe('The reason, which is stored.'),
});

const slots = endpoint({
  ...routeDefaults,
  resource: 'operations/slots',
  action: 'change',
  method: 'POST',
  transaction: 'write',
  summary: 'Set the job slots of a pool',
  description: 'The number applies to each process. For operators only.',
  path: '/operations/slots',
  body: Slots,
  reply: z.object({
    pool: z.string().describe('The pool or sub-pool.'),
    slots: z
      .int()
      .nullable()
      .describe('How many jobs each of its processes runs at the same time. Null for the default.'),
  }),
  run: async (call: Call) => {
    await assertOperator(call);
    const { pool: name, slots: wanted, reason } = call.body as z.output<typeof Slots>;
    await assertDefined(call, name);
    await operations.setSlots(call.work.tx, name, wanted, causeOf(call, reason));
    return { pool: name, slots: wanted };
  },
});

export const controlRoutes: readonly Route[] = [listPausesRoute, pause, resume, slots];
