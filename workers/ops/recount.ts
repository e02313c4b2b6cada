import { recountRows } from '../../sql/invariants/counts.ts';
import { connectAsOwner } from '../../sql/moving/owner.ts';
import type { OwnerOperation } from './operation.ts';

/** Runs as the owner of the tables, because no other role may write the counts. */
export const recountRecords: OwnerOperation = {
  name: 'recount',
  login: 'migrator',
  usage: '',
  summary: 'puts right how many records lists say there are; nobody waits for it',
  run: async ({ url }) => {
    const owner = await connectAsOwner(url);
    try {
      const rows = await owner.steps('write', recountRows);
      return rows.length === 0 ? { say: 'Every count is right.', rows } : { rows };
    } finally {
      await owner.end();
    }
  },
};
