import type { Letter, MonthlyStatement } from '../../templates/documents.ts';

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
  recipient: { name: 'María O’Neil', address_lines: ['118 Congress Street, Apt 4', 'Portland, ME 04101'] },
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
    program_name: 'Personal instalment loan',
    interest_rate: '0.085',
    principal_balance: '9781.51',
    accrued_interest: '49.52',
    outstanding_fees: '25.00',
    maturity_date: '2029-01-15',
    remaining_payments: 34,
  },
  activity: [
    {
      date: '2026-03-04', description: 'Payment received, thank you', amount: '-315.68',
      principal: '-243.49', interest: '-72.19', fees: '0.00', balance: '9781.51',
    },
    { date: '2026-03-26', description: 'Late fee', amount: '25.00', fees: '25.00', balance: '9806.51' },
    { date: '2026-03-31', description: 'Interest for March', amount: '49.52', interest: '49.52', balance: '9856.03' },
  ],
  year_to_date: { year: '2026', principal: '486.12', interest: '145.24', fees: '0.00', total: '631.36' },
};
