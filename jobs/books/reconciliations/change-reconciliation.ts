import { z } from 'zod';
import * as stored from '../../../sql/books/reconciliations.ts';
import { newId } from '../../../sql/new-id.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { prose } from '../../../sql/types.ts';
import { insert, update } from '../../../sql/write.ts';
import { auditChange, recordAudit } from '../../audit.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { newFileKey } from '../../files/sealed-files.ts';
import { storageKey } from '../../files/keys.ts';
import type { Work } from '../../work.ts';
import { MappingRefused, readMapping } from '../format/mapping/read-mapping.ts';
import type { ReconciliationOptions } from './reconciliation-input.ts';

export type NewReconciliation = ReconciliationOptions & {
  filename: string;
  sha256_hash: string;
  file_size: number;
  mapping: string | null;
  /** Whether the file is stored for a worker. A command reads its own file. */
  isStored: boolean;
};

/** Records a comparison. Each one is a new record, because loans change between two comparisons of the same file. */
export async function createReconciliation(
  work: Work,
  { isStored, through_date, ...given }: NewReconciliation,
): Promise<{ id: string; storage_key: string | null; file_key: string }> {
  const { tx, actor } = work;
  if (given.mapping !== null) assertMapping(given.mapping);
  const id = newId();
  const storage_key = isStored ? await keyOf(work, id) : null;
  const file_key = newFileKey();
  await auditChange(work, stored.reconciliations, 'create', null, async () => {
    await insert(tx, 'reconciliations', {
      ...given,
      id,
      accepted_kinds: JSON.stringify(given.accepted_kinds),
      storage_key,
      file_key_sealed: isStored ? work.installation.keys.seal(work.tenant_id, file_key) : null,
      through_date: through_date ?? null,
      created_by: actor.type === 'user' ? actor.id : null,
    });
    return id;
  });
  return { id, storage_key, file_key };
}

function assertMapping(text: string) {
  try {
    readMapping(text);
  } catch (error) {
    if (error instanceof MappingRefused) throw new Invalid({ mapping: error.message });
    throw error;
  }
}

async function keyOf({ tx }: Work, id: string) {
  const { slug: tenant_slug } = await currentTenant(tx);
  const filename = 'figures';
  return storageKey({ tenant_slug, loan_id: 'reconciliations', document_type: id, filename });
}

export const SignOff = z.strictObject({
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Must be the fingerprint of the reconciliation.')
    .describe('The `fingerprint` of the results that you have checked.'),
  note: prose
    .max(2_000)
    .optional()
    .describe(
      'Why the differences are right. Required if loans differ, or loans or days were not compared.',
    ),
});

/** What remains to be judged, or null if all that the file states agrees or was accepted. */
export function openPoints(
  run: Pick<
    stored.StoredReconciliation,
    | 'accepted_kinds'
    | 'loans_total'
    | 'loans_differing'
    | 'loans_not_compared'
    | 'days_not_compared'
  >,
): string | null {
  if (run.loans_total === 0) return 'nothing was compared';
  const loans = run.loans_differing + run.loans_not_compared;
  if (loans > 0) return `${loans} loans do not agree`;
  return run.days_not_compared > 0 && !run.accepted_kinds.includes('partly_compared')
    ? `${run.days_not_compared} days of the file were not compared`
    : null;
}

/**
 * Signs off the results with this fingerprint. Only another person than the one who made the comparison may do this, and
 * only while the past of the compared loans is unchanged.
 */
export async function signOff(work: Work, id: string, given: z.output<typeof SignOff>) {
  const { tx, actor } = work;
  const run = await stored.lockReconciliation(tx, id);
  if (run === null) throw new NotFound();
  if (run.status !== 'done') throw refusals.notDone();
  if (run.signed_off_by !== null) throw refusals.alreadySignedOff();
  if (run.created_by === actor.id) throw refusals.ownReconciliation();
  if (run.fingerprint !== given.fingerprint) throw refusals.fingerprintDiffers();
  const changed = await stored.countChangedLoans(tx, id);
  if (changed > 0) throw refusals.loansChanged(changed);
  const note = given.note?.trim() ?? '';
  const open = openPoints(run);
  if (open !== null && note === '') throw new Invalid({ note: `Is required, because ${open}.` });
  await update(tx, 'reconciliations', id, {
    signed_off_by: actor.id,
    signed_off_at: new Date().toISOString(),
    sign_off_note: note === '' ? null : note,
  });
  await recordAudit(work, { type: 'reconciliations', id }, 'sign_off', {
    fingerprint: { old: null, new: given.fingerprint },
  });
}

const refusals = {
  ownReconciliation: () =>
    new Conflict('Another user must sign off your reconciliation.', 'four_eyes'),
  fingerprintDiffers: () =>
    new Conflict(
      'The results have another fingerprint. Read the reconciliation again.',
      'fingerprint_differs',
    ),
  loansChanged: (loans: number) =>
    new Conflict(
      `The past of ${loans} loans has changed since the comparison. Compare the file again.`,
      'loans_changed',
      { loans },
    ),
  notDone: () =>
    new Conflict(
      'The comparison is not done. Read the reconciliation until its status is done.',
      'reconciliation_not_done',
    ),
  alreadySignedOff: () =>
    new Conflict('The reconciliation is signed off already.', 'already_signed_off'),
};

export const signOffConflicts = () => [
  refusals.ownReconciliation(),
  refusals.fingerprintDiffers(),
  refusals.loansChanged(3),
  refusals.notDone(),
  refusals.alreadySignedOff(),
];
