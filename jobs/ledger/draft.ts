import { Big } from 'big.js';
import { z } from 'zod';
import { lockAccounts } from '../../sql/ledger/accounts.ts';
import { findControlAccountLines } from '../../sql/ledger/control-accounts.ts';
import * as drafts from '../../sql/ledger/drafts.ts';
import { entries } from '../../sql/ledger/entries.ts';
import { find, type Row } from '../../sql/table.ts';
import { date, freeText, money, uuid, requiredText } from '../../sql/types.ts';
import { setArchived } from '../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { sum } from '../money.ts';
import type { Work } from '../work.ts';
import { assertPeriodOpen } from './close-period.ts';

const LINES_MAX = 1_000;

export const DraftLine = z.object({
  account_id: uuid.describe('An active account that is not a header.'),
  debit: money.nullish().describe('The amount to debit. Each line has either a debit or a credit.'),
  credit: money.nullish().describe('The amount to credit.'),
  description: freeText.nullish().describe('A text for the line.'),
});
export const DraftLines = z
  .array(DraftLine)
  .max(LINES_MAX, `Must be at most ${LINES_MAX} lines.`)
  .meta({ description: 'At least two lines whose debits and credits are equal.' });

const Draft = z.object({
  entry_date: date,
  description: freeText.nullish(),
  reference_type: requiredText,
  loan_id: uuid.nullish(),
  lines: DraftLines,
});
type Draft = z.output<typeof Draft>;

/**
 * Creates a draft entry, which affects no balance until it is posted. Throws `Invalid` if it does not
 * balance.
 */
export async function addDraft(work: Work, input: Draft): Promise<string> {
  const lines = input.lines.map(({ account_id, debit, credit, description }) => ({
    account_id,
    debit: debit ?? '0.00',
    credit: credit ?? '0.00',
    description: description ?? null,
  }));
  checkLines(lines);
  await checkAccounts(work, lines);
  if (input.loan_id && !(await drafts.loanExists(work.tx, input.loan_id))) {
    throw new Invalid({ loan_id: 'Does not exist.' });
  }
  await assertPeriodOpen(work, input.entry_date);
  const { id } = await drafts.writeDraft(
    work.tx,
    {
      entry_date: input.entry_date,
      description: input.description ?? null,
      reference_type: input.reference_type,
      loan_id: input.loan_id ?? null,
      created_by: work.actor.id,
    },
    lines,
  );
  await refuseControl(work, id, input.loan_id);
  return id;
}

/**
 * Loan events move the control accounts, so that their balances agree with the loans. A manual entry on a
 * control account must therefore name a loan.
 */
async function refuseControl({ tx }: Work, entryId: string, loanId: unknown) {
  if (loanId !== null && loanId !== undefined) return;
  const lines = await findControlAccountLines(tx, entryId);
  if (lines.length === 0) return;
  throw controlAccount(lines);
}

function checkLines(lines: readonly drafts.EntryDraftLine[]) {
  if (lines.length < 2) throw new Invalid({ lines: 'Must have at least two lines.' });
  lines.forEach(({ debit, credit }, index) => {
    if (new Big(debit).eq(0) === new Big(credit).eq(0)) {
      throw invalidLine(index, '', 'must have either a debit or a credit.');
    }
  });
  const [debits, credits] = (['debit', 'credit'] as const).map((side) =>
    sum(lines.map((line) => new Big(line[side]))).toFixed(2),
  );
  if (debits !== credits) {
    throw new Invalid({ lines: `Debits of ${debits} and credits of ${credits} must be equal.` });
  }
}

async function checkAccounts({ tx }: Work, lines: readonly drafts.EntryDraftLine[]) {
  const ids = [...new Set(lines.map(({ account_id }) => account_id))];
  const known = new Map((await lockAccounts(tx, ids)).map((account) => [account.id, account]));
  lines.forEach(({ account_id }, index) => {
    const account = known.get(account_id);
    if (!account) throw invalidLine(index, '.account_id', 'names an account that does not exist.');
    if (!account.is_active)
      throw invalidLine(index, '.account_id', 'names an account that is not active.');
    if (account.is_header)
      throw invalidLine(index, '.account_id', 'names a header, which only groups accounts.');
  });
}

/**
 * Reports the error on the line, for API clients, and on `lines`, for the form that shows them as one
 * field.
 */
const invalidLine = (index: number, field: string, what: string) =>
  new Invalid({ lines: `Line ${index + 1} ${what}`, [`lines.${index}${field}`]: `This ${what}` });

/** Posts a draft, permanently. */
export async function postDraft(work: Work, id: string) {
  const entry = await lockEntry(work, id);
  if (entry['status'] === 'posted') {
    throw alreadyPosted(currentStatusDetails(entry));
  }
  if (entry['is_archived'] === true) {
    throw new Conflict('The draft was deleted.', 'archived', currentStatusDetails(entry));
  }
  await assertPeriodOpen(work, String(entry['entry_date']));
  await refuseInactive(work, entry);
  await refuseControl(work, id, entry['loan_id']);
  await drafts.markPosted(work.tx, id, work.actor.id);
}

async function refuseInactive({ tx }: Work, entry: Row) {
  const ids = (entry['lines'] as { account_id: string }[]).map(({ account_id }) => account_id);
  const isOff = (await lockAccounts(tx, [...new Set(ids)])).some(({ is_active }) => !is_active);
  if (isOff) throw accountInactive();
}

/** Hides a draft. Posted entries cannot be archived. */
export async function archiveDraft(work: Work, id: string) {
  const entry = await lockEntry(work, id);
  if (entry['status'] === 'posted') {
    throw postedEntry(currentStatusDetails(entry));
  }
  await setArchived(work.tx, 'journal_entries', id, true);
}

/** Locks the entry, then reads it, so that the result includes concurrent changes. */
export async function lockEntry({ tx }: Work, id: string): Promise<Row> {
  await drafts.serializeEntryChanges(tx, id);
  const entry = await find(tx, entries, id);
  if (entry === null) throw new NotFound();
  return entry;
}

export const currentStatusDetails = (entry: Row) => ({ current_status: entry['status'] });

export function controlAccount(lines: readonly number[]) {
  const [named, are] = lines.length === 1 ? ['Line', 'is'] : ['Lines', 'are'];
  return new Conflict(
    `${named} ${lines.join(', ')} ${are} on a control account, which only loan events may move. Name the loan in loan_id, or record a payment, credit, waiver or reversal on the loan.`,
    'control_account',
    { lines },
  );
}

export const alreadyPosted = (details: Record<string, unknown>) =>
  new Conflict('The entry is already posted.', 'already_posted', details);

export const accountInactive = () =>
  new Conflict('An account of the entry is no longer active.', 'account_inactive');

export const postedEntry = (details: Record<string, unknown>) =>
  new Conflict('Posted entries cannot change. Reverse the entry instead.', 'immutable', details);
