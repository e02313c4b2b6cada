import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Sale = z.object({
  id: z.string(),
  fee_id: z.string().nullable(),
  liens_released: z.array(z.string()),
  status_before: z.string(),
});

/** The item's sale that is in force. There is at most one. */
export const findApplied = (tx: Transaction, collateralId: string) =>
  tx.maybeOne(sql.type(Sale)`
    select id, fee_id, liens_released, status_before from liquidations
    where collateral_id = ${collateralId} and status = 'applied'
    for no key update
  `);

/** Reverses the sale and the fee that was charged with it. */
export const reverseLiquidation = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    with reversed as (
      update liquidations set status = 'reversed' where id = ${id} returning fee_id
    )
    update fees set status = 'reversed' where id in (select fee_id from reversed)
  `);

export const cancelTask = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`update tasks set status = 'canceled' where id = ${id}`);
