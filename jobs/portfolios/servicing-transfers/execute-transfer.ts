import { Big } from 'big.js';
import * as transfers from '../../../sql/portfolios/servicing-transfers.ts';
import { Conflict, NotFound } from '../../errors.ts';
import type { LoanState } from '../../loans/engine/state.ts';
import { newEvent } from '../../loans/history/new-event.ts';
import { openLoan } from '../../loans/history/open-loan.ts';
import { recordEvents } from '../../loans/history/record-events.ts';
import { money, sum } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { Transaction } from '../../../sql/database/db.ts';

type DuePart = { id: string; loan_id: string; servicing_transfer_id: string };

/**
 * Transfers a loan to its new servicer, at the close of the effective date: its balances leave the books, its
 * autopay ends and its scheduled payments are canceled. A loan that was closed meanwhile is left out.
 */
export async function executeTransfer(work: Work, part: DuePart) {
  const { tx, today } = work;
  const loan = await openLoan(work, part.loan_id);
  if (!(await transfers.lockPendingPart(tx, part.id))) return;
  if (!['active', 'charged_off'].includes(loan.row.status)) {
    await transfers.markLeftOut(tx, part.id);
    return;
  }
  await transfers.cancelScheduledPayments(tx, part.loan_id);
  const event = newEvent({ kind: 'servicing_transfer', effective_date: today });
  const options = { newStatus: 'transferred', trigger: 'servicing_transfer' } as const;
  const state = await recordEvents(work, loan, [event], options);
  await transfers.markTransferred(tx, part.id, today, movedBalances(state, event.id));
}

/** What the new servicer takes over, as the event moved it. */
function movedBalances({ allocations }: LoanState, eventId: string): transfers.TransferredBalances {
  const moved = (wanted: string) =>
    money(
      sum(
        allocations
          .filter(({ event_id, component }) => event_id === eventId && component === wanted)
          .map(({ amount }) => new Big(amount).abs()),
      ),
    );
  return {
    principal_balance: moved('principal'),
    accrued_interest: moved('interest'),
    outstanding_fees: moved('fee'),
    charge_off_balance: moved('charge_off'),
    suspense_balance: moved('suspense'),
  };
}

/** Cancels a planned transfer. Loans that have already left cannot come back. */
export async function cancelServicingTransfer(work: Work, id: string) {
  const transfer = await transfers.lockTransfer(work.tx, id);
  if (transfer === null) throw new NotFound();
  if (transfer.is_canceled) throw alreadyCanceled();
  if (await hasLeft(work.tx, transfer)) throw alreadyTransferred();
  await transfers.cancelTransfer(work.tx, id);
}

const hasLeft = async (tx: Transaction, { id, direction }: transfers.ServicingTransfer) =>
  direction === 'out' && (await transfers.listTransferLoans(tx, id, ['transferred'])).length > 0;

const alreadyCanceled = () =>
  new Conflict('The transfer is already canceled.', 'invalid_transition', {
    current_status: 'canceled',
  });
const alreadyTransferred = () =>
  new Conflict('The loans have already been transferred.', 'already_transferred');
export const cancelTransferConflicts = () => [alreadyTransferred(), alreadyCanceled()];
