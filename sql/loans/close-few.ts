import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import { inChunk, type Chunk } from './close.ts';

/** The few loans of a chunk that have something due on a day which is not money. */
const Due = z.object({ id: z.string() });

/** Frozen loans whose freeze ends by then. */
export const endingFreezes = (tx: Transaction, chunk: Chunk, day: string) =>
  tx.any(sql.type(Due)`
    select loan.id from loans as loan
    where ${inChunk(chunk)} and loan.is_frozen and loan.freeze_until <= ${day} order by loan.id
  `);
