import { Big } from 'big.js';
import { cancelTasks } from '../../../sql/borrowers/tasks.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import * as sales from '../../../sql/portfolios/sales.ts';
import { money, sum } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold, type FoldInput } from '../engine/fold.ts';
import type { LoanState } from '../engine/state.ts';
import { remindOfficer } from '../outcomes/remind-officer.ts';

/**
 * Creates tasks when events change the past of a loan that has left the lender: the balance that
 * the investor bought or the new servicer took over is now different.
 */
export async function remindOfTransferredBalance(
  work: Work,
  loan: RawLoan,
  newEvents: readonly LoanEvent[],
  { before, after, input }: { before: LoanState; after: LoanState; input: FoldInput },
) {
  const sold_on = loan.terms['sold_on'];
  const changesSale = ({ kind, effective_date }: LoanEvent) =>
    typeof sold_on === 'string' && (kind === 'reversal' || effective_date <= sold_on);
  if (newEvents.some(changesSale)) await remindOfSalePrice(work, loan, input);
  if (loan.status === 'transferred') await remindOfNewServicer(work, loan, before, after);
}

const priceTask = ({ loan_number }: RawLoan) =>
  `Settle the sale price of ${loan_number} with its investor`;

async function remindOfSalePrice(work: Work, loan: RawLoan, input: FoldInput) {
  const { sold_on, price, agreed, entry_id } = await sales.findSoldBalance(work.tx, loan.id);
  // The sale moved nothing on the books, so there is no price to settle.
  if (entry_id === null) return;
  const ofThatDay = input.events.filter(({ effective_date }) => effective_date === sold_on);
  const ids = ofThatDay.map(({ id }) => id);
  const booked = new Set(await sales.listEventsBookedBefore(work.tx, ids, entry_id));
  const corrected = balanceSold(input, sold_on, booked);
  const title = priceTask(loan);
  if (agreed === corrected) return cancelTasks(work.tx, loan.id, [title]);
  const description =
    `On ${sold_on}, the loan was sold for ${price} with a balance of ${agreed}. ` +
    `Events from before the sale were recorded or reversed later, so the sold balance is ${corrected}. ` +
    'Adjust the price with the investor as the sale agreement says.';
  await remindOfficer(work, loan, { title, description, priority: 'high' });
}

/** The balance on the books at the sale, by the history as it is known now. */
function balanceSold(
  { terms, schedule, events }: FoldInput,
  sold_on: string,
  bookedBefore: ReadonlySet<string>,
) {
  // Events of that day that were booked after the sale belong to the investor.
  const sellers = events.filter(
    ({ kind, effective_date, id }) =>
      kind === 'reversal' ||
      effective_date < sold_on ||
      (effective_date === sold_on && bookedBefore.has(id)),
  );
  const state = fold({ terms, schedule, events: sellers, as_of: sold_on });
  const { principal_balance, accrued_interest, off_books_interest, outstanding_fees } = state;
  const interest = new Big(accrued_interest).minus(off_books_interest);
  return money(interest.plus(principal_balance).plus(outstanding_fees));
}

async function remindOfNewServicer(work: Work, loan: RawLoan, before: LoanState, after: LoanState) {
  const balances = transferredBalances(after);
  if (JSON.stringify(balances) === JSON.stringify(transferredBalances(before))) return;
  const { principal, interest, fee, charge_off, suspense } = balances;
  const description =
    'An event from before the transfer was recorded or reversed later. As of the transfer, the loan has ' +
    `principal ${principal}, interest ${interest}, fees ${fee}, charged-off balance ${charge_off} and suspense ${suspense}. ` +
    'Send these balances to the new servicer and settle the difference.';
  await remindOfficer(work, loan, {
    title: `Correct the balance that ${loan.loan_number} was transferred with`,
    description,
    priority: 'high',
  });
}

/** The balances that moved to the new servicer, as the history gives them now. */
function transferredBalances({ allocations }: LoanState) {
  const moved = allocations.filter(({ rule }) => rule === 'servicing_transfer');
  const total = (wanted: string) =>
    money(
      sum(
        moved
          .filter(({ component }) => component === wanted)
          .map(({ amount }) => new Big(amount).abs()),
      ),
    );
  return {
    principal: total('principal'),
    interest: total('interest'),
    fee: total('fee'),
    charge_off: total('charge_off'),
    suspense: total('suspense'),
  };
}
