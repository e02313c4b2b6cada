import { z } from 'zod';
import {
  addRemittance,
  RemittancePayment,
  payRemittance,
  periodOpen,
  remittanceExists,
  alreadyPaid,
} from '../../jobs/portfolios/remittance.ts';
import * as tables from '../../sql/portfolios/remittances.ts';
import {
  date,
  integer,
  money,
  rate,
  signedMoney,
  timestamps,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { action, nested, resource } from '../endpoints/resource.ts';
import { moneySum } from '../endpoints/money-sum.ts';

const resourceDefaults = { area: 'portfolios', read: 'viewer', write: 'admin' } as const;

/** The collected amounts of one loan, or the totals. */
const remittanceAmounts = <Amount extends z.ZodType, Fee extends z.ZodType>(
  amount: Amount,
  fee: Fee,
) => ({
  principal_owned: amount
    .readonly()
    .describe('At the start of the period. The fee is based on it.'),
  principal_collected: amount.readonly().describe('The principal that was collected.'),
  interest_collected: amount.readonly().describe('The interest that was collected.'),
  fees_collected: amount.readonly().describe('The fees that were collected.'),
  other_collected: amount
    .readonly()
    .describe('Recoveries, transferred suspense and manual entries.'),
  collected: amount.readonly().describe('Negative if more was returned than collected.'),
  servicing_fee: fee.readonly().describe('Your fee for servicing.'),
});

export const remittanceLoans = resource({
  ...resourceDefaults,
  name: 'RemittanceLoan',
  path: 'remittance-loans',
  about: 'The part of a remittance that comes from one loan.',
  table: tables.remittanceLoans,
  offers: [],
  sort: { field: 'loan_number', descending: false },

  fields: {
    id: uuid.readonly(),
    remittance_id: uuid.readonly().describe('The remittance.'),
    loan_id: uuid.readonly(),
    loan_number: z.string().readonly().describe('The number of the loan.'),
    assignment_id: uuid.readonly().describe("The investor's share of the loan."),
    ...remittanceAmounts(signedMoney, money),
    servicing_fee_rate: rate.readonly().describe('Annual rate.'),
    created_at: timestamp.readonly(),
  },
  filters: ['loan_id', 'assignment_id'],
});

export const remittances = resource({
  ...resourceDefaults,
  name: 'Remittance',
  path: 'remittances',
  about: 'What you collected for an investor in a month, and what you owe for it.',
  table: tables.remittances,
  offers: ['list', 'read'],
  sort: { field: 'period_end', descending: true },

  fields: {
    id: uuid.readonly(),
    investor_id: uuid,
    period_start: date.readonly().describe('The first day of the month.'),
    period_end: date
      .optional()
      .describe('The last day of a month with closed books. Default: the latest such month.'),
    loan_count: integer.readonly().describe('How many loans it covers.'),
    ...remittanceAmounts(moneySum, moneySum),
    amount_due: moneySum.readonly().describe('Collections minus the servicing fee.'),
    status: z.enum(['due', 'paid']).readonly().describe('Whether it was paid.'),
    journal_entry_id: uuid.nullable().readonly().describe('The entry of the servicing fee.'),
    paid_on: date.nullable().readonly().describe('When it was paid.'),
    reference_number: text.nullable().readonly().describe("The bank's reference for the transfer."),
    payment_entry_id: uuid.nullable().readonly().describe('The entry of the payment.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  filters: ['investor_id', 'period_start', 'period_end', 'status'],

  conflicts: {
    create: () => [periodOpen('2026-01-31', '2025-12-31'), remittanceExists('2025-12-31')],
  },
  create: addRemittance,
  nested: { loans: nested(remittanceLoans, 'remittance_id', ['list']) },
  actions: {
    pay: action({
      allow: 'admin',
      summary: 'Record the payment of a remittance to the investor',
      description: 'If the amount due is negative, records a payment by the investor.',
      conflicts: () => [alreadyPaid()],
      body: RemittancePayment,
      run: payRemittance,
    }),
  },
});
