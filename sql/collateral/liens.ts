import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

export const liens = table({
  name: 'liens',
  owner: null,
  rows: sql.fragment`
    select record.id, record.collateral_id, item.loan_id, record.lien_type, record.filing_number,
           record.filing_date, record.expiration_date, record.filing_jurisdiction,
           record.lien_position, record.status, record.released_at, record.released_by,
           record.release_date, record.release_reason, record.release_filing_number,
           record.release_notes, record.created_at, record.updated_at
    from liens as record
    join collateral_items as item on item.id = record.collateral_id
  `,
  search: (words) => sql.fragment`row.filing_number ilike ${containsPattern(words)}`,
});

const Lien = z.object({ status: z.string(), filing_date: z.string().nullable() });

export const lockLien = (tx: Transaction, id: string) =>
  tx.one(sql.type(Lien)`select status, filing_date from liens where id = ${id} for no key update`);

const Securing = z.object({ status: z.string(), loan_number: z.string(), owed: z.string() });

/** What the lien's loan still owes. Locks the loan until the transaction ends. */
export const findSecuredDebt = (tx: Transaction, id: string) =>
  tx.one(sql.type(Securing)`
    select loan.status, loan.loan_number,
           loan.principal_balance + loan.outstanding_fees + loan.charge_off_balance as owed
    from liens as lien
    join collateral_items as item on item.id = lien.collateral_id
    join loans as loan on loan.id = item.loan_id
    where lien.id = ${id}
    for share of loan
  `);

export type ReleaseRow = {
  release_date: string;
  release_reason: string | null;
  release_filing_number: string | null;
  release_notes: string | null;
  released_by: string | null;
};

export const releaseLien = (tx: Transaction, id: string, given: ReleaseRow) =>
  tx.query(sql.typeAlias('void')`
    update liens
    set status = 'released', released_at = now(), released_by = ${given.released_by},
        release_date = ${given.release_date}, release_reason = ${given.release_reason},
        release_filing_number = ${given.release_filing_number}, release_notes = ${given.release_notes}
    where id = ${id}
  `);

export const listActive = (tx: Transaction, collateralId: string) =>
  tx.any(sql.type(z.object({ id: z.string(), filing_date: z.string().nullable() }))`
    select id, filing_date from liens
    where collateral_id = ${collateralId} and status = 'active' order by lien_position, id
  `);

/** Reinstates the lien; expired if its expiry date has passed. */
export const reinstateLien = (tx: Transaction, id: string, today: string) =>
  tx.query(sql.typeAlias('void')`
    update liens
    set status = case when expiration_date < ${today} then 'expired' else 'active' end,
        released_at = null, released_by = null, release_date = null, release_reason = null,
        release_filing_number = null, release_notes = null
    where id = ${id} and status = 'released'
  `);

/** Reactivates an expired lien that was continued. */
export const reactivateExpired = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update liens set status = 'active' where id = ${id} and status = 'expired'
  `);

export async function countActive(tx: Transaction, collateralId: string): Promise<number> {
  const count = await tx.oneFirst(sql.type(z.object({ count: z.string() }))`
    select count(*) from liens where collateral_id = ${collateralId} and status = 'active'
  `);
  return Number(count);
}

export const resolveAlerts = (tx: Transaction, id: string, userId: string | null) =>
  tx.query(sql.typeAlias('void')`
    with resolved as (
      update lien_alerts set status = 'resolved' where lien_id = ${id} and status <> 'resolved'
    )
    update tasks set status = 'completed', completed_at = now(), completed_by = ${userId}
    where related_type = 'lien' and related_id = ${id} and task_type = 'lien_renewal'
      and status in ('open', 'in_progress')
  `);

const Released = z.object({
  lien_type: z.string(),
  filing_number: z.string().nullable(),
  release_date: z.string(),
});

/** The loan's liens that were released because the loan was paid off, or without a reason. */
export const listReleasedAtPayoff = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(Released)`
    select lien.lien_type, lien.filing_number, lien.release_date
    from liens as lien
    join collateral_items as item on item.id = lien.collateral_id
    where item.loan_id = ${loanId} and lien.status = 'released'
      and coalesce(lien.release_reason, 'paid_off') = 'paid_off'
    order by lien.lien_position, lien.id
  `);
