import type { DatabasePool } from 'slonik';
import { StartupError } from '../../sql/database/startup-error.ts';
import type { Transaction } from '../../sql/database/db.ts';
import * as sealed from '../../sql/sealed-columns.ts';
import { keyCheckValue, parseKeys } from './keys.ts';
import type { Keys } from './secrets.ts';

const BATCH = 2_000;
type Steps<Result> = (tx: Transaction) => Promise<Result>;
export type InTenant = <Result>(tenantId: string, steps: Steps<Result>) => Promise<Result>;

/**
 * Seals a tenant's values again that were sealed under an older key, one batch per transaction. An
 * interrupted run can be repeated. Returns the number of resealed values.
 */
export async function resealTenant(
  keys: Keys,
  within: InTenant,
  tenantId: string,
): Promise<number> {
  let count = 0;
  for (const place of sealed.SEALED_PLACES) {
    for (let done = BATCH; done === BATCH; count += done) {
      done = await within(tenantId, async (tx) => {
        const rows = await sealed.lockSealedUnderOtherKeys(tx, place, keys.current, BATCH);
        const resealed = rows.map((row) => {
          const text = keys.unseal(tenantId, row.sealed);
          const [index] = keys.indexes(tenantId, text);
          return { ...row, sealed: keys.seal(tenantId, text), index };
        });
        if (resealed.length > 0) await sealed.replaceSealed(tx, place, resealed);
        return resealed.length;
      });
    }
  }
  return count;
}

/** In production, throws StartupError if SECRET lacks a key that is in use. Elsewhere it only warns. */
export async function assertKeysPresent(
  pool: DatabasePool,
  { secret, environment }: { secret: string; environment: string },
  warn: (reason: string) => void,
) {
  const problems = (await findKeyProblems(pool, secret)).join('\n');
  if (problems === '') return;
  if (environment === 'production') throw new StartupError(problems);
  warn(problems);
}

/** One sentence for each key in use that this process lacks or has with a different value. */
async function findKeyProblems(pool: DatabasePool, secret: string): Promise<string[]> {
  const known = parseKeys(secret).map((key) => ({ id: key.id, check_value: keyCheckValue(key) }));
  const problems = await sealed.announceKeys(pool, known);
  return problems.map(({ id, is_other }) =>
    is_other
      ? `The key ${id} of SECRET differs from the key that sealed this database.`
      : `SECRET lacks the key ${id}, which is still in use. Add it again, after the current key, ` +
        'and run npm run ops -- secrets before you remove it.',
  );
}
