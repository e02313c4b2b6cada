import { recountRows } from '../../sql/invariants/counts.ts';
import { connectAsOwner } from '../../sql/moving/owner.ts';
import type { OwnerOperation } from './operation.ts';

/** Runs as the owner of the tables, because no other role may write the counts. */
export const recountRecords: OwnerOperation = {
  name: 'recount',
  login: 'migrator',
  usage: '',
  summary: 'Corrects the stored record counts of lists, without blocking requests',
  run: async ({ url }) => {
    const owner = await connectAsOwner(url);
    try {
      const rows = await owner.steps('write', recountRows);
      return rows.length === 0 ? { say: 'All counts are correct.', rows } : { rows };
    } finally {
      await owner.end();
    }
  },
};
