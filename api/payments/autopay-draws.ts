import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
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
    autopay_plan_id: uuid.readonly().describe('The plan.'),
    loan_id: uuid.readonly(),
    due_date: date.readonly().describe('The due date that was drawn for.'),
    run_date: date.readonly().describe('The day of the draw.'),
    amount: money.readonly().describe('The amount drawn. Zero for a skipped date.'),
    payment_id: uuid.nullable().readonly().describe('The payment that it made.'),
    status: z
      .enum(['drawn', 'skipped', 'retrying', 'returned', 'failed'])
      .readonly()
      .describe(
        '`drawn`, `skipped` with a reason, `retrying` after a return for insufficient funds, `returned`, or `failed` if the account cannot be used.',
      ),
    reason: derivedFrom(
      text.nullable().readonly().describe('Why it was skipped, returned or failed.'),
      'cases.facts',
    ),
    attempts: integer.readonly().describe('How often it was tried.'),
    retry_on: date.nullable().readonly().describe('The day of the next attempt.'),
    ...timestamps,
  },
  filters: ['loan_id', 'status', 'due_date'],
});
