import { z } from 'zod';
import { listLoansWithConditions } from '../../sql/loans/legal-conditions.ts';
import { uuid } from '../../sql/types.ts';
import { job } from '../job.ts';
import { conditionsChanged } from './conditions-changed.ts';

/** Loans per look-up. Each is brought in line in a transaction of its own. */
const BATCH = 200;
/** Sorts before every loan id. */
const NIL_LOAN_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Brings all loans of people with legal conditions in line with the tenant's effects (`cases.effects`), after the setting
 * was changed. Repeating it changes nothing. A loan that fails does not stop the others: the job fails at its end and is
 * retried.
 */
export const followCaseSettings = job({
  name: 'follow-case-settings',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid }),
  attempts: 10,
  key: ({ tenant_id }) => `follow-case-settings:${tenant_id}`,

  async run({ tenant_id }, outside) {
    const failures: unknown[] = [];
    for (let after: string | undefined = NIL_LOAN_ID; after !== undefined;) {
      const since: string = after;
      const ids = await outside.within(tenant_id, ({ tx }) =>
        listLoansWithConditions(tx, since, BATCH),
      );
      for (const id of ids)
        await outside
          .within(tenant_id, (work) => conditionsChanged(work, [id]))
          .catch((error: unknown) => failures.push(error));
      after = ids.at(-1);
    }
    const [first] = failures;
    if (first === undefined) return;
    throw new Error(`${failures.length} loans could not follow the settings.`, { cause: first });
  },
});
