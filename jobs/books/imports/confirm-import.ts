import { z } from 'zod';
import * as stored from '../../../sql/books/imports.ts';
import { dictionary } from '../../../sql/dictionary.ts';
import { integer, money } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { money as formatMoney, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { summarizeTotals } from './control-totals.ts';

export const Confirmation = z.object({
  loan_count: integer.describe('The number of loans that you expect, from the old system.'),
  principal_total: money.describe(
    'The principal that these loans owe together, from the old system.',
  ),
});
type Confirmation = z.output<typeof Confirmation>;

/**
 * Confirms the control totals of a checked import, so that its loans can be boarded. Throws `Invalid` if the figures
 * differ from those of the file, and `Conflict` if the check is older than the business date.
 */
export async function confirmImport(work: Work, id: string, given: Confirmation) {
  const { tx, today, actor } = work;
  const row = await lockExisting(work, id);
  if (row.status !== 'checked') throw wrongStatus(row.status, 'confirm');
  assertCheckedToday(work, row);
  const expected = summarizeTotals(row.control_totals ?? []);
  const errors: Record<string, string> = {};
  if (given.loan_count !== expected.loan_count)
    errors['loan_count'] =
      `The file has ${expected.loan_count} loans. Find the difference to the old system, and correct the file or your number.`;
  if (given.principal_total !== expected.principal_total)
    errors['principal_total'] =
      `The loans of the file owe ${expected.principal_total}, ${differenceTo(given.principal_total, expected.principal_total)} than you state. Loans that are charged off do not count. Find the difference to the old system, and correct the file or your total.`;
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  await update(tx, 'imports', id, {
    status: 'confirmed',
    business_date: today,
    confirmed_by: actor.id,
    confirmed_at: new Date().toISOString(),
  });
  const changes = { status: { old: row.status, new: 'confirmed' } };
  await recordAudit(work, { type: 'imports', id }, 'confirm', changes);
}

/** How much more or less the file has. */
function differenceTo(stated: string, ofFile: string): string {
  const difference = parseMoney(ofFile).minus(stated);
  return `${formatMoney(difference.abs())} ${difference.gt(0) ? 'more' : 'less'}`;
}

/** What a second person approves: the file by its hash, how it is read, and its totals. */
export async function contentOfImport({ tx }: Work, id: string) {
  const row = await stored.readImport(tx, id);
  if (row === null) throw new NotFound();
  const { filename, sha256_hash, mapping, options, business_date, control_totals } = row;
  return {
    import: { filename, sha256_hash, mapping, options, business_date, control_totals },
  };
}

function assertCheckedToday({ today }: Work, { business_date }: stored.ImportRow) {
  if (business_date !== today) throw checkOutdated(business_date, today);
}

export const checkOutdated = (business_date: string | null, today: string) =>
  new Conflict(
    `The file was checked for ${business_date}, and the business date is ${today}. Check it again.`,
    'check_outdated',
    { business_date, today },
  );

export async function lockExisting({ tx }: Work, id: string): Promise<stored.ImportRow> {
  const row = await stored.lockImport(tx, id);
  if (row === null) throw new NotFound();
  return row;
}

const CHECKING = 'Wait until its check is done.';
const BOARDING = 'Wait until its loans are boarded, or cancel it.';

/** What to do with an import of a status. */
const NEXT = dictionary<string>({
  uploaded: CHECKING,
  checking: CHECKING,
  refused: 'Correct its errors and upload the corrected file.',
  checked: 'Confirm its totals, or cancel it.',
  confirmed: BOARDING,
  boarding: BOARDING,
  failed: 'Resume it, or check it again if no loan is boarded.',
  boarded: 'All of its loans are boarded.',
  canceled: 'Upload the file again.',
});

export const wrongStatus = (status: string, action: string) =>
  new Conflict(
    `You cannot ${action} an import that is ${status}. ${NEXT[status] ?? ''}`,
    'invalid_transition',
    {
      current_status: status,
    },
  );
