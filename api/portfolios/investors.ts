import { z } from 'zod';
import { monthStart } from '../../jobs/dates.ts';
import {
  addAssignment,
  ASSIGNMENT_STATUSES,
  changeAssignment,
  DECLINE_REASONS,
} from '../../jobs/portfolios/loan-assignment.ts';
import {
  addSettlementInstrument,
  changeSettlementInstrument,
} from '../../jobs/portfolios/settlement-instrument.ts';
import { addServicingFeeRate, changeInvestor } from '../../jobs/portfolios/servicing-fee.ts';
import { isRoutingNumber } from '../../jobs/routing-number.ts';
import * as tables from '../../sql/portfolios/investors.ts';
import { assignments as assignmentTable } from '../../sql/portfolios/loan-assignments.ts';
import { servicingFeeRates as servicingFeeRateTable } from '../../sql/portfolios/servicing-fee-rates.ts';
import {
  emailAddress,
  date,
  externalId,
  flag,
  integer,
  jsonObject,
  money,
  prose,
  rate,
  ratio,
  timestamps,
  text,
  timestamp,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import { nested, resource } from '../endpoints/resource.ts';
import { remittances } from './remittances.ts';

const resourceDefaults = { area: 'portfolios', read: 'viewer', write: 'admin' } as const;
const lastFour = z.string().regex(/^\d{4}$/, 'Must be exactly four digits.');

export const settlementInstruments = resource({
  ...resourceDefaults,
  name: 'SettlementInstrument',
  path: 'settlement-instruments',
  table: tables.settlementInstruments,
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    investor_id: uuid,
    instrument_type: z.enum(['bank_account', 'wire', 'check']).default('bank_account'),
    account_holder_name: text.nullish(),
    bank_name: text.nullish(),
    routing_number: z
      .string()
      .max(9)
      .refine(isRoutingNumber, 'Must be a valid routing number.')
      .nullish(),
    account_number_last_four: lastFour.nullish(),
    account_type: z.enum(['checking', 'savings', 'business_checking']).nullish(),
    swift_code: z
      .string()
      .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'Must be a SWIFT code.')
      .nullish(),
    is_primary: flag.default(false),
    is_active: flag.default(true),
    status: z.enum(['active', 'inactive', 'blocked']).default('active'),
    ...timestamps,
  },
  writeOnly: {
    account_number: z
      .string()
      .regex(/^\d{4,17}$/, 'Must be 4 to 17 digits.')
      .optional(),
  },
  fixed: ['investor_id'],
  filters: ['investor_id', 'instrument_type', 'is_primary', 'is_active', 'status'],

  four_eyes: { create: 'destinations', update: 'destinations' },

  create: addSettlementInstrument,
  update: changeSettlementInstrument,
});

export const loanAssignments = resource({
  ...resourceDefaults,
  name: 'LoanAssignment',
  path: 'loan-assignments',
  table: assignmentTable,
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    investor_id: uuid,
    loan_id: uuid,
    portfolio_id: uuid.nullish(),
    ownership_percentage: z
      .string()
      .regex(/^(0\.\d{1,4}|1(\.0{1,4})?)$/, 'Must be a fraction up to "1.0000".')
      .refine((value) => !/^0\.0+$/.test(value), 'Must be more than zero.')
      .default('1.0000'),
    assignment_type: z
      .enum(['whole_loan_sale', 'participation', 'pledge', 'buyback'])
      .default('whole_loan_sale'),
    effective_date: date.optional(),
    settlement_date: date.nullish(),
    end_date: date.nullish(),
    purchase_price: money.nullish(),
    purchase_price_ratio: ratio.nullish(),
    servicing_fee_rate: rate.nullish(),
    recourse: flag.default(false),
    status: z.enum(ASSIGNMENT_STATUSES).optional(),
    decline_reason: z.enum(DECLINE_REASONS).nullable().readonly(),
    settlement_instrument_id: uuid.nullish(),
    is_booked: flag
      .readonly()
      .describe(
        'Whether the loan was sold with its portfolio for a price. Such a loan is bought back the same way.',
      ),
    journal_entry_ids: z.array(uuid).readonly(),
    ...timestamps,
  },
  fixed: ['investor_id', 'loan_id', 'portfolio_id', 'assignment_type'],
  filters: ['investor_id', 'loan_id', 'portfolio_id', 'status', 'assignment_type'],

  example: () => ({ ownership_percentage: '0.5' }),
  create: addAssignment,
  update: changeAssignment,
});

export const servicingFeeRates = resource({
  ...resourceDefaults,
  name: 'ServicingFeeRate',
  path: 'servicing-fee-rates',
  table: servicingFeeRateTable,
  offers: [],
  sort: { field: 'from_date', descending: true },

  fields: {
    id: uuid.readonly(),
    investor_id: uuid,
    from_date: date.describe(
      'The first day of a month that has not been reported to the investor yet.',
    ),
    servicing_fee_rate: rate.describe('Annual rate, for all loans that the investor owns by then.'),
    created_by: uuid.nullable().readonly(),
    created_at: timestamp.readonly(),
  },
  filters: ['from_date'],

  example: (today) => ({ from_date: monthStart(today) }),
  create: addServicingFeeRate,
});

export const investors = resource({
  ...resourceDefaults,
  name: 'Investor',
  path: 'investors',
  table: tables.investors,
  offers: ['list', 'read', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    name: requiredText,
    investor_type: z
      .enum(['institutional', 'individual', 'fund', 'spv', 'bank', 'warehouse_lender', 'gse'])
      .default('institutional'),
    legal_name: text.nullish(),
    tax_id_last_four: lastFour.nullish(),
    contact_name: text.nullish(),
    contact_email: emailAddress.nullish(),
    contact_phone: text.max(40).nullish(),
    address: jsonObject.default({}),
    remittance_type: z
      .enum(['scheduled_scheduled', 'scheduled_actual', 'actual_actual'])
      .default('actual_actual'),
    remittance_frequency: z.enum(['daily', 'weekly', 'monthly']).default('monthly'),
    remittance_day: integer.min(1).max(31).nullish(),
    servicing_fee_rate: rate
      .default('0.005')
      .describe(
        'Annual rate at which loans are sold, unless `servicing-fee-rates` has one for the day.',
      ),
    is_active: flag.default(true),
    external_id: externalId.nullish(),
    notes: prose.nullish(),
    ...timestamps,
  },
  filters: ['name', 'investor_type', 'is_active', 'external_id'],

  update: changeInvestor,
  nested: {
    'settlement-instruments': nested(settlementInstruments, 'investor_id'),
    'loan-assignments': nested(loanAssignments, 'investor_id'),
    remittances: nested(remittances, 'investor_id'),
    'servicing-fee-rates': nested(servicingFeeRates, 'investor_id'),
  },
});
