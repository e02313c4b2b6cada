import type { TilaDisclosure } from '../../templates/disclosures.ts';
import type {
  AdverseActionNotice,
  CommunicationLetter,
  Form1099C,
  MonthlyStatement,
  PayoffLetter,
} from '../../templates/documents.ts';
import type { Letter } from '../../templates/letter.ts';

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

export const plainLetter: CommunicationLetter = {
  ...letter,
  subject: 'About your loan',
  body_html: '<p>Dear María O’Neil,</p><p>Your payment of $315.68 is due on April 15, 2026.</p>',
};
