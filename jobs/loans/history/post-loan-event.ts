import * as sales from '../../../sql/portfolios/sales.ts';
import type { AccountRole } from '../../ledger/chart.ts';
import { postEntry, type Posting } from '../../ledger/post.ts';
import type { Work } from '../../work.ts';
import { bookSale, carriedAmountChange, lenderAccounts } from './post-sale.ts';

type SoldLoan = { id: string; loan_number: string; terms: Record<string, unknown> };

type Booking = {
  write?: typeof postEntry;
  /** The event whose amounts are posted. */
  event_id: string;
  /** Roles that stay on the tenant's own accounts although the loan is sold. */
  borne?: readonly AccountRole[];
};

/** True if the loan was sold at a price. Its roles then use the Due to Investors account. */
export const isSold = (terms: Record<string, unknown>): boolean =>
  typeof terms['sold_on'] === 'string';

/** A sale without an entry moved nothing on the books. */
const wasBookedBefore = async ({ tx }: Work, eventId: string, entryId: string | null) =>
  entryId !== null && (await sales.listEventsBookedBefore(tx, [eventId], entryId)).length > 0;

/**
 * Posts a loan event. If the event is dated before the loan's sale, or was booked on the day of the sale
 * before it settled, it belongs to the seller: it uses the lender's own accounts and corrects the sale at
 * the agreed price. Recording a payment early or late therefore gives neither party a gain.
 */
export async function postLoanEvent(
  work: Work,
  loan: SoldLoan,
  posting: Posting,
  { write = postEntry, borne = [], event_id }: Booking,
) {
  const sold_on = loan.terms['sold_on'];
  const eventDate = posting.effective_date ?? posting.entry_date;
  if (typeof sold_on !== 'string') return write(work, posting);
  if (eventDate > sold_on && borne.length === 0) return write(work, posting);
  const sale = await sales.findBookedSale(work.tx, loan.id);
  const isSellers =
    eventDate < sold_on ||
    (eventDate === sold_on && (await wasBookedBefore(work, event_id, sale.entry_id)));
  if (!isSellers) {
    const accounts = Object.fromEntries(
      borne.map((role) => [role, sale.previous_accounts[role] ?? null]),
    );
    return write(work, { ...posting, accounts });
  }
  const accounts = lenderAccounts(sale.previous_accounts);
  const entry = await postEntry(work, { ...posting, accounts });
  const { entry_date, reference_id, purpose = '' } = posting;
  const corrected = await bookSale(
    work,
    { id: sale.id, loan_id: loan.id },
    { ...carriedAmountChange(posting), ...sale, loan_number: loan.loan_number },
    '0.00',
    {
      entry_date: entry_date < sold_on ? sold_on : entry_date,
      purpose: `${reference_id ?? ''} ${purpose}`.trim(),
      accounts,
    },
  );
  await sales.addJournalEntries(work.tx, sale.id, corrected);
  return entry;
}
