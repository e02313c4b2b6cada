import type { DatabasePool } from 'slonik';
import { collateralInvariants } from '../collateral/invariants.ts';
import { sql, type Transaction } from '../database/db.ts';
import { documentViolations, type DescribeFile } from '../documents/invariants.ts';
import { ledgerInvariants } from '../ledger/invariants.ts';
import { eventInvariants } from '../loans/invariants/event-invariants.ts';
import { outcomeInvariants } from '../loans/invariants/outcome-invariants.ts';
import { loanInvariants } from '../loans/invariants/invariants.ts';
import { statusInvariants } from '../loans/invariants/status-invariants.ts';
import { paymentInvariants } from '../payments/invariants.ts';
import { saleInvariants } from '../portfolios/invariants.ts';
import { messageChecks } from '../webhooks/invariants.ts';
import { findViolations, type Violation } from '../invariant-check.ts';
import { countInvariants } from './counts.ts';
import { referenceChecks } from './references.ts';

export type { Violation } from '../invariant-check.ts';

/**
 * Checks every invariant of a database on one snapshot, so concurrent transactions are seen entirely or not
 * at all. Corrects nothing. The pool runs as the auditor, who reads all tenants and writes nothing. Stored
 * files are checked only if `describeFile` is given.
 */
export async function checkInvariants(
  pool: DatabasePool,
  { describeFile }: { describeFile?: DescribeFile } = {},
): Promise<Violation[]> {
  return pool.connect(async (connection) => {
    const tx = connection as unknown as Transaction;
    await connection.query(sql.typeAlias('void')`begin isolation level repeatable read read only`);
    try {
      const violations: Violation[] = [];
      const checks = [
        ...ledgerInvariants,
        ...loanInvariants,
        ...eventInvariants,
        ...outcomeInvariants,
        ...statusInvariants,
        ...collateralInvariants,
        ...paymentInvariants,
        ...saleInvariants,
        ...messageChecks,
        ...countInvariants,
      ];
      for (const check of [...checks, ...(await referenceChecks(tx))]) {
        violations.push(...(await findViolations(tx, check)));
      }
      if (describeFile) violations.push(...(await documentViolations(tx, describeFile)));
      return violations;
    } finally {
      await connection.query(sql.typeAlias('void')`rollback`);
    }
  });
}
