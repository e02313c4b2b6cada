import { randomUUID } from 'node:crypto';
import type { EventData } from '../../jobs/webhooks/event-types.ts';

/** Event data of a sample payment. */
export const PAYMENT_RECEIVED: EventData<'payment.received'> = {
  payment_id: randomUUID(),
  loan_id: randomUUID(),
  amount: '1.00',
  payment_date: '2026-01-15',
  effective_date: '2026-01-15',
  principal_applied: '1.00',
  interest_applied: '0.00',
  fees_applied: '0.00',
  remaining_balance: '99.00',
};
