import { SNAPSHOT_STATUSES } from '../../sql/portfolios/daily-snapshots.ts';
import * as membership from '../../sql/portfolios/membership.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import { recordAudit } from '../audit.ts';
import { isLegallyAllowed } from '../cases/legally-allowed.ts';
import { bookSale, investorAccounts } from '../loans/history/post-sale.ts';
import { openLoan } from '../loans/history/open-loan.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import { newEvent } from '../loans/history/new-event.ts';
import type { Work } from '../work.ts';
import { moveAudit } from './assign.ts';
import { DECLINE_REASONS } from './loan-assignment.ts';

/**
 * Settles an assignment that is due. The investor becomes the owner, or the assignment is declined because
 * the loan no longer matches the agreed sale.
 */
export async function settleSale(work: Work, sale: sales.DueSale) {
  const { tx, today: day } = work;
  const { row } = await openLoan(work, sale.loan_id);
  if (!(await sales.lockIfDue(tx, sale.id))) return;
  const carried = await sales.carryingAmounts(tx, sale.loan_id, row.posted_until);
  const reason = declineReason(row.status, sale.agreed_status, carried.is_left);
  if (reason !== null) return decline(work, sale, reason);
  if (!(await isLegallyAllowed(work, sale.loan_id, 'sale')))
    return decline(work, sale, 'not_allowed');
  const entryIds = sale.price === null ? null : await bookSale(work, sale, carried, sale.price);
  if (entryIds)
    await sales.mapSaleAccounts(tx, row.id, row.posted_until, investorAccounts(carried));
  await sales.settleAssignment(tx, sale.id, day, entryIds);
  await recordSaleAudit(work, sale, 'settle', { status: { old: 'pending', new: 'active' } });
  if (!sale.servicing_retained) await release(work, sale.loan_id);
}

type Reason = (typeof DECLINE_REASONS)[number];

/** Why the loan no longer matches the agreed sale, or null. */
function declineReason(status: string, agreed: string | null, isLeft: boolean): Reason | null {
  if (status === 'charged_off' && agreed !== null && agreed !== status) return 'charged_off';
  if (status === 'active' && agreed === 'charged_off') return 'reinstated';
  if (SNAPSHOT_STATUSES.includes(status)) return isLeft ? null : 'nothing_owed';
  return DECLINE_REASONS.find((known) => known === status) ?? 'nothing_owed';
}

/** The seller keeps the loan, and the loan leaves the sold portfolio. */
async function decline(work: Work, sale: sales.DueSale, reason: Reason) {
  await sales.declineAssignment(work.tx, sale.id, reason);
  await recordSaleAudit(work, sale, 'decline', {
    status: { old: 'pending', new: 'declined' },
    decline_reason: { old: null, new: reason },
  });
  if (sale.portfolio_id === null) return;
  await membership.unassignLoans(
    work.tx,
    [sale.loan_id],
    moveAudit(work, 'leave-sold-portfolio', reason),
  );
}

const recordSaleAudit = (
  work: Work,
  { id, loan_id }: sales.DueSale,
  action: string,
  changes: Parameters<typeof recordAudit>[3],
) => recordAudit(work, { type: 'loan_assignments', id, loan_id }, action, changes);

/** Transfers the loan to another servicer, with its debt and its suspense. */
async function release(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const event = newEvent({ kind: 'servicing_transfer', effective_date: work.today });
  await recordEvents(work, loan, [event], { newStatus: 'transferred', trigger: 'portfolio_sale' });
}

/** Removes loans that were not part of a sale from its portfolio, before the close in which it settles. */
export const unassignUnsoldLoans = (work: Work) =>
  membership.unassignUnsold(work.tx, work.today, moveAudit(work, 'leave-sold-portfolio'));

/**
 * Gives portfolios to their buyers at the end of the day on which the last pending assignment was settled
 * or declined.
 */
export async function finishSales(work: Work, day: string) {
  for (const { id, buyer_id, investor_id } of await sales.markPortfoliosSettled(work.tx, day)) {
    await recordAudit(work, { type: 'portfolios', id }, 'settle-sale', {
      settled_on: { old: null, new: day },
      investor_id: { old: investor_id, new: buyer_id },
    });
  }
}
