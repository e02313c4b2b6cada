import { POOLS } from '../../jobs/job.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { listAllTenants } from '../../sql/queue/workers.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { CAUSE_OPTIONS, CAUSE_USAGE, parseCause } from './cause.ts';
import { UsageError, type Operation } from './operation.ts';

type Owner = Parameters<Operation['run']>[0]['owner'];

const TARGET_USAGE = '[pool NAME] [task NAME] [tenant SLUG]';
const KINDS = ['pool', 'task', 'tenant'] as const;

/** Parses the arguments, for example "pool documents" or "task print-letter tenant acme". */
async function parseTarget(
  owner: Owner,
  words: readonly string[],
): Promise<operations.PauseTarget> {
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) {
    const [kind = '', name] = words.slice(at, at + 2);
    if (!KINDS.some((known) => known === kind)) {
      throw new UsageError(
        at === 0 ? TARGET_HINT : `"${kind}" is not expected here. Use: ${TARGET_USAGE}.`,
      );
    }
    if (name === undefined) throw new UsageError(`Add the name of the ${kind}.`);
    if (given.has(kind)) throw new UsageError(`Name only one ${kind}.`);
    given.set(kind, name);
  }
  if (given.size === 0) throw new UsageError(TARGET_HINT);
  const [pool, task, slug] = KINDS.map((kind) => given.get(kind));
  if (pool !== undefined) await assertPool(owner, pool);
  if (task !== undefined)
    assertKnown(
      'task',
      task,
      allJobs.map((job) => job.name),
    );
  return { pool, task, tenant_id: slug === undefined ? undefined : await tenantId(owner, slug) };
}

const TARGET_HINT = `Name what to pause or resume: ${TARGET_USAGE}. Only jobs that match all of the words are affected.`;

function assertKnown(kind: string, name: string, known: readonly string[]) {
  if (known.includes(name)) return;
  throw new UsageError(`There is no ${kind} "${name}". Known: ${known.join(', ') || 'none'}.`);
}

/** Throws unless the name is a pool or a defined sub-pool. */
export async function assertPool(owner: Owner, name: string) {
  const defined = await operations.listSubPools(owner);
  assertKnown('pool', name, [...POOLS, ...defined.map((sub) => sub.name)]);
}

/** Also finds inactive tenants. */
async function tenantId(owner: Owner, slug: string): Promise<string> {
  const known = await listAllTenants(owner);
  const found = known.find((tenant) => tenant.slug === slug);
  if (found) return found.id;
  const slugs = known.map((tenant) => tenant.slug).join(', ') || 'none';
  throw new UsageError(`There is no tenant "${slug}". Known: ${slugs}.`);
}

export const pauseJobs: Operation = {
  name: 'pause',
  usage: `${TARGET_USAGE} ${CAUSE_USAGE}`,
  summary: 'Pauses the jobs of a pool, a kind, a tenant, or a combination',
  words: 6,
  options: CAUSE_OPTIONS,
  run: async ({ owner, words, options }) => {
    const which = await parseTarget(owner, words);
    await operations.pauseWork(owner, which, parseCause(options));
    return {
      say:
        `${words.join(' ')} is paused. No more jobs start. Running jobs finish. ` +
        `To end the pause: npm run ops -- resume ${words.join(' ')} --reason …`,
      rows: [which],
    };
  },
};

export const resumeJobs: Operation = {
  name: 'resume',
  usage: `${TARGET_USAGE} ${CAUSE_USAGE}`,
  summary: 'Ends the pause with the same words',
  words: 6,
  options: CAUSE_OPTIONS,
  run: async ({ owner, words, options }) => {
    const which = await parseTarget(owner, words);
    const was_paused = await operations.resumeWork(owner, which, parseCause(options));
    const say = was_paused
      ? 'is resumed. Jobs start within two seconds.'
      : 'was not paused. To list the pauses: npm run ops -- pauses';
    return { say: `${words.join(' ')} ${say}`, rows: [{ ...which, was_paused }] };
  },
};

export const listPauses: Operation = {
  name: 'pauses',
  usage: '',
  summary: 'Lists pauses: who, what, since when and why',
  run: async ({ owner }) => {
    const rows = (await operations.listPauses(owner)).map(({ tenant_id: _, ...pause }) => pause);
    return rows.length === 0 ? { say: 'Nothing is paused.', rows } : { rows };
  },
};
