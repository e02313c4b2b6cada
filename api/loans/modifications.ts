import { z } from 'zod';
import {
  approveModification,
  cancelModification,
  changeModification,
  MODIFICATION_STATUSES,
  MODIFICATION_TYPES,
  addModification,
  rejectModification,
  reverseModification,
  BALANCE_TREATMENTS,
} from '../../jobs/loans/workouts/modifications.ts';
import { modifications as table } from '../../sql/loans/modifications.ts';
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

const REASONS = [
  ...(['hardship', 'scra', 'disaster', 'settlement', 'customer_request'] as const),
  ...(['error_correction', 'other'] as const),
] as const;
const months = integer.min(1).max(600);

export const modifications = resource({
  name: 'Modification',
  path: 'modifications',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    modification_type: z.enum(MODIFICATION_TYPES),
    effective_date: date.nullish(),
    reason: z.enum(REASONS).default('other'),
    reason_comment: prose.nullish(),
    new_interest_rate: rate.nullish(),
    new_term_months: months.nullish(),
    extend_months: months.nullish(),
    new_payment_amount: positiveMoney.nullish(),
    new_payment_day: integer.min(1).max(31).nullish(),
    new_maturity_date: date.nullish(),
    principal_forgiven: money.default('0.00'),
    capitalize_interest: flag.default(false),
    capitalize_fees: flag.default(false),
    capitalized_amount: money.readonly(),
    interest_treatment: z.enum(BALANCE_TREATMENTS).default('keep'),
    fee_treatment: z.enum(BALANCE_TREATMENTS).default('keep'),
    apply_immediately: flag.default(true),
    status: z.enum(MODIFICATION_STATUSES).default('pending'),
    previous_terms: ownJson.readonly(),
    new_terms: ownJson.readonly(),
    requested_by: uuid.nullable().readonly(),
    approved_by: uuid.nullable().readonly(),
    applied_at: timestamp.nullable().readonly(),
    document_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'modification_type', 'effective_date', 'new_interest_rate'] as const),
    ...(['new_term_months', 'extend_months', 'new_payment_amount', 'new_payment_day'] as const),
    ...(['new_maturity_date', 'principal_forgiven', 'capitalize_interest'] as const),
    ...(['capitalize_fees', 'interest_treatment', 'fee_treatment', 'apply_immediately'] as const),
  ],
  filters: ['loan_id', 'modification_type', 'status', 'effective_date', 'reason'],

  example: () => ({ modification_type: 'rate_change', new_interest_rate: '0.05' }),
  create: addModification,
  update: changeModification,
  remove: cancelModification,
  actions: {
    approve: action({
      allow: 'loan_officer',
      summary: 'Approve a modification',
      run: approveModification,
    }),
    reject: action({
      allow: 'loan_officer',
      summary: 'Reject a modification',
      run: rejectModification,
    }),
    reverse: action({
      allow: 'loan_officer',
      summary: 'Reverse a modification',
      run: reverseModification,
    }),
  },
});
