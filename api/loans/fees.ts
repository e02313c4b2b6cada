import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import {
  addFee,
  FeeWaiver,
  waiveFee,
  nothingToWaive,
  exceedsWaivable,
} from '../../jobs/loans/fees/fees.ts';
import {
  recordChanger,
  recordRefuser,
  immutableConflict,
  loanNotInService,
} from '../../jobs/loans/history/loan-records.ts';
import { FEE_TREATMENTS, FEE_TYPES } from '../../jobs/loans/products/fee-rules.ts';
import { fees as table } from '../../sql/loans/fees/fees.ts';
import {
  date,
  flag,
  freeText,
  integer,
  money,
  positiveMoney,
  prose,
  timestamps,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';
import { feesForgivenByLaw } from '../../jobs/loans/fees/forgiven-fees.ts';

export const fees = resource({
  name: 'Fee',
  path: 'fees',
  about: 'A fee that a borrower owes, assessed by a rule of the product or by your staff.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    fee_type: z
      .enum(FEE_TYPES)
      .describe('The type of the fee. Classifies it; the amount is owed regardless of the type.'),
    description: freeText.nullish().describe('A text for the fee.'),
    amount: positiveMoney.describe('The amount of the fee.'),
    amount_paid: money.readonly().describe('What was paid on it.'),
    amount_waived: money.readonly().describe('What was waived.'),
    outstanding_amount: derivedFrom(
      money.readonly(),
      ...(['fees.amount', 'fees.amount_paid', 'fees.amount_waived'] as const),
    ).describe('What is still owed.'),
    assessed_date: date.readonly().describe('The business date on which it was assessed.'),
    effective_date: date
      .nullish()
      .describe(
        'The first day on which the fee is owed. Default: the business date. Must not be in the future.',
      ),
    due_date: date
      .nullish()
      .describe('A date to show with the fee. The fee is owed from `effective_date` on.'),
    installment_number: integer
      .nullable()
      .readonly()
      .describe('The late installment that caused it.'),
    payment_id: uuid.nullable().readonly().describe('The payment that caused it.'),
    draw_id: uuid.nullable().readonly().describe('The draw that caused it.'),
    fee_rule_id: uuid
      .nullable()
      .readonly()
      .describe('The rule of the product that caused it. Null for a fee of your staff.'),
    treatment: z
      .enum(FEE_TREATMENTS)
      .readonly()
      .describe(
        'How the fee is charged: due immediately (`upfront`), `deducted` from the proceeds, `capitalized` into the principal, or `amortized` over the installments.',
      ),
    status: z
      .enum(['assessed', 'partially_paid', 'paid', 'waived', 'reversed'])
      .readonly()
      .describe('How much of it was paid or waived.'),
    is_capitalized: flag.readonly().describe('Whether it was added to the principal.'),
    waived_at: timestamp.nullable().readonly().describe('When it was waived.'),
    waived_by: uuid.nullable().readonly().describe('The user who waived it.'),
    waive_reason: derivedFrom(
      prose.nullable().readonly().describe('Why it was waived.'),
      'cases.facts',
    ),
    journal_entry_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'fee_type', 'amount', 'effective_date'],
  filters: ['loan_id', 'borrower_id', 'fee_type', 'status', 'assessed_date'],

  example: () => ({ fee_type: 'other', amount: '10.00' }),
  conflicts: {
    create: () => [
      loanNotInService({ status: 'paid_off', blockers: {} }),
      feesForgivenByLaw({ current_status: 'active' }),
    ],
    update: () => [immutableConflict('fee', 'assessed')],
    delete: () => [immutableConflict('fee', 'assessed')],
  },
  create: addFee,
  update: recordChanger({ table: 'fees', noun: 'fee', cancelable: [] }),
  remove: recordRefuser('fee'),
  actions: {
    waive: action({
      allow: 'loan_officer',
      summary: 'Waive a fee',
      description:
        'Waives all or part of it as of its assessment date. Money that already paid the fee is reapplied to other amounts due. Answers 409 if nothing is left to waive.',
      conflicts: () => [
        nothingToWaive(),
        exceedsWaivable({ outstanding_amount: '15.00', waivable_amount: '25.00' }),
      ],
      body: FeeWaiver,
      run: waiveFee,
    }),
  },
});
