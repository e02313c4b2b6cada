import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';

const Matches = z.object({ found: z.array(z.int()) });

/** The indexes of the searches that find a row, in order. All searches are one statement. */
export const findMatches = (tx: Transaction, searches: readonly SqlFragment[]) =>
  tx.oneFirst(
    prepared(sql.type(Matches)`
    select array_remove(array[${sql.join(
      searches.map(
        (search, at) => sql.fragment`case when exists (${search}) then ${at}::integer end`,
      ),
      sql.fragment`, `,
    )}], null) as found
  `),
  );
