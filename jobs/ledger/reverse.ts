import { z } from 'zod';
import { entries } from '../../sql/ledger/entries.ts';
import * as mirrors from '../../sql/ledger/mirrors.ts';
import { find, type Row } from '../../sql/table.ts';
import { date, requiredFreeText } from '../../sql/types.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertPeriodOpen } from './close-period.ts';
import { lockEntry, currentStatusDetails } from './draft.ts';

export const EntryReversal = z.object({
  reason: requiredFreeText.describe('Why the entry is reversed. Kept with the mirror entry.'),
  entry_date: date
    .nullish()
    .describe(
      'The date of the mirror entry, not before the entry itself. Default: the business date.',
    ),
});
export type EntryReversal = z.output<typeof EntryReversal>;

/**
 * Corrects a posted entry by posting its mirror, linked to it; the entry itself stays unchanged. An entry
 * can be reversed once, and a reversal cannot be reversed. Returns the mirror.
 */
export async function reverseEntry(work: Work, id: string, { reason, entry_date }: EntryReversal) {
  const entry = await lockEntry(work, id);
  if (entry['status'] !== 'posted') {
    throw notPosted(currentStatusDetails(entry));
  }
  if (entry['reversal_of_entry_id'] !== null) {
    throw isReversal();
  }
  assertNotFinal(entry);
  if (entry['is_reversed'] === true) {
    throw alreadyReversed(entry['reversed_by_entry_id']);
  }
  if (entry_date && entry_date < String(entry['entry_date'])) {
    throw new Invalid({ entry_date: 'Must not be before the date of the entry.' });
  }
  const day = entry_date ?? work.today;
  await assertPeriodOpen(work, day);
  const { id: mirrorId } = await mirrors.writeMirrorEntry(work.tx, id, {
    entry_date: day,
    reason,
    reference_type: 'reversal',
    reference_id: id,
    actor_id: work.actor.id,
  });
  return find(work.tx, entries, mirrorId);
}

/** Year ends are permanent, and remittances were already reported to the investor. */
function assertNotFinal({ source, reference_type: kind }: Row) {
  if (source !== 'system') return;
  if (kind === 'year_end') throw yearClosed();
  if (kind !== 'remittance' && kind !== 'remittance_payment') return;
  throw reportedToInvestor();
}

export const alreadyReversed = (reversed_by_entry_id: unknown) =>
  new Conflict('The entry was already reversed.', 'already_reversed', {
    reversed_by_entry_id,
  });

export const isReversal = () =>
  new Conflict('A reversal cannot be reversed. Post a new entry instead.', 'is_reversal');

export const notPosted = (details: Record<string, unknown>) =>
  new Conflict('Only posted entries can be reversed.', 'not_posted', details);

export const yearClosed = () =>
  new Conflict('The year is closed permanently. Post a new entry instead.', 'year_closed');

export const reportedToInvestor = () =>
  new Conflict(
    'This was already reported to the investor. Post a new entry for the loan; the next remittance includes it.',
    'immutable',
  );
