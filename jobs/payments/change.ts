import * as payments from '../../sql/payments/payments.ts';
import type { Row } from '../../sql/table.ts';
import { update } from '../../sql/write.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';
import { reversePayment } from './reverse.ts';

const DESCRIPTIVE = ['notes', 'reference_number', 'external_id'];

/** Changes the descriptive fields of a payment. To correct its amount or date, reverse it. */
export async function changePayment(work: Work, id: string, changes: Record<string, unknown>) {
  const changedFields = Object.fromEntries(
    Object.entries(changes).filter(([name]) => DESCRIPTIVE.includes(name)),
  );
  await update(work.tx, 'payments', id, changedFields);
}

/** Cancels a scheduled payment. Reverses a completed one with the reason `deleted`. */
export async function removePayment(work: Work, id: string, row: Row) {
  if (row['status'] === 'scheduled') return payments.cancelScheduledPayment(work.tx, id);
  if (row['status'] === 'completed' || row['status'] === 'settled') {
    return reversePayment(work, id, { reason: 'deleted', return_code: null });
  }
  throw new Conflict(`A payment that is ${String(row['status'])} cannot be deleted.`, 'immutable', {
    current_status: row['status'],
  });
}
