import * as payments from '../../sql/payments/payments.ts';
import type { Row } from '../../sql/table.ts';
import { update, type Values } from '../../sql/write.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';
import { updateAgreed } from '../loans/history/record-events.ts';
import { reversePayment } from './reverse.ts';

/** Changes the descriptive fields of a payment. To correct its amount or date, reverse it. */
export const changePayment = ({ tx }: Work, id: string, changes: Values) =>
  update(tx, 'payments', id, changes);

/** Cancels a scheduled payment. Reverses a completed one with the reason `deleted`. */
export async function removePayment(work: Work, id: string, row: Row) {
  if (row['status'] === 'scheduled') {
    await payments.cancelScheduledPayment(work.tx, id);
    return updateAgreed(work, String(row['loan_id']));
  }
  if (row['status'] === 'completed' || row['status'] === 'settled') {
    return reversePayment(work, id, { reason: 'deleted', return_code: null });
  }
  throw new Conflict(`A payment that is ${String(row['status'])} cannot be deleted.`, 'immutable', {
    current_status: row['status'],
  });
}
