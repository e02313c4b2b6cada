import { z } from 'zod';
import {
  approveModification,
  cancelModification,
  changeModification,
  MODIFICATION_MONTHS_MAX,
  MODIFICATION_REASONS,
  MODIFICATION_STATUSES,
  MODIFICATION_TYPES,
  addModification,
  rejectModification,
  reverseModification,
  BALANCE_TREATMENTS,
  secondPersonRequired,
  laterModification,
  modificationLimit,
} from '../../jobs/loans/workouts/modifications.ts';
import { modifications as table } from '../../sql/loans/workouts/modifications.ts';
import {
  date,
  flag,
  integer,
  money,
  ownJson,
  positiveMoney,
  prose,
  rate,
  timestamps,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';
import { immutableConflict, loanNotInService } from '../../jobs/loans/history/loan-records.ts';
import { loanAccelerated } from '../../jobs/loans/agreed/modification.ts';

const months = integer.min(1).max(MODIFICATION_MONTHS_MAX);

const PAID_OFF = { status: 'paid_off', blockers: {} };

export const modifications = resource({
  name: 'Modification',
  path: 'modifications',
  about: "A change of a loan's terms that was agreed with the borrower.",
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    modification_type: z
      .enum(MODIFICATION_TYPES)
      .describe(
        'What changes. Each type requires its fields. `re_age` replaces the past-due installments too, so the loan is current again. `re_amortize` spreads the debt over the remaining installments. `combined` changes any terms, and can also shorten the loan.',
      ),
    effective_date: date
      .nullish()
      .describe(
        'When the new terms apply. Default: the business date. A past date recalculates the loan; close of business applies a future one.',
      ),
    reason: z.enum(MODIFICATION_REASONS).default('other').describe('Why the loan is modified.'),
    reason_comment: prose.nullish().describe('The reason in words.'),
    new_interest_rate: rate.nullish().describe('The new annual rate.'),
    new_term_months: months
      .nullish()
      .describe(
        'The new term in months since origination. Give only one of `new_term_months`, `extend_months` and `new_maturity_date`.',
      ),
    extend_months: months
      .nullish()
      .describe('How many months to add to the term. A multiple of 3 for quarterly payments.'),
    new_payment_amount: positiveMoney
      .nullish()
      .describe(
        'The new installment. Without a new term, it determines how many installments remain. Must repay the loan.',
      ),
    new_payment_day: integer
      .min(1)
      .max(31)
      .nullish()
      .describe(
        'The new day of the month, for monthly, quarterly and semi-monthly payments. 29 to 31 mean the end of shorter months.',
      ),
    new_maturity_date: date
      .nullish()
      .describe('The new last due date. Must fit the payment frequency.'),
    principal_forgiven: money
      .default('0.00')
      .describe(
        'Principal that the borrower no longer owes. From 600.00 in a year, form 1099-C follows.',
      ),
    capitalize_interest: flag
      .default(false)
      .describe('Whether unpaid interest is added to the principal.'),
    capitalize_fees: flag
      .default(false)
      .describe('Whether unpaid fees are added to the principal.'),
    capitalized_amount: money
      .readonly()
      .describe('The interest and fees that were added to the principal.'),
    interest_treatment: z
      .enum(BALANCE_TREATMENTS)
      .default('keep')
      .describe(
        'What happens to unpaid interest: `keep` leaves it owed, `capitalize` adds it to the principal, `waive` forgives it.',
      ),
    fee_treatment: z.enum(BALANCE_TREATMENTS).default('keep').describe('The same for unpaid fees.'),
    apply_immediately: flag
      .default(true)
      .describe('If false, the modification waits for `POST /modifications/{id}/approve`.'),
    status: z
      .enum(MODIFICATION_STATUSES)
      .default('pending')
      .describe(
        'Set by the server. To cancel a pending or approved modification, update it to `canceled`.',
      ),
    previous_terms: ownJson
      .readonly()
      .describe(
        'The terms before: rate, installment, due day, term, remaining payments, maturity date and principal.',
      ),
    new_terms: ownJson.readonly().describe('The terms afterwards.'),
    requested_by: uuid.nullable().readonly().describe('The user who requested it.'),
    approved_by: uuid.nullable().readonly().describe('The user who approved it.'),
    applied_at: timestamp.nullable().readonly().describe('When it was applied.'),
    document_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'modification_type', 'effective_date', 'new_interest_rate'] as const),
    ...(['new_term_months', 'extend_months', 'new_payment_amount', 'new_payment_day'] as const),
    ...(['new_maturity_date', 'principal_forgiven', 'capitalize_interest'] as const),
    ...(['capitalize_fees', 'interest_treatment', 'fee_treatment', 'apply_immediately'] as const),
  ],
  filters: ['loan_id', 'borrower_id', 'modification_type', 'status', 'effective_date', 'reason'],

  example: () => ({ modification_type: 'rate_change', new_interest_rate: '0.05' }),
  conflicts: {
    create: () => [
      loanNotInService(PAID_OFF),
      modificationLimit({ limit: 5 }),
      loanAccelerated({ current_status: 'active' }),
    ],
    update: () => [immutableConflict('modification', 'completed')],
  },
  create: addModification,
  update: changeModification,
  remove: cancelModification,
  actions: {
    approve: action({
      allow: 'loan_officer',
      summary: 'Approve a modification',
      description:
        'Applies a pending modification whose effective date has come, and sends `modification.completed`. Close of business applies a later one. Answers 409 `four_eyes` if you requested it and the settings require a second person.',
      conflicts: () => [secondPersonRequired(), immutableConflict('modification', 'completed')],
      run: approveModification,
    }),
    reject: action({
      allow: 'loan_officer',
      summary: 'Reject a modification',
      description: 'Ends a pending modification without effect.',
      conflicts: () => [immutableConflict('modification', 'approved')],
      run: rejectModification,
    }),
    reverse: action({
      allow: 'loan_officer',
      summary: 'Reverse a modification',
      description:
        'Restores the terms as if a completed modification had never happened. Its fee stays: waive it if necessary. Answers 409 `in_use` if a later modification depends on it.',
      conflicts: () => [laterModification(), immutableConflict('modification', 'pending')],
      run: reverseModification,
    }),
  },
});
