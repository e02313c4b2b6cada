import { z } from 'zod';
import { addMonths } from '../../jobs/dates.ts';
import {
  cancelForbearance,
  changeForbearance,
  ForbearanceEnd,
  END_TREATMENTS,
  endForbearance,
  addForbearance,
  FORBEARANCE_TYPES,
  RELIEF_STATUSES,
  forbearanceOverlaps,
} from '../../jobs/loans/workouts/forbearances.ts';
import { forbearances as table } from '../../sql/loans/workouts/forbearances.ts';
import { date, flag, positiveMoney, prose, timestamps, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';
import { immutableConflict } from '../../jobs/loans/history/loan-records.ts';

export const forbearances = resource({
  name: 'Forbearance',
  path: 'forbearances',
  about: 'A time in which you accept lower or no payments.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    forbearance_type: z
      .enum(FORBEARANCE_TYPES)
      .default('full')
      .describe(
        '`full`: installments stay billed, but need not be paid. `reduced_payment`: bills `reduced_payment_amount`. `interest_only`: bills interest.',
      ),
    start_date: date.describe(
      'The first day. Can be in the past, but not before the loan was funded.',
    ),
    end_date: date.describe('The last day. Must not be in the past.'),
    reason: prose.describe('Why the forbearance is granted.'),
    reduced_payment_amount: positiveMoney
      .nullish()
      .describe('The installment during a `reduced_payment` forbearance. Required for that type.'),
    interest_accrues: flag
      .default(true)
      .describe('Whether interest accrues during the forbearance.'),
    suspend_late_fees: flag
      .default(true)
      .describe('Whether installments with grace days that end in this time bear no late fee.'),
    suspend_delinquency: flag
      .default(true)
      .describe(
        'Whether days past due stop counting, if `delinquency.pause_in_forbearance` is on in the settings.',
      ),
    suspend_credit_reporting: flag
      .default(false)
      .describe(
        'Whether nothing is reported to the credit bureaus for months that end during the forbearance.',
      ),
    end_treatment: z
      .enum(END_TREATMENTS)
      .default('reinstatement')
      .describe(
        'What happens to missed amounts. `reinstatement`: they are due at the end. `extend_term`: the term becomes longer. `deferred_balance`: they are due with the last installment. `repayment_plan`: a payment plan is proposed (after `full`; otherwise as `deferred_balance`). `re_amortize`: the remaining installments repay them.',
      ),
    hardship_application_id: uuid
      .nullish()
      .describe('The application that led to the forbearance, for your records.'),
    notes: prose.nullish().describe('Your notes.'),
    status: z
      .enum(RELIEF_STATUSES)
      .default('scheduled')
      .describe('Set by the server. To cancel a scheduled forbearance, update it to `canceled`.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'forbearance_type', 'start_date', 'end_date'] as const),
    ...(['reduced_payment_amount', 'interest_accrues', 'suspend_late_fees'] as const),
    ...(['suspend_delinquency', 'suspend_credit_reporting', 'end_treatment'] as const),
  ],
  filters: ['loan_id', 'borrower_id', 'forbearance_type', 'status', 'start_date', 'end_date'],

  example: (today) => ({ end_date: addMonths(today, 5) }),
  conflicts: {
    create: () => [forbearanceOverlaps({ current_status: 'active' })],
    update: () => [immutableConflict('forbearance', 'completed')],
  },
  create: addForbearance,
  update: changeForbearance,
  remove: cancelForbearance,
  actions: {
    end: action({
      allow: 'loan_officer',
      summary: 'End a forbearance early',
      description:
        'Applies the agreed treatment of missed payments now. A broken forbearance ends without it. Answers 409 if the forbearance is not active.',
      conflicts: () => [immutableConflict('forbearance', 'completed')],
      body: ForbearanceEnd,
      run: endForbearance,
    }),
  },
});
