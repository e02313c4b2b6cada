import { z } from 'zod';
import { uuid } from '../../../sql/types.ts';
import { TRANSACTION_TYPES } from '../../loans/boarding/history-input.ts';
import { EVENT_KINDS } from '../../loans/engine/events.ts';
import { bookFile, optional, required } from './columns.ts';
import * as kinds from './kinds.ts';
import { borrowerId } from './borrower-files.ts';
import { loanNumber } from './loan-files.ts';
import { RECORD_KINDS } from './own-records.ts';

export const history = bookFile(
  'A transaction of a loan at the previous servicer.',
  {
    loan_number: loanNumber,
    transaction_id: required(kinds.line(100), 'Your id of the transaction, unique for the loan.'),
    date: required(kinds.date, 'The day from which it counts.'),
    type: required(
      kinds.choice(TRANSACTION_TYPES),
      'What happened. `settlement`: you forgave what was left after the payments of this day.',
    ),
    amount: optional(
      kinds.money,
      'The amount, never negative: the type gives the direction. For a `modification`, the new installment. Not used for `rate_change`, `deferment`, `settlement` and `note`.',
    ),
    principal: optional(
      kinds.signedMoney,
      'The part of a payment that the old system applied to principal. For comparison only.',
    ),
    interest: optional(kinds.signedMoney, 'The part applied to interest. For comparison only.'),
    fees: optional(kinds.signedMoney, 'The part applied to fees. For comparison only.'),
    reverses: optional(
      kinds.line(100),
      'The `transaction_id` that a `payment_reversal` or a `fee_waiver` undoes. Can be left out if only one fits.',
    ),
    rate: optional(
      kinds.rate,
      'The new annual rate as a fraction, for `rate_change` and `modification`.',
    ),
    until: optional(kinds.date, 'The new last due date, for a `modification`.'),
    count: optional(
      kinds.wholeNumber(1, 600),
      'How many installments: those skipped by a `deferment`, those left after a `modification`.',
    ),
    description: optional(kinds.prose, 'The text that staff and borrower see.'),
  },
  { key: ['loan_number', 'transaction_id'] },
);

export const events = bookFile(
  "An event of a loan, verbatim from this platform's export.",
  {
    loan_number: loanNumber,
    event_id: required(kinds.textOf(uuid), 'The id of the event. The import gives a new one.'),
    recorded_on: required(kinds.date, 'The business date on which it was recorded.'),
    recorded_at: optional(kinds.timestamp, 'The time at which it was recorded.'),
    effective_date: required(kinds.date, 'The day from which it counts.'),
    kind: required(kinds.choice(EVENT_KINDS), 'The kind of event.'),
    facts: required(kinds.json(z.record(z.string(), z.unknown())), 'Its facts as JSON.'),
    is_replayed: optional(
      kinds.flag,
      'Whether it was itself replayed from an earlier servicer. Default: false.',
    ),
  },
  { key: ['event_id'], is_own_export: true },
);

export const schedules = bookFile(
  'An installment of the stored schedule of a loan.',
  {
    loan_number: loanNumber,
    period_number: required(kinds.wholeNumber(1, 10_000), 'The number of the installment.'),
    due_date: required(kinds.date, 'When it is due.'),
    payment_amount: required(kinds.money, 'The installment.'),
    principal_amount: required(kinds.money, 'The principal in it.'),
    interest_amount: required(kinds.money, 'The interest in it.'),
    fees_amount: optional(kinds.money, 'The fees in it. Default: 0.00.'),
    beginning_balance: required(kinds.money, 'The principal before it.'),
    ending_balance: required(kinds.money, 'The principal after it.'),
    days_in_period: required(kinds.wholeNumber(0, 36_500), 'The days of its period.'),
    paid_amount: optional(kinds.money, 'The amount paid so far.'),
    paid_date: optional(kinds.date, 'When it was paid in full.'),
  },
  { key: ['loan_number', 'period_number'], is_own_export: true },
);

export const records = bookFile(
  'A record that no other file has, such as a forbearance, a payment plan or a scheduled payment.',
  {
    record_id: required(kinds.textOf(uuid), 'The id of the record. The import gives a new one.'),
    loan_number: optional(kinds.line(50), 'The loan that it belongs to.', { refers_to: 'loans' }),
    borrower_external_id: optional(borrowerId, 'The borrower that it belongs to.', {
      refers_to: 'borrowers',
    }),
    kind: required(kinds.choice(RECORD_KINDS), 'What it is.'),
    facts: required(kinds.json(z.record(z.string(), z.unknown())), 'Its columns as JSON.'),
  },
  { key: ['kind', 'record_id'], is_own_export: true },
);
