import { z } from 'zod';
import { lockItem, SECURING_STATUSES } from '../../sql/collateral/items.ts';
import * as liens from '../../sql/collateral/liens.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { date, prose, text } from '../../sql/types.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { auditChange } from '../audit.ts';
import { addMonths, latest } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import { parseMoney } from '../money.ts';
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

/** Records a lien. Default expiration of a UCC-1: five years after its filing. */
export async function addLien(work: Work, input: NewLien): Promise<string> {
  const lien = lienColumns(input);
  await assertPledged(work, input.collateral_id);
  return insert(work.tx, 'liens', lien);
}

/** The columns of a new lien. Throws Invalid. */
export function lienColumns(input: NewLien) {
  const { lien_type, filing_date, expiration_date } = input;
  const lapses =
    expiration_date === undefined && lien_type === 'ucc1' && filing_date
      ? addMonths(filing_date, UCC1_MONTHS)
      : expiration_date;
  const lien = { ...input, expiration_date: lapses };
  checkDates(lien);
  return lien;
}

/** Throws unless the collateral secures the loan: sold, released or archived collateral takes no lien. */
async function assertPledged({ tx }: Work, collateralId: string) {
  const item = await lockItem(tx, collateralId);
  if (item === null) throw new Invalid({ collateral_id: 'Does not exist.' });
  const { status: current_status, is_archived } = item;
  if (!is_archived && SECURING_STATUSES.some((status) => status === current_status)) return;
  const standing = is_archived ? 'archived' : current_status;
  throw collateralNotActive(standing, current_status);
}

/**
 * Changes the given fields of a lien. A new expiration date means a renewal, which resolves the lien's
 * alerts.
 */
export async function changeLien(work: Work, id: string, changes: Input, row: Row) {
  const lien: Input = { ...row, ...changes };
  checkDates(lien);
  await update(work.tx, 'liens', id, changes);
  const { expiration_date = null } = lien;
  if (expiration_date === row['expiration_date']) return;
  if (expiration_date === null || expiration_date >= work.today)
    await liens.reactivateExpired(work.tx, id);
  await liens.resolveAlerts(work.tx, id, work.actor.id);
}

function checkDates({ filing_date, expiration_date }: Input) {
  if (!filing_date || !expiration_date) return;
  if (expiration_date <= filing_date)
    throw new Invalid({ expiration_date: 'Must be after the filing date.' });
}

export const LienRelease = z.object({
  release_date: date
    .optional()
    .describe('The day of the release. Default: the business date. Must not be in the future.'),
  reason: z
    .enum(RELEASE_REASONS)
    .optional()
    .describe('Why the lien is released. `paid_off` requires that the loan owes nothing.'),
  filing_number: text.optional().describe('The number of the filed release.'),
  notes: prose.optional().describe('Kept with the lien.'),
});
export type LienRelease = z.output<typeof LienRelease>;

/** Releases a lien. The second of two concurrent requests throws `Conflict`. */
export async function releaseLien(work: Work, id: string, input: LienRelease) {
  const { release_date = work.today, reason, filing_number, notes } = input;
  if (release_date > work.today)
    throw new Invalid({ release_date: 'Must not be after the business date.' });
  if (reason === 'paid_off') await assertRepaid(work, id);
  const lien = await liens.lockLien(work.tx, id);
  if (lien.status === 'released' || lien.status === 'terminated') throw lienReleased(lien.status);
  if (lien.filing_date !== null && release_date < lien.filing_date)
    throw new Invalid({ release_date: 'Must not be before the filing date.' });
  await endLien(work, id, {
    release_date,
    release_reason: reason ?? null,
    release_filing_number: filing_number ?? null,
    release_notes: notes ?? null,
  });
}

/** A release as `paid_off` requires that the loan owes nothing. Other reasons have no such condition. */
async function assertRepaid({ tx }: Work, id: string) {
  const { status, loan_number, owed } = await liens.findSecuredDebt(tx, id);
  if (parseMoney(owed).eq(0)) return;
  throw loanOwes({ status, loan_number, owed });
}

export const lienReleased = (status: string) =>
  new Conflict('The lien is already released.', 'already_released', { current_status: status });

type Debt = { status: string; loan_number: string; owed: string };
export const loanOwes = ({ status, loan_number, owed }: Debt) =>
  new Conflict(
    `${loan_number} still owes ${owed}. Release the lien when the loan is paid off, or name another reason.`,
    'loan_owes',
    { current_status: status },
  );

async function endLien(work: Work, id: string, released: Omit<liens.ReleaseRow, 'released_by'>) {
  await liens.releaseLien(work.tx, id, { ...released, released_by: work.actor.id });
  await liens.resolveAlerts(work.tx, id, work.actor.id);
}

/**
 * Releases the active liens of sold collateral on the day of sale, or on a later filing date. Returns their
 * ids.
 */
export async function releaseLiensOnSale(work: Work, collateralId: string, soldOn: string) {
  const sold = await liens.listActive(work.tx, collateralId);
  for (const { id, filing_date } of sold) {
    const before = await findLocked(work.tx, liens.liens, id);
    const release_date = latest(soldOn, filing_date ?? soldOn);
    const how = { release_filing_number: null, release_notes: null };
    await auditChange(work, liens.liens, 'release', before, async () => {
      await endLien(work, id, { release_date, release_reason: 'liquidated', ...how });
      return id;
    });
  }
  return sold.map(({ id }) => id);
}

/** Reinstates the liens that a reversed sale had released, unless they have lapsed since. */
export async function reinstateLiens(work: Work, ids: readonly string[]) {
  for (const id of ids) {
    const before = await findLocked(work.tx, liens.liens, id);
    if (before?.['release_reason'] !== 'liquidated') continue;
    await auditChange(work, liens.liens, 'reinstate', before, async () => {
      await liens.reinstateLien(work.tx, id, work.today);
      return id;
    });
  }
}

export const collateralNotActive = (standing: string, current_status: string) =>
  new Conflict(
    `You cannot add a lien to collateral that is ${standing}.`,
    'collateral_not_active',
    {
      current_status,
    },
  );
