import { describe, expect, test } from 'vitest';
import { deriveCreditRecord } from '../../jobs/loans/reporting/credit-record.ts';
import type { CreditFacts } from '../../sql/loans/credit-facts.ts';

const other = (role: string, more: Partial<CreditFacts['co_consumers'][number]> = {}) => ({
  borrower_id: '0198a0c0-0000-7000-8000-000000000002',
  role,
  release_reason: null,
  borrower_type: 'individual',
  is_deceased: false,
  bankruptcy_status: null,
  consumer: { surname: 'Lovelace' },
  ...more,
});

/** A loan of 10,000.00 over 36 months, paid as agreed until the end of April. */
const FACTS: CreditFacts = {
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
  term_months: 36,
  periods: 36,
  payment_frequency: 'monthly',
  payment_amount: '315.68',
  last_payment_date: '2026-04-15',
  closed_on: null,
  paid_in_month: '315.68',
  total_balance: '9301.99',
  charge_off_balance: '0.00',
  past_due_30_amount: '0.00',
  days_past_due: 0,
  first_delinquency_date: null,
  before_close: null,
  is_information_blocked: false,
  is_in_forbearance: false,
  suspends_reporting: false,
  is_in_disaster: false,
  compliance_condition_code: null,
  borrower_type: 'individual',
  is_deceased: false,
  bankruptcy_status: null,
  consumer: {},
  co_consumers: [],
  previous_period: '2026-03-31',
  previous_status: '11',
  previous_profile: `00${'B'.repeat(22)}`,
  boarded_on: null,
  boarded_profile: null,
  previous_balance: '9547',
  previous_first_delinquency: null,
  was_current_since: false,
};

const late = (days_past_due: number, past_due_30_amount: string) => ({
  days_past_due,
  past_due_30_amount,
  first_delinquency_date: '2026-03-15',
});
const lost = {
  status: 'charged_off',
  charge_off_amount: '9000.49',
  charge_off_balance: '8000.99',
  total_balance: '0.00',
};
const gone = { total_balance: '0.00', closed_on: '2026-04-20', previous_status: '71' };
const line = { loan_type: 'line_of_credit', credit_limit: '5000.00', disbursed_amount: '1200.00' };
const every = (payment_frequency: string, periods: number) => ({ payment_frequency, periods });

type Line = [field: string, what: string, facts: Partial<CreditFacts>, told: unknown];

