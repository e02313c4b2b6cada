import { z } from 'zod';
import * as liens from '../../sql/collateral/liens.ts';
import type { Row } from '../../sql/table.ts';
import { date, prose, text } from '../../sql/types.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { addMonths } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

export const LIEN_TYPES = [
  'ucc1',
  'mortgage',
  'deed_of_trust',
  'security_agreement',
  'other',
] as const;
export const LIEN_STATUSES = ['active', 'released', 'expired', 'terminated'] as const;
export const RELEASE_REASONS = [
  'paid_off',
  'collateral_released',
  'liquidated',
  'refiled',
  'error',
] as const;

/** A financing statement is effective for five years from its filing (UCC 9-515). */
const UCC1_MONTHS = 60;

type Input = Values & {
  filing_date?: string | null | undefined;
  expiration_date?: string | null | undefined;
};

type NewLien = Input & { collateral_id: string; lien_type: (typeof LIEN_TYPES)[number] };

/** Records a lien. A UCC-1 whose lapse nobody names lapses five years after it was filed. */
export async function addLien(work: Work, input: NewLien): Promise<string> {
  const { lien_type, filing_date, expiration_date } = input;
  const lapses =
    expiration_date === undefined && lien_type === 'ucc1' && filing_date
      ? addMonths(filing_date, UCC1_MONTHS)
      : expiration_date;
  const lien = { ...input, expiration_date: lapses };
  checkDates(lien);
  return insert(work.tx, 'liens', lien);
}

/** Changes what is given; a lien that lapses on another day has been renewed, and its alert is over. */
export async function changeLien(work: Work, id: string, changes: Input, row: Row) {
  const lien: Input = { ...row, ...changes };
  checkDates(lien);
  await update(work.tx, 'liens', id, changes);
  const { expiration_date = null } = lien;
  if (expiration_date === row['expiration_date']) return;
  if (expiration_date === null || expiration_date >= work.today)
    await liens.reviveLapsed(work.tx, id);
  await liens.resolveAlerts(work.tx, id, work.actor.id);
}

function checkDates({ filing_date, expiration_date }: Input) {
  if (!filing_date || !expiration_date) return;
  if (expiration_date <= filing_date)
    throw new Invalid({ expiration_date: 'Must be after the filing date.' });
}

export const Release = z.object({
  release_date: date.optional(),
  reason: z.enum(RELEASE_REASONS).optional(),
  filing_number: text.optional(),
  notes: prose.optional(),
});
export type Release = z.output<typeof Release>;

/** Releases the lien, once: of two requests at a time one finds it released already. */
export async function releaseLien(work: Work, id: string, input: Release) {
  const { release_date = work.today, reason, filing_number, notes } = input;
  if (release_date > work.today)
    throw new Invalid({ release_date: 'Must not be after the business date.' });
  const lien = await liens.lock(work.tx, id);
  if (lien.status === 'released' || lien.status === 'terminated') {
    throw new Conflict('The lien is already released.', 'already_released', {
      current_status: lien.status,
    });
  }
  if (lien.filing_date !== null && release_date < lien.filing_date)
    throw new Invalid({ release_date: 'Must not be before the filing date.' });
  await liens.release(work.tx, id, {
    release_date,
    release_reason: reason ?? null,
    release_filing_number: filing_number ?? null,
    release_notes: notes ?? null,
    released_by: work.actor.id,
  });
  await liens.resolveAlerts(work.tx, id, work.actor.id);
}
