import { sql, type Transaction } from '../database/db.ts';

export const markFrozen = (
  tx: Transaction,
  id: string,
  reason: string | null,
  until: string | null,
) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set is_frozen = true, frozen_at = now(), freeze_reason = ${reason}, freeze_until = ${until}
    where id = ${id}
  `);

export const markUnfrozen = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set is_frozen = false, frozen_at = null, freeze_reason = null, freeze_until = null
    where id = ${id}
  `);

export const markAccelerated = (tx: Transaction, id: string, isAccelerated: boolean) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set is_accelerated = ${isAccelerated}, accelerated_at = ${isAccelerated ? sql.fragment`now()` : sql.fragment`null`}
    where id = ${id}
  `);

/** Null ends non-accrual. */
export const markNonAccrual = (tx: Transaction, id: string, since: string | null) =>
  tx.query(sql.typeAlias('void')`
    update loans set is_non_accrual = ${since !== null}, non_accrual_since = ${since}
    where id = ${id}
  `);
