import * as plans from '../../sql/payments/autopay-plans.ts';
import { markConsentRevoked } from '../../sql/borrowers/consents.ts';
import * as instruments from '../../sql/borrowers/payment-instruments.ts';
import { recordAudit } from '../audit.ts';
import type { Work } from '../work.ts';
import { returnEffect, isFinalReturnCode } from '../banks/return-codes.ts';

/**
 * Stores the return code on the account, and blocks the account if the code forbids further draws. A
 * revoked authorization also revokes the consents of the autopay plans that use the account.
 */
export async function applyReturnCode(work: Work, instrumentId: string, returnCode: string) {
  const { tx } = work;
  await instruments.recordReturnCode(tx, instrumentId, returnCode, isFinalReturnCode(returnCode));
  if (returnEffect(returnCode) !== 'revokes_authorization') return;
  const reason = `Returned with ${returnCode}`;
  for (const { id, borrower_id } of await plans.consentsForInstrument(tx, instrumentId)) {
    await markConsentRevoked(tx, id, { method: 'bank_return', reason });
    const changes = { status: { old: 'granted', new: 'revoked' } };
    await recordAudit(
      work,
      { type: 'borrower_consents', id, borrower_id },
      'revoke',
      changes,
      reason,
    );
  }
}
