import type { AdverseActionNotice, MonthlyStatement, PayoffLetter } from './documents.ts';
import type { Letter } from './letter.ts';

/** Sample data, so that a tenant can preview its wording before a borrower sees it. */
export const letter: Letter = {
  locale: 'en-US',
  currency: 'USD',
  tenant: {
    name: 'Harbor & Pine Lending',
    branding: {
      primary_color: '#14506b',
      support_email: 'help@harborpine.example',
      support_phone: '(800) 555-0142',
    },
    address_lines: ['P.O. Box 4410', 'Portland, ME 04101'],
    portal_url: 'https://my.harborpine.example',
  },
  recipient: {
    name: 'María O’Neil',
    address_lines: ['118 Congress Street, Apt 4', 'Portland, ME 04101'],
  },
  letter_date: '2026-03-31',
  loan_number: 'LN-0000042',
};

export const statement: MonthlyStatement = {
  ...letter,
  demands: true,
  bankruptcy: null,
  period_start: '2026-03-01',
  period_end: '2026-03-31',
  summary: {
    previous_balance: '10074.52',
    payments: '315.68',
    interest: '72.19',
    fees: '25.00',
    new_balance: '9856.03',
  },
  due: {
    next_due_date: '2026-04-15',
    amount_due: '656.36',
    regular_payment: '315.68',
    past_due: '315.68',
    fees: '25.00',
    days_past_due: 16,
    late_fee: { amount: '25.00', after: '2026-04-25' },
    autopay: null,
  },
  loan: {
    product_name: 'Personal loan',
    interest_rate: '0.085',
    principal_balance: '9758.84',
    accrued_interest: '72.19',
    outstanding_fees: '25.00',
    maturity_date: '2029-01-15',
    remaining_payments: 34,
  },
  activity: [
    {
      date: '2026-03-04',
      description: 'Payment received, thank you',
      amount: '-315.68',
      principal: '-243.49',
      interest: '-72.19',
      balance: '9758.84',
    },
    {
      date: '2026-03-26',
      description: 'Late fee',
      amount: '25.00',
      fees: '25.00',
      balance: '9783.84',
    },
    {
      date: '2026-03-31',
      description: 'Interest for March',
      amount: '72.19',
      interest: '72.19',
      balance: '9856.03',
    },
  ],
  year_to_date: {
    year: '2026',
    principal: '486.12',
    interest: '145.24',
    fees: '0.00',
    total: '631.36',
  },
  is_one_page: true,
  pay_to: { name: letter.tenant.name, address_lines: letter.tenant.address_lines },
  scan_line: 'LN0000042 0000065636 3',
};

export const adverse: AdverseActionNotice = {
  ...letter,
  application_date: '2026-03-20',
  requested_amount: '25000.00',
  reasons: ['Income insufficient for the amount of credit requested', 'Delinquent past credit'],
  credit_bureau: {
    name: 'Northern Credit Bureau',
    address: 'P.O. Box 100, Allen, TX 75013',
    phone: '(888) 555-0100',
  },
  credit_score: {
    score: 588,
    date: '2026-03-20',
    range_low: 300,
    range_high: 850,
    source: 'Northern Credit Bureau',
    key_factors: ['Number of recent inquiries', 'Proportion of balances to limits is too high'],
  },
  agency: {
    name: 'Federal Trade Commission, Equal Credit Opportunity',
    address: '600 Pennsylvania Avenue NW, Washington, DC 20580',
  },
};

export const payoff: PayoffLetter = {
  ...letter,
  quote_number: 'PQ-000017',
  good_through: '2026-04-10',
  payoff_amount: '9878.76',
  per_diem: '2.2726',
  principal: '9758.84',
  interest: '94.92',
  fees: '25.00',
  interest_rate: '0.085',
  pay_to: {
    name: 'Harbor & Pine Lending',
    address_lines: ['P.O. Box 4410', 'Portland, ME 04101'],
  },
  remittance_instructions: 'Wires to First Example Bank, routing number 211274450.',
  is_secured: true,
};
