import * as entries from '../../../sql/payments/sent-entries.ts';
import { update } from '../../../sql/write.ts';
import { recordAudit } from '../../audit.ts';
import { latest } from '../../dates.ts';
import type { AccountRole } from '../../ledger/chart.ts';
import { postEntry, postEntryParts, type PostingPart } from '../../ledger/post.ts';
import type { SystemEntry } from '../../loans/engine/posting/posting-matrix.ts';
import type { Work } from '../../work.ts';

type Sides = { debit: AccountRole; credit: AccountRole };

/**
 * The postings on a file's settlement: debits bring cash in, credits take cash out. A return posts the
 * opposite.
 */
const COLLECTED: Sides = { debit: 'cash', credit: 'ach_clearing' };
const PAID: Sides = { debit: 'ach_clearing', credit: 'cash' };

/** The rows that files and returns add to the documented posting matrix. */
export const settlementEntries = (): SystemEntry[] =>
  ['ach_settlement', 'ach_return'].flatMap((reference_type) =>
    [COLLECTED, PAID].map((sides) => ({ reference_type, component: null, ...sides })),
  );

type Amount = Pick<entries.SentEntry, 'amount' | 'cash_account_id'> & {
  clearing_account_id: string | null;
};

const settlementPosting = ({ debit, credit }: Sides, { amount, ...on }: Amount): PostingPart => ({
  debit: { [debit]: amount },
  credit: { [credit]: amount },
  accounts: { cash: on.cash_account_id, ach_clearing: on.clearing_account_id },
});

/**
 * Books the cash that the bank has moved by the end of the day, with one entry for each file with that
 * effective date. Entries returned earlier never count as cash.
 */
export async function settleNachaFiles(work: Work, day: string) {
  const moved = await entries.settleSentEntries(work.tx, day);
  for (const [file_id, sums] of Map.groupBy(moved, ({ nacha_file_id }) => nacha_file_id)) {
    const heading = {
      entry_date: day,
      reference_type: 'ach_settlement',
      reference_id: file_id,
      description: `Moved by the bank: ${sums[0]?.filename}`,
    };
    const parts = sums.map((sum) => settlementPosting(sum.is_credit ? PAID : COLLECTED, sum));
    await postEntryParts(work, heading, parts);
    await recordAudit(work, { type: 'nacha_files', id: file_id }, 'settle', {});
  }
}

/** Marks a sent entry as returned, once. If it was already booked as cash, reverses that posting. */
export async function returnSentEntry(
  work: Work,
  sent: entries.SentEntry,
  code: string,
  on: string,
) {
  if (sent.return_code !== null) return;
  const returned_on = sent.settled_on === null ? on : latest(on, sent.settled_on);
  await update(work.tx, 'nacha_entries', sent.id, { return_code: code, returned_on });
  const { id, loan_id, borrower_id } = sent;
  await recordAudit(work, { type: 'nacha_entries', id, loan_id, borrower_id }, 'return', {
    return_code: { old: null, new: code },
  });
  if (sent.settled_on === null) return;
  const heading = { entry_date: returned_on, reference_type: 'ach_return', reference_id: id };
  const description = `Sent back by the bank (${code})`;
  await postEntry(work, {
    ...heading,
    description,
    ...settlementPosting(sent.is_credit ? COLLECTED : PAID, sent),
  });
}
