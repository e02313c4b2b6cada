import { sql, type Transaction } from '../database/db.ts';

type Flags = {
  id: string;
  frozen_on: string | null;
  accelerated_on: string | null;
  non_accrual_since: string | null;
};

/** Marks loans as frozen, accelerated or on non-accrual, as the events say that they brought. */
export async function setBroughtFlags(tx: Transaction, loans: readonly Flags[]) {
  const marked = loans.filter(
    ({ frozen_on, accelerated_on, non_accrual_since }) =>
      frozen_on ?? accelerated_on ?? non_accrual_since,
  );
  if (marked.length === 0) return;
  await tx.query(sql.typeAlias('void')`
    update loans as loan
    set is_frozen = given.frozen_on is not null, frozen_at = given.frozen_on,
        is_accelerated = given.accelerated_on is not null, accelerated_at = given.accelerated_on,
        is_non_accrual = given.non_accrual_since is not null, non_accrual_since = given.non_accrual_since
    from jsonb_to_recordset(${JSON.stringify(marked)}::jsonb)
      as given (id uuid, frozen_on date, accelerated_on date, non_accrual_since date)
    where loan.id = given.id
  `);
}
