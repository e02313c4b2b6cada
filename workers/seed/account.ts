import { addInstrument } from '../../jobs/borrowers/payment-instrument.ts';
import type { Work } from '../../jobs/work.ts';
import { hasPaymentInstrument } from '../../sql/borrowers/payment-instruments.ts';

/**
 * Adds a bank account that is already verified, so that the borrower can pay immediately. Only an admin may
 * mark an account as verified.
 */
export async function addAccount(work: Work, borrower_id: string) {
  if (await hasPaymentInstrument(work.tx, borrower_id)) return;
  const admin: Work = { ...work, actor: { ...work.actor, role: 'admin' } };
  await addInstrument(admin, {
    borrower_id,
    instrument_type: 'bank_account',
    account_type: 'checking',
    bank_name: 'Example Bank',
    account_holder_name: 'Nora Whitfield',
    routing_number: '091000019',
    account_number: '1234567890',
    verification_method: 'manual',
    is_verified: true,
  });
}
