import { z } from 'zod';
import { flag, prose } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';

export const LegalHold = z.object({
  is_on_legal_hold: flag.describe('True places the hold, false lifts it.'),
  reason: prose
    .nullish()
    .describe(
      'Who requested the hold or its end, and why. Required to place a hold. Kept in the history.',
    ),
});

/** Sets or lifts a legal hold. While a hold is set, the borrower cannot be redacted. */
export async function setLegalHold(
  { tx }: Work,
  id: string,
  { is_on_legal_hold, reason }: z.output<typeof LegalHold>,
) {
  const ground = reason?.trim() ? reason : null;
  if (is_on_legal_hold && ground === null) throw new Invalid({ reason: 'Is required.' });
  const legal_hold_reason = is_on_legal_hold ? ground : null;
  await update(tx, 'borrowers', id, { is_on_legal_hold, legal_hold_reason });
}
