import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql, type Transaction } from '../database/db.ts';

/**
 * Whether a loan with these labels has a block of information that results from identity theft. The
 * furnisher must not report such information (FCRA 605B and 623(a)(6), 15 USC 1681c-2 and 1681s-2(a)(6)).
 */
export const isInformationBlocked = (labels: SqlFragment) =>
  sql.fragment`(${labels} ? 'identity-theft-block')`;

/** A deletion (DA or DF) is sent in spite of a block, because it removes the blocked information. */
export const blockedRecord = (accountStatus: SqlFragment, labels: SqlFragment) =>
  sql.fragment`(${accountStatus} not in ('DA', 'DF') and ${isInformationBlocked(labels)})`;

/** Suppresses waiting records of loans that are blocked now, even if the block came after the month ended. */
export const suppressBlocked = (tx: Transaction, period: string) =>
  tx.query(sql.typeAlias('void')`
    update credit_reporting_records as record
    set status = 'suppressed', suppression_reason = 'identity_theft_block'
    from loans as loan
    where record.status = 'queued' and record.reporting_period <= ${period}
      and loan.id = record.loan_id
      and ${blockedRecord(sql.fragment`record.account_status`, sql.fragment`loan.labels`)}
  `);
