import { Big } from 'big.js';
import type { StatusTotals } from '../../../sql/books/imports.ts';
import { money, sum, ZERO } from '../../money.ts';
import type { LoanRow } from './book-rows.ts';

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

/** The totals are those of the file, as far as it has them. A loan that is over owes nothing, whatever its line says. */
export function statedOf(row: LoanRow): Partial<LoanFigures> {
  const { status, current_principal_balance, accrued_interest, outstanding_fees } = row;
  if (status === 'charged_off')
    return row.charge_off_amount === undefined ? {} : { charged_off: row.charge_off_amount };
  if (status !== 'active') return {};
  return {
    principal: current_principal_balance,
    ...(accrued_interest !== undefined && { interest: accrued_interest }),
    ...(outstanding_fees !== undefined && { fees: outstanding_fees }),
  };
}

/** What the row itself says that is owed. */
export function statedFigures(row: LoanRow): LoanFigures {
  const { status, current_principal_balance: balance } = row;
  const none = { status, principal: '0.00', interest: '0.00', fees: '0.00', charged_off: '0.00' };
  if (status === 'charged_off') return { ...none, charged_off: row.charge_off_amount ?? balance };
  return { ...none, ...statedOf(row) };
}