/** Each field of the record, the facts behind it, and the value that the bureaus receive. */
const LINES: Line[] = [
  ['reporting_period', 'a month', {}, '2026-04-30'],
  ['consumer_account_number', 'a loan', {}, 'LN-2026-000001'],
  ['consumer_account_number', 'a long number', { loan_number: '7'.repeat(40) }, '7'.repeat(30)],
  ['portfolio_type', 'a loan', {}, 'I'],
  ['portfolio_type', 'a line', line, 'C'],
  ['account_type', 'a loan', {}, '01'],
  ['account_type', 'a line', line, '15'],
  ['date_opened', 'a loan', {}, '2026-01-15'],
  ['date_closed', 'an open loan', {}, null],
  ['date_closed', 'a loan paid off', { ...gone, status: 'paid_off' }, '2026-04-20'],
  ['date_closed', 'a loan that went elsewhere', { ...gone, status: 'transferred' }, '2026-04-20'],
  ['date_closed', 'a charge-off that is open', lost, null],
  ['date_closed', 'a charge-off paid', { ...lost, charge_off_balance: '0.00' }, '2026-04-15'],
  ['date_last_payment', 'a loan', {}, '2026-04-15'],
  ['date_first_delinquency', 'a loan on time', {}, null],
  ['date_first_delinquency', 'a loan 29 days late', late(29, '0.00'), null],
  ['date_first_delinquency', 'a loan 46 days late', late(46, '315.68'), '2026-03-15'],
  [
    'date_first_delinquency',
    'a charge-off, as it was told before',
    { ...lost, previous_first_delinquency: '2025-11-15', first_delinquency_date: '2026-03-15' },
    '2025-11-15',
  ],
  [
    'date_first_delinquency',
    'a delinquency that began anew, though it was told of one before',
    {
      ...late(46, '315.68'),
      previous_first_delinquency: '2025-11-15',
      was_current_since: true,
    },
    '2026-03-15',
  ],
  [
    'date_first_delinquency',
    'one that turns out to have begun earlier',
    { ...late(46, '315.68'), previous_first_delinquency: '2026-04-15' },
    '2026-03-15',
  ],
  ['credit_limit', 'a loan', {}, null],
  ['credit_limit', 'a line', line, '5000'],
  ['highest_credit', 'a loan', {}, '10000'],
  ['original_charge_off_amount', 'a loan', {}, null],
  ['original_charge_off_amount', 'a charge-off', lost, '9000'],
  [
    'original_charge_off_amount',
    'a loan that was charged off later',
    { charge_off_amount: '9000.49' },
    null,
  ],
  ['terms_duration', '36 months', {}, '036'],
  ['terms_duration', 'a loan extended by a year', { periods: 48 }, '048'],
  ['terms_duration', 'a loan without a plan', { periods: null }, '036'],
  ['terms_duration', 'a line', line, 'LOC'],
  ['terms_duration', 'one payment', every('single', 1), '001'],
  ['terms_duration', '78 installments every other week', every('biweekly', 78), '036'],
  ['terms_duration', '22 weeks of 5 months', every('weekly', 22), '005'],
  ['terms_duration', '12 quarters', every('quarterly', 12), '036'],
  ['terms_frequency', 'months', {}, 'M'],
  ['terms_frequency', 'weeks', every('weekly', 156), 'W'],
  ['terms_frequency', 'two weeks', every('biweekly', 78), 'B'],
  ['terms_frequency', 'half months', every('semi_monthly', 72), 'E'],
  ['terms_frequency', 'quarters', every('quarterly', 12), 'Q'],
  ['terms_frequency', 'one payment', every('single', 1), 'P'],
  [
    'scheduled_monthly_payment',
    'a line that owes nothing',
    { ...line, total_balance: '0.00', payment_amount: '101.14' },
    '0',
  ],
  ['scheduled_monthly_payment', 'a loan', {}, '315'],
  ['scheduled_monthly_payment', 'two weeks', every('biweekly', 78), '683'],
  ['scheduled_monthly_payment', 'a loan paid off', { ...gone, status: 'paid_off' }, '0'],
  ['scheduled_monthly_payment', 'a charge-off', lost, '0'],
  ['actual_payment_amount', 'what came in', { paid_in_month: '515.99' }, '515'],
  ['current_balance', 'a loan, cents cut off', {}, '9301'],
  ['current_balance', 'a charge-off', lost, '8000'],
  ['current_balance', 'a loan paid off', { ...gone, status: 'paid_off' }, '0'],
  ['amount_past_due', 'a loan on time', {}, '0'],
  ['amount_past_due', 'a loan 29 days late', late(29, '315.68'), '0'],
  ['amount_past_due', 'a loan 46 days late', late(46, '315.68'), '315'],
  ['amount_past_due', 'a charge-off', lost, '8000'],
  ['amount_past_due', 'a loan settled', { ...gone, status: 'settled' }, '0'],
  ['account_status', '0 days', late(0, '0.00'), '11'],
  ['account_status', '29 days', late(29, '0.00'), '11'],
  ['account_status', '30 days', late(30, '1.00'), '71'],
  ['account_status', '60 days', late(60, '1.00'), '78'],
  ['account_status', '90 days', late(90, '1.00'), '80'],
  ['account_status', '120 days', late(120, '1.00'), '82'],
  ['account_status', '150 days', late(150, '1.00'), '83'],
  ['account_status', '180 days', late(180, '1.00'), '84'],
  ['account_status', 'a charge-off', lost, '97'],
  ['account_status', 'a charge-off paid', { ...lost, charge_off_balance: '0.00' }, '64'],
  ['account_status', 'a loan paid off', { ...gone, status: 'paid_off' }, '13'],
  ['account_status', 'a loan settled', { ...gone, status: 'settled' }, '13'],
  ['account_status', 'a loan that went elsewhere', { ...gone, status: 'transferred' }, '05'],
  ['payment_rating', 'an open loan', {}, null],
  ['payment_rating', 'a late loan paid off', { ...gone, status: 'paid_off' }, '1'],
  ['payment_history_profile', 'a month on time', {}, `000${'B'.repeat(21)}`],
  ['payment_history_profile', 'a month late', { previous_status: '71' }, `100${'B'.repeat(21)}`],
  [
    'payment_history_profile',
    'a lost month',
    { previous_period: '2026-02-28' },
    `D000${'B'.repeat(20)}`,
  ],
  ['special_comment', 'a loan', {}, null],
  ['special_comment', 'a loan settled', { ...gone, status: 'settled' }, 'AU'],
  ['special_comment', 'forbearance', { is_in_forbearance: true }, 'CP'],
  ['special_comment', 'a freeze for a disaster', { is_in_disaster: true }, 'AW'],
  ['compliance_condition_code', 'a dispute', { compliance_condition_code: 'XB' }, 'XB'],
  ['consumer_information_indicator', 'chapter 13', { bankruptcy_status: 'chapter_13_petition' }, 'D'],
  ['ecoa_code', 'one person', {}, '1'],
  ['ecoa_code', 'two who borrowed', { co_consumers: [other('co_borrower')] }, '2'],
  ['ecoa_code', 'one for whom another signs', { co_consumers: [other('co_signer')] }, '7'],
  [
    ...(['ecoa_code', 'one whose guarantor was released'] as const),
    { co_consumers: [other('guarantor', { release_reason: 'other' })] },
    '1',
  ],
  ['ecoa_code', 'a borrower who died', { is_deceased: true }, 'X'],
  ['ecoa_code', 'a company', { borrower_type: 'business' }, 'W'],
  ['interest_type_indicator', 'a loan', {}, 'F'],
];

describe('the credit record of a month', () => {
  test.each(LINES)('reports %s for %s', (field, _what, facts, told) => {
    expect(deriveCreditRecord({ ...FACTS, ...facts })).toHaveProperty(field, told);
  });

  test('has exactly these fields, plus the loan and its borrower', () => {
    const named = new Set(LINES.map(([field]) => field));

    const others = Object.keys(deriveCreditRecord(FACTS)).filter((field) => !named.has(field));

    expect(others).toEqual(['loan_id', 'consumer', 'co_consumers']);
  });
});

test.each([
  ['borrowed with them', 'co_borrower', {}, '2'],
  ['signed for them', 'co_signer', {}, '5'],
  ['guaranteed for them', 'guarantor', {}, '5'],
  ['has died', 'co_borrower', { is_deceased: true }, 'X'],
  ['was released', 'co_borrower', { release_reason: 'divorce' }, 'T'],
  ['never owed it', 'co_signer', { release_reason: 'entered_in_error' }, 'Z'],
])('a co-borrower who %s is reported next to the borrower', (_, role, more, ecoa_code) => {
  const { co_consumers } = deriveCreditRecord({
    ...FACTS,
    co_consumers: [other(role, { ...more, bankruptcy_status: 'chapter_7_petition' })],
  });

  expect(co_consumers).toMatchObject([
    { surname: 'Lovelace', ecoa_code, consumer_information_indicator: 'A' },
  ]);
});
