import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Known = z.object({
  id: z.string(),
  external_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  is_archived: z.boolean(),
});

export const findByExternalIds = (tx: Transaction, ids: readonly string[]) =>
  tx.any(sql.type(Known)`
    select id, external_id, first_name, last_name, is_archived from borrowers
    where external_id = any(${sql.array([...new Set(ids)], 'text')})
  `);
