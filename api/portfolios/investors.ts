import { z } from 'zod';
import { monthStart } from '../../jobs/dates.ts';
import { legallyForbidden } from '../../jobs/cases/legally-allowed.ts';
import {
  addAssignment,
  ASSIGNMENT_STATUSES,
  ASSIGNMENT_TYPES,
  changeAssignment,
  DECLINE_REASONS,
  overAssigned,
  termsFinal,
  saleBooked,
} from '../../jobs/portfolios/loan-assignment.ts';
import {
  INVESTOR_TYPES,
  REMITTANCE_FREQUENCIES,
  REMITTANCE_TYPES,
} from '../../jobs/portfolios/investor-types.ts';
import {
  addSettlementInstrument,
  changeSettlementInstrument,
} from '../../jobs/portfolios/settlement-instrument.ts';
import {
  addServicingFeeRate,
  changeInvestor,
  monthRemitted,
  hasDatedRates,
} from '../../jobs/portfolios/servicing-fee.ts';
import { isRoutingNumber } from '../../jobs/banks/routing-number.ts';
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
  about: 'An account of an investor.',
  table: tables.settlementInstruments,
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    investor_id: uuid,
    instrument_type: z
      .enum(['bank_account', 'wire', 'check'])
      .default('bank_account')
      .describe('How the investor is paid.'),
    account_holder_name: text.nullish().describe('The name on the account.'),
    bank_name: text.nullish().describe('The bank.'),
    routing_number: z
      .string()
      .max(9)
      .refine(isRoutingNumber, 'Must be a valid routing number.')
      .nullish()
      .describe('The ABA routing number of nine digits.'),
    account_number_last_four: lastFour
      .nullish()
      .describe(
        'The last four digits of the account. Taken from `account_number` if that is given.',
      ),
    account_type: z
      .enum(['checking', 'savings', 'business_checking'])
      .nullish()
      .describe('The kind of account.'),
    swift_code: z
      .string()
      .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'Must be a SWIFT code.')
      .nullish()
      .describe('The SWIFT code of the bank, for wires abroad.'),
    is_primary: flag
      .default(false)
      .describe(
        'Makes it the primary account, instead of the present one. The first account is always primary.',
      ),
    is_active: flag.default(true).describe('Whether sales and assignments can name the account.'),
    status: z
      .enum(['active', 'inactive', 'blocked'])
      .default('active')
      .describe('The state of the account, for your records.'),
    ...timestamps,
  },
  writeOnly: {
    account_number: z
      .string()
      .regex(/^\d{4,17}$/, 'Must be 4 to 17 digits.')
      .optional()
      .describe('The full number. Only its last four digits are stored.'),
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
  about: "An investor's share of a loan.",
  table: assignmentTable,
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    investor_id: uuid.describe('The owner.'),
    loan_id: uuid.describe('The loan. Must be approved, active or charged off.'),
    portfolio_id: uuid
      .nullish()
      .describe('The portfolio with which the loan is sold, for your records.'),
    ownership_percentage: z
      .string()
      .regex(/^(0\.\d{1,4}|1(\.0{1,4})?)$/, 'Must be a fraction up to "1.0000".')
      .refine((value) => !/^0\.0+$/.test(value), 'Must be more than zero.')
      .default('1.0000')
      .describe('The share as a fraction. All shares of a loan together are at most 1.'),
    assignment_type: z
      .enum(ASSIGNMENT_TYPES)
      .default('whole_loan_sale')
      .describe('What the assignment is, for your records.'),
    effective_date: date
      .optional()
      .describe(
        'The first day of ownership. Default: the business date. An assignment with a later date is pending until then.',
      ),
    settlement_date: date
      .nullish()
      .describe(
        'The day at whose close ownership changes. Default: none, so `effective_date` decides.',
      ),
    end_date: date.nullish().describe('The last day of ownership.'),
    purchase_price: money.nullish().describe('The price paid for the share, for your records.'),
    purchase_price_ratio: ratio
      .nullish()
      .describe('The price divided by the principal, for your records.'),
    servicing_fee_rate: rate
      .nullish()
      .describe(
        "Annual servicing fee rate. Default: the investor's rate when the assignment settles.",
      ),
    recourse: flag
      .default(false)
      .describe('Whether the investor can return the loan, for your records.'),
    status: z
      .enum(ASSIGNMENT_STATUSES)
      .optional()
      .describe(
        'A pending assignment can be `canceled`, an active one `ended` or `bought_back`. The server sets the others.',
      ),
    decline_reason: z
      .enum(DECLINE_REASONS)
      .nullable()
      .readonly()
      .describe(
        'Why the loan was not sold when the sale settled: its status on that day, or `not_allowed` because of a law.',
      ),
    settlement_instrument_id: uuid.nullish().describe("The investor's account for the settlement."),
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
  conflicts: {
    create: () => [overAssigned('0.75'), legallyForbidden()],
    update: () => [termsFinal('active'), saleBooked()],
  },
  create: addAssignment,
  update: changeAssignment,
});

export const servicingFeeRates = resource({
  ...resourceDefaults,
  name: 'ServicingFeeRate',
  path: 'servicing-fee-rates',
  about: 'The servicing fee rate of an investor from a month on.',
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

  conflicts: { create: () => [monthRemitted()] },
  example: (today) => ({ from_date: monthStart(today) }),
  create: addServicingFeeRate,
});

export const investors = resource({
  ...resourceDefaults,
  name: 'Investor',
  path: 'investors',
  about: 'A buyer and owner of loans that you service.',
  table: tables.investors,
  offers: ['list', 'read', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name of the investor. Must be unique.'),
    investor_type: z
      .enum(INVESTOR_TYPES)
      .default('institutional')
      .describe('Classifies the investor.'),
    legal_name: text.nullish().describe('The registered name.'),
    tax_id_last_four: lastFour.nullish().describe('The last four digits of the taxpayer number.'),
    contact_name: text.nullish().describe('Who speaks for the investor.'),
    contact_email: emailAddress.nullish().describe('The email address of that person.'),
    contact_phone: text.max(40).nullish().describe('The phone number of that person.'),
    address: jsonObject.default({}).describe('The postal address, in the form of your choice.'),
    remittance_type: z
      .enum(REMITTANCE_TYPES)
      .default('actual_actual')
      .describe(
        'Whether principal and interest are agreed to be paid as scheduled or as collected. For your records: remittances contain what was collected.',
      ),
    remittance_frequency: z
      .enum(REMITTANCE_FREQUENCIES)
      .default('monthly')
      .describe('How often you agreed to pay. For your records: remittances are monthly.'),
    remittance_day: integer
      .min(1)
      .max(31)
      .nullish()
      .describe('The day of the month on which you agreed to pay, for your records.'),
    servicing_fee_rate: rate
      .default('0.005')
      .describe(
        'Annual rate at which loans are sold, unless `servicing-fee-rates` has one for the day.',
      ),
    is_active: flag.default(true).describe('Whether portfolios can be sold to the investor.'),
    external_id: externalId.nullish(),
    notes: prose.nullish().describe('Your notes.'),
    ...timestamps,
  },
  filters: ['name', 'investor_type', 'is_active', 'external_id'],

  conflicts: { update: () => [hasDatedRates()] },
  update: changeInvestor,
  nested: {
    'settlement-instruments': nested(settlementInstruments, 'investor_id'),
    'loan-assignments': nested(loanAssignments, 'investor_id'),
    remittances: nested(remittances, 'investor_id'),
    'servicing-fee-rates': nested(servicingFeeRates, 'investor_id'),
  },
});
