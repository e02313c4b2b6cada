import { Big } from 'big.js';
import { z } from 'zod';
import { closedThrough } from '../../sql/ledger/closings.ts';
import { lockInvestor } from '../../sql/portfolios/investors.ts';
import * as remittances from '../../sql/portfolios/remittances.ts';
import { find, type Row } from '../../sql/table.ts';
import { date, text } from '../../sql/types.ts';
import { AMOUNT_MAX } from '../../sql/wide-sums.ts';
import { update } from '../../sql/write.ts';
import { addDays, monthEnd, monthStart } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import { money } from '../money.ts';
import { assertPeriodOpen } from '../ledger/close-period.ts';
import { postEntryParts, type EntryHeading } from '../ledger/post.ts';
import {
  POSTING_MATRIX,
  referenceType,
  type SystemEntry,
} from '../loans/engine/posting/posting-matrix.ts';
import type { Work } from '../work.ts';

/** The accounts of the servicing fee and of the payment. */
const OWED = 'due_to_investors';
const RETAINED = { debit: OWED, credit: 'servicing_fee_income' } as const;
const PAID = { debit: OWED, credit: 'cash' } as const;

/** The rows that remittances add to the documented posting matrix. */
export const remittanceEntries = (): SystemEntry[] => [
  { reference_type: 'remittance', component: null, ...RETAINED },
  { reference_type: 'remittance_payment', component: null, ...PAID },
];

/** The reference types of entries that move a borrower's money in, out or back. */
const MOVING = (Object.keys(POSTING_MATRIX) as (keyof typeof POSTING_MATRIX)[])
  .filter((kind) =>
    Object.values(POSTING_MATRIX[kind] ?? {})
      .flat()
      .some(([debit]) => debit === 'cash' || debit === 'borrower_suspense'),
  )
  .flatMap((kind) => [referenceType(kind), `${kind}_reversal`]);

type New = { investor_id: string; period_end?: string | undefined };

/**
 * Creates the remittance of an investor's month, permanently, and books the servicing fee. It covers what
 * the investor's loans collected, by booking date. The month's books must be closed, so nothing can be
 * booked in it later. A later correction belongs to the month in which it is booked.
 */
export async function addRemittance(work: Work, { investor_id, period_end }: New) {
  const { tx, actor } = work;
  const closed = await closedThrough(tx);
  const end = period_end ?? lastMonthBefore(closed ?? monthStart(work.today));
  if (end !== monthEnd(end)) throw new Invalid({ period_end: 'Must be the last day of a month.' });
  if (closed === null || end > closed) {
    throw periodOpen(end, closed);
  }
  await lockInvestor(tx, investor_id);
  const period = { investor_id, period_start: monthStart(end), period_end: end };
  if (await remittances.hasRemittance(tx, period)) throw remittanceExists(end);
  const id = await remittances.createRemittance(tx, period, MOVING, actor.id);
  const earned = {
    entry_date: end,
    reference_type: 'remittance',
    reference_id: id,
    description: `Servicing fee through ${end}`,
  };
  const journal_entry_id = await postRemittanceEntry(work, earned, 'servicing_fee', RETAINED);
  await update(tx, 'remittances', id, { journal_entry_id });
  return id;
}

/** The last day of the latest month that is over at the end of `day`. */
const lastMonthBefore = (day: string) =>
  day === monthEnd(day) ? day : addDays(monthStart(day), -1);

export const RemittancePayment = z.object({
  paid_on: date.optional().describe('Default: the business date. Can be an earlier open day.'),
  reference_number: text.optional().describe("The bank's reference for the transfer."),
});

/** Records that the due amount was paid to the investor or, if negative, by the investor. */
export async function payRemittance(
  work: Work,
  id: string,
  input: z.output<typeof RemittancePayment>,
) {
  const { paid_on = work.today, reference_number } = input;
  const remittance = (await find(work.tx, remittances.remittances, id)) as Row;
  if (remittance['status'] === 'paid') throw alreadyPaid();
  if (paid_on > work.today) throw new Invalid({ paid_on: 'Must not be after the business date.' });
  if (paid_on <= String(remittance['period_end']))
    throw new Invalid({ paid_on: 'Must be after the period.' });
  await assertPeriodOpen(work, paid_on);
  const sent = {
    entry_date: paid_on,
    reference_type: 'remittance_payment',
    reference_id: id,
    description: `Remittance through ${String(remittance['period_end'])}`,
  };
  const payment_entry_id = await postRemittanceEntry(work, sent, 'due', PAID);
  await update(work.tx, 'remittances', id, {
    status: 'paid',
    paid_on,
    reference_number,
    payment_entry_id,
  });
}

/** Posts one entry with a part for each account that holds Due to Investors. */
async function postRemittanceEntry(
  work: Work,
  heading: Omit<EntryHeading, 'reference_id'> & { reference_id: string },
  what: 'servicing_fee' | 'due',
  { debit, credit }: typeof RETAINED | typeof PAID,
) {
  const owed = await remittances.sumsByAccount(work.tx, heading.reference_id);
  const parts = owed.flatMap(({ account_id, ...amounts }) =>
    splitByLineMaximum(amounts[what]).map((amount) => ({
      debit: { [debit]: amount },
      credit: { [credit]: amount },
      accounts: { [OWED]: account_id },
    })),
  );
  return postEntryParts(work, heading, parts);
}

/** Splits an amount that exceeds the maximum of a journal line. */
function splitByLineMaximum(text: string): string[] {
  const total = new Big(text);
  const most = new Big(AMOUNT_MAX).times(total.s);
  const full = Number(total.div(most).round(0, Big.roundDown).toFixed());
  const lines = Array.from({ length: full }, () => money(most));
  return [...lines, money(total.minus(most.times(full)))];
}

export const periodOpen = (end: string, closed: string | null) =>
  new Conflict(
    `The books of the month through ${end} are not closed. Close the period first.`,
    'period_open',
    {
      closed_through: closed,
    },
  );

export const remittanceExists = (end: string) =>
  new Conflict(`The remittance through ${end} already exists.`, 'already_made');

export const alreadyPaid = () => new Conflict('The remittance is already paid.', 'already_paid');
