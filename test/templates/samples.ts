import type { AccountOpeningDisclosure, TilaDisclosure } from '../../templates/disclosures.ts';
import type { CommunicationLetter, Form1099C } from '../../templates/documents.ts';
import { letter } from '../../templates/samples.ts';

export const tila: TilaDisclosure = {
  ...letter,
  apr: '0.09127',
  finance_charge: '1464.28',
  amount_financed: '9900.00',
  total_of_payments: '11364.28',
  payment_schedule: [
    { number: 35, amount: '315.68', first_due: '2026-02-15', every: 'monthly' },
    { number: 1, amount: '315.48', first_due: '2029-01-15', every: 'once' },
  ],
  itemization: {
    paid_to_borrower: '9900.00',
    paid_to_others: [],
    prepaid_finance_charge: '100.00',
  },
  late_charge: 'If a payment is more than 10 days late, you will be charged $25.00.',
  prepayment: 'If you pay off early, you will not have to pay a penalty.',
  security_interest: 'This loan is not secured.',
  interest_rate: '0.085',
  principal_amount: '10000.00',
};

export const form1099c: Form1099C = {
  ...letter,
  tax_year: '2026',
  creditor_name: 'Harbor & Pine Lending',
  creditor_address: 'P.O. Box 4410, Portland, ME 04101',
  creditor_phone: '(800) 555-0142',
  creditor_tin: '12-3456789',
  debtor_name: 'María O’Neil',
  debtor_address: '118 Congress Street, Apt 4, Portland, ME 04101',
  debtor_tin_last_four: '4321',
  account_number: 'LN-0000042',
  identifiable_event_date: '2026-03-15',
  amount_discharged: '4200.00',
  interest_included: null,
  debt_description: 'Personal loan',
  personally_liable: true,
  identifiable_event_code: 'F',
  fair_market_value: null,
};

export const lineOpening: AccountOpeningDisclosure = {
  ...letter,
  apr: '0.1999',
  credit_limit: '10000.00',
  available_credit: '9500.00',
  interest_rate: '0.1999',
  daily_rate: '0.00054767',
  days_of_year: '365',
  has_leap_years: true,
  is_daily: true,
  is_flat: false,
  has_grace: true,
  cycle: {
    due_days: 25,
    minimum: { percentage: '0.02', floor_amount: '25.00', plus_interest_and_fees: true },
  },
  plan: null,
  fees: {
    opening: [{ name: 'Annual fee', words: '$50.00' }],
    transactions: [],
    penalties: [{ name: 'Late fee', words: '$25.00' }],
    others: [],
  },
  prepayment: 'You may prepay at any time without a penalty.',
  security_interest: null,
};

export const plainLetter: CommunicationLetter = {
  ...letter,
  subject: 'About your loan',
  body_html: '<p>Dear María O’Neil,</p><p>Your payment of $315.68 is due on April 15, 2026.</p>',
};
