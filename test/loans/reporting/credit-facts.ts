import type { CreditFacts } from '../../../sql/loans/reporting/credit-facts.ts';

export const other = (role: string, more: Partial<CreditFacts['co_consumers'][number]> = {}) => ({
  borrower_id: '0198a0c0-0000-7000-8000-000000000002',
  role,
  release_reason: null,
  borrower_type: 'individual',
  is_deceased: false,
  was_reported_deceased: false,
  legal: null,
  consumer: { surname: 'Lovelace' },
  ...more,
});

/** A loan of 10,000.00 over 36 months, paid as agreed until the end of April. */
export const FACTS: CreditFacts = {
  loan_id: '0198a0c0-0000-7000-8000-000000000001',
  loan_number: 'LN-2026-000001',
  reporting_period: '2026-04-30',
  status: 'active',
  loan_type: 'installment',
  portfolio_type: 'I',
  account_type: '01',
  date_opened: '2026-01-15',
  principal_amount: '10000.00',
  disbursed_amount: '10000.00',
  credit_limit: null,
  charge_off_amount: null,
  charge_off_date: null,
  term_months: 36,
  periods: 36,
  payment_frequency: 'monthly',
  payment_amount: '315.68',
  maturity_date: '2029-01-15',
  last_payment_date: '2026-04-15',
  closed_on: null,
  paid_in_month: '315.68',
  total_balance: '9301.99',
  charge_off_balance: '0.00',
  past_due_30_amount: '0.00',
  highest_balance: '0.00',
  previous_highest: null,
  days_past_due: 0,
  first_delinquency_date: null,
  first_delinquency_30_date: null,
  before_close: null,
  possession: null,
  is_information_blocked: false,
  is_payment_on_its_way: false,
  is_in_forbearance: false,
  suspends_reporting: false,
  is_in_disaster: false,
  compliance_condition_code: null,
  borrower_id: '0198a0c0-0000-7000-8000-000000000009',
  borrower_type: 'individual',
  is_deceased: false,
  was_reported_deceased: false,
  legal: null,
  consumer: {},
  co_consumers: [],
  previous_period: '2026-03-31',
  previous_status: '11',
  previous_profile: `00${'B'.repeat(22)}`,
  boarded_on: null,
  history_from: null,
  is_boarded_charged_off: false,
  boarded_delinquency_date: null,
  boarded_profile: null,
  previous_balance: '9547',
  previous_first_delinquency: null,
  was_current_since: false,
  was_reported_discharged: false,
};

/** The night before the loan was closed. */
export const before = (days_past_due: number, first: string | null) => ({
  status: 'active',
  days_past_due,
  is_paused: false,
  first_delinquency_date: first,
  first_delinquency_30_date: days_past_due < 30 ? null : first,
});
export const late = (days_past_due: number, past_due_30_amount: string) => ({
  days_past_due,
  past_due_30_amount,
  first_delinquency_date: '2026-02-15',
  first_delinquency_30_date: days_past_due < 30 ? null : '2026-03-15',
});
export const lost = {
  status: 'charged_off',
  charge_off_amount: '9000.49',
  charge_off_date: '2026-04-10',
  charge_off_balance: '8000.99',
  total_balance: '0.00',
};
export const gone = {
  total_balance: '0.00',
  closed_on: '2026-04-20',
  before_close: before(35, '2026-03-15'),
};
export const paidLoss = { ...lost, charge_off_balance: '0.00', closed_on: '2026-04-15' };
export const taken = (kind: string) => ({ possession: { kind, date: '2026-04-12' } });
export const line = {
  loan_type: 'line_of_credit',
  credit_limit: '5000.00',
  disbursed_amount: '1200.00',
};
export const every = (payment_frequency: string, periods: number) => ({
  payment_frequency,
  periods,
});

/** A field of the record, the facts behind it, and the value that the bureaus receive. */
export type Line = [field: string, what: string, facts: Partial<CreditFacts>, told: unknown];
