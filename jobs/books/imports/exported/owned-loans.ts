import { listAccounts } from '../../../../sql/books/parents.ts';
import { CHART } from '../../../ledger/chart.ts';
import { UNAFFECTED_ROLES } from '../../../loans/history/post-sale.ts';
import type { LoanParents } from '../../../loans/origination/create.ts';
import type { Work } from '../../../work.ts';
import type { LoanRow } from '../book-rows.ts';
import type { Placed } from '../staged-rows.ts';
import { factsOf } from './own-records.ts';

type Records = readonly Placed<'records'>[];

/**
 * The row of a loan without what our own export also has elsewhere: the shares of its owners are records, and what was
 * paid follows from its events.
 */
export const withoutRepeated = (row: LoanRow, records: Records): LoanRow => {
  const has = (kind: string) => records.some(({ values }) => values.kind === kind);
  return {
    ...row,
    ...(has('assignment') && { investor_code: undefined }),
    ...(has('standing') && NO_TOTALS),
  };
};

const NO_TOTALS = {
  paid_total: undefined,
  paid_principal: undefined,
  paid_interest: undefined,
  recovered_amount: undefined,
};

/** The account of what is owed to investors. */
export const findInvestorAccount = async ({ tx }: Work): Promise<string | null> =>
  (await listAccounts(tx)).find(({ role }) => role === 'due_to_investors')?.id ?? null;

/**
 * A loan whose sale was booked posts to the account of its investor, and is boarded on it. Its assets left the books with
 * the sale.
 */
export function ownedParents(
  parents: LoanParents,
  records: Records,
  account: string | null,
): LoanParents {
  const isSold = factsOf(records, 'assignment').some(
    ({ status, is_booked }) => status === 'active' && is_booked,
  );
  if (!isSold || account === null || parents.product === null) return parents;
  const roles = CHART.map(({ role }) => role).filter((role) => !UNAFFECTED_ROLES.includes(role));
  const gl_map = {
    ...(parents.product['gl_map'] as Record<string, string> | null),
    ...Object.fromEntries(roles.map((role) => [role, account])),
  };
  return { ...parents, product: { ...parents.product, gl_map } };
}
