import { Big } from 'big.js';
import type { StatusTotals } from '../../../sql/books/imports.ts';
import { money, sum, ZERO } from '../../money.ts';

/** What one loan of a file adds to the control totals. */
export type LoanFigures = Omit<StatusTotals, 'loans'>;

type Sums = { loans: number; principal: Big; interest: Big; fees: Big; charged_off: Big };
const NONE: Sums = { loans: 0, principal: ZERO, interest: ZERO, fees: ZERO, charged_off: ZERO };

/** Adds up loans by status. */
export function startTotals() {
  const byStatus = new Map<string, Sums>();
  const addSums = (added: StatusTotals) => {
    const before = byStatus.get(added.status) ?? NONE;
    byStatus.set(added.status, {
      loans: before.loans + added.loans,
      principal: before.principal.plus(added.principal),
      interest: before.interest.plus(added.interest),
      fees: before.fees.plus(added.fees),
      charged_off: before.charged_off.plus(added.charged_off),
    });
  };
  return {
    add: (loan: LoanFigures) => addSums({ ...loan, loans: 1 }),
    addSums,
    read: (): StatusTotals[] =>
      [...byStatus.entries()]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([status, { loans, ...sums }]) => ({
          status,
          loans,
          principal: money(sums.principal),
          interest: money(sums.interest),
          fees: money(sums.fees),
          charged_off: money(sums.charged_off),
        })),
  };
}

/** The figures that a person confirms: how many loans, and how much principal they owe. */
export const summarizeTotals = (totals: readonly StatusTotals[]) => ({
  loan_count: totals.reduce((count, { loans }) => count + loans, 0),
  principal_total: money(sum(totals.map(({ principal }) => new Big(principal)))),
});
