import type { Context } from 'koa';
import { Conflict, Invalid } from '../../jobs/errors.ts';
import type { Installation } from '../../jobs/installation.ts';
import type { Within, Work } from '../../jobs/work.ts';
import { sqlStateOf } from '../../sql/database/db.ts';
import * as idempotency from '../../sql/users/idempotency.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from './errors.ts';
import type { User } from './permissions.ts';

/** Keyed hashes of the body. The first uses the current key and is stored; the others use earlier keys. */
export type IdempotencyKey = { scope: idempotency.KeyScope; hashes: [string, ...string[]] };
type AnswerContent = { status: number; body: unknown };
/** The keys that seal a stored answer. */
type SealingKeys = Pick<Work, 'tenant_id' | 'installation'>;
export type ReplayableAnswer = AnswerContent & { replayed: boolean };

/** Requests under /auth carry passwords, which are not stored, not even as a hash. */
export const honoursIdempotencyKey = ({ method, resource }: Pick<Route, 'method' | 'resource'>) =>
  method === 'POST' && resource !== 'auth';

/**
 * Returns the key of a POST with an Idempotency-Key header, or null without one. The body of a request with
 * a password is not stored, not even as a hash. Other bodies are stored as keyed hashes, because a plain
 * hash of an identity number could be reversed by trying all numbers.
 */
export function readIdempotencyKey(
  route: Route,
  ctx: Context,
  { user, body, installation }: { user: User; body: unknown; installation: Installation },
): IdempotencyKey | null {
  const key = ctx.get('Idempotency-Key');
  if (!honoursIdempotencyKey(route)) return null;
  if (ctx.req.headers['idempotency-key'] === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Invalid({ 'Idempotency-Key': 'Must be 1 to 255 printable characters.' });
  const { id: tenantId } = ctx.state.tenant as { id: string };
  const hashes = installation.keys.indexes(tenantId, `request ${JSON.stringify(body ?? null)}`);
  return { scope: { user_id: user.id, method: route.method, path: ctx.path, key }, hashes };
}

/** Writes the answer and its key in the same transaction as the effect, so that a crash leaves neither. */
export async function runOnce(
  work: Work,
  keyed: IdempotencyKey,
  steps: () => Promise<AnswerContent>,
): Promise<ReplayableAnswer> {
  const [hash] = keyed.hashes;
  const kept = await idempotency.reserveKey(work.tx, keyed.scope, hash).catch((error: unknown) => {
    // The first request with this key did not finish within the lock timeout.
    throw sqlStateOf(error) === '55P03' ? inProgress() : error;
  });
  if (kept) return buildReplay(work, kept, keyed);
  const { status, body } = await steps();
  await idempotency.saveAnswer(work.tx, keyed.scope, status, sealSecret(work, body));
  return { status, body, replayed: false };
}

/**
 * For steps that use their own transactions and are safe to repeat. The key is claimed before the steps and
 * the answer stored after them. A repeated request waits for the answer and receives it.
 */
export async function runOnceInOwnTransactions(
  call: SealingKeys & { within: Within },
  keyed: IdempotencyKey,
  steps: () => Promise<AnswerContent>,
): Promise<ReplayableAnswer> {
  const { within, tenant_id: tenantId } = call;
  const kept = await claimOrWait(within, tenantId, keyed);
  if (kept) return buildReplay(call, kept, keyed);
  try {
    const { status, body } = await steps();
    await within(tenantId, ({ tx }) =>
      idempotency.saveAnswer(tx, keyed.scope, status, sealSecret(call, body)),
    );
    return { status, body, replayed: false };
  } catch (error) {
    await within(tenantId, ({ tx }) => idempotency.releaseKey(tx, keyed.scope));
    throw error;
  }
}

const WAIT_MS = 5_000;
const POLL_MS = 100;
/** A request that holds a key for longer than this has crashed. */
const CLAIM_EXPIRES_SECONDS = 120;

/** Claims the key before the steps start. Later requests wait for the first one's answer. */
async function claimOrWait(within: Within, tenantId: string, { scope, hashes }: IdempotencyKey) {
  for (const until = Date.now() + WAIT_MS; ;) {
    const kept = await within(tenantId, ({ tx }) =>
      idempotency.claimKey(tx, scope, hashes[0], CLAIM_EXPIRES_SECONDS),
    );
    if (kept === null || kept.status !== null) return kept;
    if (!hashes.includes(kept.request_hash)) return kept;
    if (Date.now() > until) throw inProgress();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export const inProgress = () =>
  new HttpRefusal(
    409,
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still in progress. Try again in a moment.',
    { headers: { 'Retry-After': '1' } },
  );

export const keyReused = () =>
  new Conflict(
    'This Idempotency-Key was used with a different body. Use a new key.',
    'idempotency_key_reuse',
  );

function buildReplay(
  sealer: SealingKeys,
  kept: idempotency.StoredAnswer,
  { hashes }: IdempotencyKey,
): ReplayableAnswer {
  if (!hashes.includes(kept.request_hash)) throw keyReused();
  const { keys } = sealer.installation;
  const body = mapSecret(kept.body, (sealed) => keys.unseal(sealer.tenant_id, sealed));
  if (kept.status === null) throw inProgress();
  return { status: kept.status, body, replayed: true };
}

/** A secret that is shown once must be as protected here as in its own table. */
const sealSecret = ({ tenant_id, installation: { keys } }: SealingKeys, body: unknown) =>
  mapSecret(body, (secret) => keys.seal(tenant_id, secret));

function mapSecret(body: unknown, change: (secret: string) => string): unknown {
  const { secret } = (body ?? {}) as { secret?: unknown };
  return typeof secret === 'string' ? { ...(body as object), secret: change(secret) } : body;
}
