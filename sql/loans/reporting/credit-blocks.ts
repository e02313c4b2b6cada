import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { isInForce } from '../../cases/conditions.ts';
import { sql, type Transaction } from '../../database/db.ts';
import { conditionsOfLoans } from '../legal-conditions.ts';

/**
 * Whether information about the loan (alias `loan`) is blocked on a day, by a case of identity theft of
 * anyone who owes it, or by a label. A furnisher must not report such information (FCRA 605B and 623(a)(6),
 * 15 USC 1681c-2 and 1681s-2(a)(6)). The case of a co-borrower also blocks the loan, until the co-borrower is
 * released.
 */
export const isInformationBlocked = ({ day, labels }: { day: SqlFragment; labels: SqlFragment }) =>
  sql.fragment`(${labels} ? 'identity-theft-block' or loan.id in (
    select held.loan_id from ${conditionsOfLoans} as held
    where held.condition = 'identity_theft_block' and ${isInForce(sql.fragment`held`, day)}
  ))`;

export const isBlockedToday = isInformationBlocked({
  day: sql.fragment`app.business_date()`,
  labels: sql.fragment`loan.labels`,
});

/** A deletion (DA or DF) is sent in spite of a block, because it removes the blocked information. */
export const isBlockedRecord = (accountStatus: SqlFragment) =>
  sql.fragment`(${accountStatus} not in ('DA', 'DF') and ${isBlockedToday})`;

/** Suppresses waiting records of loans that are blocked now, even if the block came after the month ended. */
export const suppressBlocked = (tx: Transaction, period: string) =>
  tx.query(sql.typeAlias('void')`
    update credit_reporting_records as record
    set status = 'suppressed', suppression_reason = 'identity_theft_block'
    from loans as loan
    where record.status = 'queued' and record.reporting_period <= ${period}
      and loan.id = record.loan_id and ${isBlockedRecord(sql.fragment`record.account_status`)}
  `);
