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
 * Seals anew whatever of a tenant was sealed under another key than the current one, a batch in a
 * transaction: cut short, it goes on where it was. Answers how many were sealed anew.
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
        const anew = rows.map((row) => {
          const text = keys.unseal(tenantId, row.sealed);
          const [index] = keys.indexes(tenantId, text);
          return { ...row, sealed: keys.seal(tenantId, text), index };
        });
        if (anew.length > 0) await sealed.replaceSealed(tx, place, anew);
        return anew.length;
      });
    }
  }
  return count;
}

/** Refuses to go on without a key that is in use; only production is that strict. */
export async function assertKeysPresent(
  pool: DatabasePool,
  { secret, environment }: { secret: string; environment: string },
  warn: (reason: string) => void,
) {
  const amiss = (await keysAmiss(pool, secret)).join('\n');
  if (amiss === '') return;
  if (environment === 'production') throw new StartupError(amiss);
  warn(amiss);
}

/** A sentence for each key that is in use and that this process lacks, or has with another value. */
async function keysAmiss(pool: DatabasePool, secret: string): Promise<string[]> {
  const known = parseKeys(secret).map((key) => ({ id: key.id, check_value: keyCheckValue(key) }));
  const amiss = await sealed.announceKeys(pool, known);
  return amiss.map(({ id, is_other }) =>
    is_other
      ? `The key ${id} of SECRET is not the one that this database was sealed with.`
      : `SECRET lacks the key ${id}, which is still in use: put it back, behind the current one, ` +
        'and run npm run ops -- secrets before it is taken away.',
  );
}
