import { Big } from 'big.js';
import * as entries from '../../sql/ledger/entries.ts';
import { Conflict } from '../errors.ts';
import { money, parseMoney, sum } from '../money.ts';
import type { Work } from '../work.ts';
import type { AccountRole } from './chart.ts';

type Amounts = Partial<Record<AccountRole, string>>;

export type Posting = {
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
  debit: Amounts;
  credit: Amounts;
};

/**
 * The one door of the ledger: writes a balanced, posted entry and answers its id, or null where every
 * amount is zero. The same reference and purpose is posted once, however often it is asked for; asked
 * for with other amounts it is refused. An entry dated in a closed period is booked on the first open
 * day and keeps its effective date (the database sees to that).
 */
export async function post(work: Work, posting: Posting): Promise<string | null> {
  const lines = linesOf(posting);
  if (lines.length === 0) return null;
  const heading = headingOf(work, posting);
  const written = await entries.write(work.tx, heading, lines);
  if (written === null) return repeated(work, heading, lines);
  if (Number(written.lines) !== lines.length) {
    const roles = lines.map(({ role }) => role).join(', ');
    throw new Error(`The chart of accounts lacks one of the roles ${roles}.`);
  }
  return written.id;
}

/** Debits first, in the order given. A negative amount counts on the other side, as in a delta. */
function linesOf({ debit, credit, reference_type }: Posting): entries.RoleLine[] {
  const lines = [...sideOf(debit, 1), ...sideOf(credit, -1)];
  const difference = sum(lines.map((line) => new Big(line.debit).minus(line.credit)));
  if (!difference.eq(0)) {
    throw new Error(`A posting of ${reference_type} is unbalanced by ${money(difference)}.`);
  }
  return lines.toSorted((one, other) => Number(isCredit(one)) - Number(isCredit(other)));
}

function sideOf(amounts: Amounts, sign: 1 | -1): entries.RoleLine[] {
  return Object.entries(amounts).flatMap(([role, text]) => {
    const amount = parseMoney(text).times(sign);
    if (amount.eq(0)) return [];
    return amount.gt(0)
      ? { role, debit: money(amount), credit: '0.00' }
      : { role, debit: '0.00', credit: money(amount.abs()) };
  });
}

const isCredit = ({ debit }: entries.RoleLine) => debit === '0.00';

const headingOf = ({ actor }: Work, posting: Posting): entries.Heading => ({
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
  const existing = await entries.posted(tx, heading);
  if (existing === null || said(existing.lines) !== said(lines)) {
    throw new Conflict('This is posted already, with other amounts.', 'already_posted');
  }
  return existing.id;
}

const said = (lines: readonly { role: string | null; debit: string; credit: string }[]) =>
  lines.map(({ role, debit, credit }) => `${role} ${debit} ${credit}`).join('; ');
