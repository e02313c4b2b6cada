import { z } from 'zod';
import {
  addRemittance,
  RemittancePayment,
  payRemittance,
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
  principal_collected: amount.readonly(),
  interest_collected: amount.readonly(),
  fees_collected: amount.readonly(),
  other_collected: amount
    .readonly()
    .describe('Recoveries, transferred suspense and manual entries.'),
  collected: amount.readonly().describe('Negative if more was returned than collected.'),
  servicing_fee: fee.readonly(),
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
    remittance_id: uuid.readonly(),
    loan_id: uuid.readonly(),
    loan_number: z.string().readonly(),
    assignment_id: uuid.readonly(),
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
    period_start: date.readonly(),
    period_end: date
      .optional()
      .describe('The last day of a month with closed books. Default: the latest such month.'),
    loan_count: integer.readonly(),
    ...remittanceAmounts(moneySum, moneySum),
    amount_due: moneySum.readonly().describe('Collections minus the servicing fee.'),
    status: z.enum(['due', 'paid']).readonly(),
    journal_entry_id: uuid.nullable().readonly(),
    paid_on: date.nullable().readonly(),
    reference_number: text.nullable().readonly(),
    payment_entry_id: uuid.nullable().readonly(),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  filters: ['investor_id', 'period_start', 'period_end', 'status'],

  create: addRemittance,
  nested: { loans: nested(remittanceLoans, 'remittance_id', ['list']) },
  actions: {
    pay: action({
      allow: 'admin',
      summary: 'Record the payment of a remittance to the investor',
      description: 'If the amount due is negative, records a payment by the investor.',
      body: RemittancePayment,
      run: payRemittance,
    }),
  },
});
