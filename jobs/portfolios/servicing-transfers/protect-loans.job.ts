import { z } from 'zod';
import * as transfers from '../../../sql/portfolios/servicing-transfers.ts';
import { uuid } from '../../../sql/types.ts';
import { Conflict } from '../../errors.ts';
import { job } from '../../job.ts';
import { FeeWaiver, waiveFee } from '../../loans/fees/fees.ts';
import { updateAgreed } from '../../loans/history/record-events.ts';
import type { Work } from '../../work.ts';

/** Loans per transaction. */
const CHUNK = 50;
const FIRST = '00000000-0000-0000-0000-000000000000';

export const WAIVER_REASON = 'The servicing was transferred, so a payment may still be on its way.';

/**
 * Brings the loans of a transfer in line with their protection: waives late fees that were charged on protected
 * days, and removes warnings of late fees. Safe to repeat.
 */
export const protectLoans = job({
  name: 'protect-loans',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid, transfer_id: uuid }),
  attempts: 10,
  key: ({ transfer_id }) => `protect-loans:${transfer_id}`,

  async run({ tenant_id, transfer_id }, { within }) {
    for (let after: string | undefined = FIRST; after !== undefined;) {
      const from: string = after;
      after = await within(tenant_id, async (work) => {
        const ids = await transfers.listSlice(work.tx, transfer_id, from, CHUNK);
        for (const id of ids) await protectLoan(work, id);
        return ids.at(-1);
      });
    }
  },
});

async function protectLoan(work: Work, loanId: string) {
  for (const fee of await transfers.listProtectedLateFees(work.tx, loanId))
    await waiveLateFee(work, fee);
  await updateAgreed(work, loanId);
}

/** Waives a late fee. Returns false if a charge-off or a capitalization has settled it. */
export async function waiveLateFee(work: Work, feeId: string): Promise<boolean> {
  try {
    await waiveFee(work, feeId, FeeWaiver.parse({ reason: WAIVER_REASON }));
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}
