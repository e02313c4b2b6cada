import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { Conflict, Invalid } from '../jobs/errors.ts';
import { seal, unseal } from '../jobs/webhooks/secrets.ts';
import type { Within, Work } from '../jobs/work.ts';
import * as idempotency from '../sql/users/idempotency.ts';
import type { User } from './permissions.ts';
import type { Route } from './route.ts';

export type Keyed = { scope: idempotency.KeyScope; hash: string };
type Answered = { status: number; body: unknown };
export type Once = Answered & { replayed: boolean };

/**
 * What the Idempotency-Key of a POST stands for, or null without one. Of passwords nothing is kept,
 * not even the hash of a body.
 */
export function keyedBy(
  { method, resource }: Route,
  ctx: Context,
  user: User,
  body: unknown,
): Keyed | null {
  const key = ctx.get('Idempotency-Key');
  if (method !== 'POST' || resource === 'auth') return null;
  if (ctx.req.headers['idempotency-key'] === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Invalid({ 'Idempotency-Key': 'Must be 1 to 255 printable characters.' });
  const hash = createHash('sha256')
    .update(JSON.stringify(body ?? null))
    .digest('hex');
  return { scope: { user_id: user.id, method, path: ctx.path, key }, hash };
}

/** The answer and its key are written in the transaction of the effect, so a crash leaves neither. */
export async function onlyOnce(
  work: Work,
  keyed: Keyed,
  steps: () => Promise<Answered>,
): Promise<Once> {
  const kept = await idempotency.take(work.tx, keyed.scope, keyed.hash);
  if (kept) return replayOf(kept, keyed, work.tenant_id);
  const { status, body } = await steps();
  const hidden = withSecret(body, (secret) => seal(work.tenant_id, secret));
  await idempotency.keep(work.tx, keyed.scope, status, hidden);
  return { status, body, replayed: false };
}

/**
 * For steps with transactions of their own, which are harmless when repeated: the answer is kept once
 * they are done, and whoever asks again is told it.
 */
export async function onceAfterwards(
  within: Within,
  tenantId: string,
  keyed: Keyed,
  steps: () => Promise<Answered>,
): Promise<Once> {
  const kept = await within(tenantId, ({ tx }) => idempotency.find(tx, keyed.scope), {
    readOnly: true,
  });
  if (kept) return replayOf(kept, keyed, tenantId);
  const answer = await steps();
  return within(tenantId, (work) => onlyOnce(work, keyed, () => Promise.resolve(answer)));
}

function replayOf(kept: idempotency.Kept, { hash }: Keyed, tenantId: string): Once {
  if (kept.request_hash !== hash)
    throw new Conflict('This Idempotency-Key was used with another body.', 'idempotency_key_reuse');
  const body = withSecret(kept.body, (sealed) => unseal(tenantId, sealed));
  return { status: kept.status, body, replayed: true };
}

/** A secret that is answered once is kept here no more readably than in its own table. */
function withSecret(body: unknown, change: (secret: string) => string): unknown {
  const { secret } = (body ?? {}) as { secret?: unknown };
  return typeof secret === 'string' ? { ...(body as object), secret: change(secret) } : body;
}
