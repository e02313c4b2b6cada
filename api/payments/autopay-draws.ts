import { z } from 'zod';
import { autopayDraws as table } from '../../sql/payments/autopay-draws.ts';
import { date, integer, money, timestamps, text, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

/** The draw of a plan for each due date, or the reason why it was skipped. */
export const autopayDraws = resource({
  name: 'AutopayDraw',
  path: 'autopay-draws',
  about: 'What an autopay plan did for a due date: the payment it made, or why it made none.',
  area: 'payments',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: [],

  fields: {
    id: uuid.readonly(),
    autopay_plan_id: uuid.readonly(),
    loan_id: uuid.readonly(),
    due_date: date.readonly(),
    run_date: date.readonly(),
    amount: money.readonly(),
    payment_id: uuid.nullable().readonly(),
    status: z.enum(['drawn', 'skipped', 'retrying', 'returned', 'failed']).readonly(),
    reason: text.nullable().readonly(),
    attempts: integer.readonly(),
    retry_on: date.nullable().readonly(),
    ...timestamps,
  },
  filters: ['loan_id', 'status', 'due_date'],
});
