import { z } from 'zod';
import {
  cancelDeferment,
  changeDeferment,
  addDeferment,
  DEFERMENT_TYPES,
  INTEREST_TREATMENTS,
  MAX_DEFERRED_PERIODS,
  defermentOverlaps,
  defermentLimit,
} from '../../jobs/loans/workouts/deferments.ts';
import { RELIEF_STATUSES } from '../../jobs/loans/workouts/forbearances.ts';
import { deferments as table } from '../../sql/loans/workouts/deferments.ts';
import { date, flag, integer, money, prose, timestamps, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';
import { immutableConflict } from '../../jobs/loans/history/loan-records.ts';
import { loanAccelerated } from '../../jobs/loans/agreed/modification.ts';

export const deferments = resource({
  name: 'Deferment',
  path: 'deferments',
  about: 'A number of payments that move to later dates.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    deferment_type: z
      .enum(DEFERMENT_TYPES)
      .default('payment_skip')
      .describe(
        '`payment_skip` and `full` skip whole payments. `principal_only` still bills the interest of these periods.',
      ),
    periods: integer
      .min(1)
      .max(MAX_DEFERRED_PERIODS)
      .nullish()
      .describe(
        'How many installments to defer. Default: those due from `start_date` through `end_date`.',
      ),
    start_date: date
      .nullish()
      .describe('The first day. Default: the business date. Must not be in the past.'),
    end_date: date
      .nullish()
      .describe(
        'The day before payments resume. Required without `periods`; otherwise it follows from them.',
      ),
    start_installment: integer
      .min(1)
      .nullish()
      .describe('The number of the first deferred installment. Default: the next unpaid one.'),
    interest_treatment: z
      .enum(INTEREST_TREATMENTS)
      .default('accrue')
      .describe(
        '`accrue`: interest accrues as usual. `waive`: no interest accrues. `capitalize_at_end`: accrued interest is added to the principal at the end.',
      ),
    extend_maturity: flag
      .default(true)
      .describe(
        'Whether the due dates and the maturity date move. Otherwise fewer, larger payments repay the loan by the same date.',
      ),
    fee_amount: money.default('0.00').describe('A fee charged on the first day.'),
    reason: prose.describe('Why the payments are deferred.'),
    notes: prose.nullish().describe('Your notes.'),
    status: z
      .enum(RELIEF_STATUSES)
      .default('scheduled')
      .describe('Set by the server. To cancel a scheduled deferment, update it to `canceled`.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'deferment_type', 'periods', 'start_date', 'end_date'] as const),
    ...(['start_installment', 'interest_treatment', 'extend_maturity', 'fee_amount'] as const),
  ],
  filters: ['loan_id', 'borrower_id', 'deferment_type', 'status', 'start_date', 'end_date'],

  example: () => ({ periods: 1 }),
  conflicts: {
    create: () => [
      defermentLimit({ limit: 2 }),
      defermentOverlaps(),
      loanAccelerated({ current_status: 'active' }),
    ],
    update: () => [immutableConflict('deferment', 'completed')],
  },
  create: addDeferment,
  update: changeDeferment,
  remove: cancelDeferment,
});
