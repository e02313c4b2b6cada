import { Big } from 'big.js';
import * as entries from '../../sql/ledger/entries.ts';
import { Conflict } from '../errors.ts';
import { money, parseMoney, sum } from '../money.ts';
import type { Work } from '../work.ts';
import type { AccountRole } from './chart.ts';

type Amounts = Partial<Record<AccountRole, string>>;

export type EntryHeading = {
  /** Chosen beforehand where other rows name the entry; otherwise the database's. */
  id?: string;
  entry_date: string;
  /** When it happened, where that is not when it is booked. */
  effective_date?: string;
  reference_type: string;
  reference_id?: string | null;
  /** Tells several entries of one reference apart. */
  purpose?: string;
  loan_id?: string | null;
  description?: string;
};

/** Amounts by role, and the accounts of roles that are booked elsewhere than the loan would have it. */
export type PostingPart = {
  debit: Amounts;
  credit: Amounts;
  accounts?: Partial<Record<AccountRole, string | null>>;
};

export type Posting = EntryHeading & PostingPart;

/**
 * The one door of the ledger: writes a balanced, posted entry and answers its id, or null where every
 * amount is zero. The same reference and purpose is posted once, however often it is asked for; asked
 * for with other amounts it is refused. An entry dated in a closed period is booked on the first open
 * day and keeps its effective date (the database sees to that).
 */
export const postEntry = (work: Work, posting: Posting): Promise<string | null> =>
  postEntryParts(work, posting, [posting]);

/** The same for an entry of several parts, whose roles are booked on different accounts. */
export async function postEntryParts(
  work: Work,
  given: EntryHeading,
  parts: readonly PostingPart[],
): Promise<string | null> {
  const lines = linesOf(given.reference_type, parts);
  if (lines.length === 0) return null;
  const heading = headingOf(work, given);
  const written = await entries.write(work.tx, { heading, lines });
  return written ?? repeated(work, heading, lines);
}

/**
 * The same under a reference that comes into the world with the entry, such as an event that is written
 * beside it: it is no repetition of anything, and one that is all the same fails with the next
 * statement of its transaction.
 */
export const postNewEntry = (work: Work, posting: Posting): Promise<string | null> =>
  postNewEntryParts(work, posting, [posting]);

/** The same for an entry of several parts. */
export async function postNewEntryParts(
  work: Work,
  given: EntryHeading,
  parts: readonly PostingPart[],
): Promise<string | null> {
  const lines = linesOf(given.reference_type, parts);
  if (lines.length === 0) return null;
  return entries.writeNew(work.tx, { heading: headingOf(work, given), lines });
}

/** Debits first, in the order given. A negative amount counts on the other side, as in a delta. */
function linesOf(reference_type: string, parts: readonly PostingPart[]): entries.RoleLine[] {
  const lines = parts.flatMap(({ debit, credit, accounts = {} }) => [
    ...sideOf(debit, 1, accounts),
    ...sideOf(credit, -1, accounts),
  ]);
  const difference = sum(lines.map((line) => new Big(line.debit).minus(line.credit)));
  if (!difference.eq(0)) {
    throw new Error(`A posting of ${reference_type} is unbalanced by ${money(difference)}.`);
  }
  return lines.toSorted((one, other) => Number(isCredit(one)) - Number(isCredit(other)));
}

function sideOf(
  amounts: Amounts,
  sign: 1 | -1,
  accounts: NonNullable<PostingPart['accounts']>,
): entries.RoleLine[] {
  return Object.entries(amounts).flatMap(([role, text]) => {
    const account_id = accounts[role as AccountRole] ?? null;
    const amount = parseMoney(text).times(sign);
    if (amount.eq(0)) return [];
    return amount.gt(0)
      ? { role, account_id, debit: money(amount), credit: '0.00' }
      : { role, account_id, debit: '0.00', credit: money(amount.abs()) };
  });
}

const isCredit = ({ debit }: entries.RoleLine) => debit === '0.00';

const headingOf = ({ actor }: Work, posting: EntryHeading): entries.Heading => ({
  id: posting.id ?? null,
  entry_date: posting.entry_date,
  effective_date: posting.effective_date ?? posting.entry_date,
  description: posting.description ?? null,
  reference_type: posting.reference_type,
  reference_id: posting.reference_id ?? null,
  purpose: posting.purpose ?? '',
  loan_id: posting.loan_id ?? null,
  actor_id: actor.id,
});

/** A repetition is answered with what it repeats; anything else under the same name is a mistake. */
async function repeated(
  { tx }: Work,
  heading: entries.Heading,
  lines: entries.RoleLine[],
): Promise<string> {
  const existing = await entries.findPosted(tx, heading);
  if (existing === null || asText(existing.lines) !== asText(lines)) {
    throw new Conflict('This was already posted with different amounts.', 'already_posted');
  }
  return existing.id;
}

const asText = (lines: readonly { role: string | null; debit: string; credit: string }[]) =>
  lines.map(({ role, debit, credit }) => `${role} ${debit} ${credit}`).join('; ');
