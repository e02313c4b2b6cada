import { describe, expect, test } from 'vitest';
import { deriveCreditRecord } from '../../../jobs/loans/reporting/records/credit-record.ts';
import {
  other,
  FACTS,
  before,
  late,
  lost,
  gone,
  paidLoss,
  taken,
  line,
  every,
  type Line,
} from './credit-facts.ts';

const mortgage = { portfolio_type: 'M' };

const LINES: Line[] = [
  ['reporting_period', 'a month', {}, '2026-04-30'],
  ['consumer_account_number', 'a loan', {}, 'LN-2026-000001'],
  ['consumer_account_number', 'a long number', { loan_number: '7'.repeat(40) }, '7'.repeat(30)],
  ['portfolio_type', 'a loan', {}, 'I'],
  ['portfolio_type', 'a line', line, 'C'],
  ['account_type', 'a loan', {}, '01'],
  ['account_type', 'a line', line, '15'],
  ['credit_limit', 'a loan', {}, null],
  ['credit_limit', 'a line', line, '5000'],
  ['highest_credit', 'a loan', {}, '10000'],
  ['highest_credit', 'a line', { ...line, highest_balance: '950.20' }, '950'],
  [
    'highest_credit',
    'a line that used more before',
    { ...line, highest_balance: '950.20', previous_highest: '1100' },
    '1100',
  ],
  ['original_charge_off_amount', 'a loan', {}, null],
  ['original_charge_off_amount', 'a charge-off', lost, '9000'],
  [
    'original_charge_off_amount',
    'a charge-off settled',
    { ...gone, status: 'settled', charge_off_amount: '9000.49' },
    '9000',
  ],
  ['terms_duration', '36 months', {}, '036'],
  ['terms_duration', 'a loan extended by a year', { periods: 48 }, '048'],
  ['terms_duration', 'a loan without a plan', { periods: null }, '036'],
  ['terms_duration', 'a line', line, 'LOC'],
  ['terms_duration', 'one payment', every('single', 1), '001'],
  ['terms_duration', 'a mortgage, in years', { portfolio_type: 'M', periods: 360 }, '030'],
  ['terms_duration', 'an open account', { portfolio_type: 'O' }, '001'],
  ['terms_duration', 'a revolving account', { portfolio_type: 'R' }, 'REV'],
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
  ['scheduled_monthly_payment', 'half months', every('semi_monthly', 72), '631'],
  ['scheduled_monthly_payment', 'weeks', every('weekly', 156), '1367'],
  ['scheduled_monthly_payment', 'quarters', every('quarterly', 12), '105'],
  ['scheduled_monthly_payment', 'one payment that is due later', every('single', 1), '0'],
  [
    'scheduled_monthly_payment',
    'one payment that is due in the month',
    { ...every('single', 1), maturity_date: '2026-04-25' },
    '315',
  ],
  ['scheduled_monthly_payment', 'an open account', { portfolio_type: 'O' }, '0'],
  ['scheduled_monthly_payment', 'a loan in its last month', { maturity_date: '2026-04-15' }, '315'],
  [
    'scheduled_monthly_payment',
    'a loan after its last month',
    { maturity_date: '2026-03-15' },
    '315',
  ],
  [
    'scheduled_monthly_payment',
    'a loan after its last month that owes less than an installment',
    { maturity_date: '2026-03-15', total_balance: '99.80', paid_in_month: '50.30' },
    '150',
  ],
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
  ['amount_past_due', 'a late loan that was transferred', { ...gone, status: 'transferred' }, '0'],
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
  ['account_status', 'a charge-off paid', paidLoss, '64'],
  [
    'account_status',
    'a charge-off settled',
    { ...gone, status: 'settled', charge_off_amount: '9000.49' },
    '64',
  ],
  ['account_status', 'a loan paid off', { ...gone, status: 'paid_off' }, '13'],
  ['account_status', 'a loan settled', { ...gone, status: 'settled' }, '13'],
  ['account_status', 'a late loan transferred', { ...gone, status: 'transferred' }, '71'],
  [
    'account_status',
    'a charge-off transferred',
    { ...gone, status: 'transferred', charge_off_amount: '9000.49' },
    '97',
  ],
  ['account_status', 'a repossession', taken('repossession'), '96'],
  ['account_status', 'a surrender', taken('voluntary_surrender'), '95'],
  ['account_status', 'a foreclosure', { ...taken('foreclosure'), ...mortgage }, '94'],
  ['account_status', 'a foreclosure of an installment loan', taken('foreclosure'), '11'],
  ['account_status', 'a deed in lieu', { ...taken('deed_in_lieu'), ...mortgage }, '89'],
  ['account_status', 'a repossession charged off', { ...lost, ...taken('repossession') }, '97'],
  [
    'account_status',
    'a repossession paid',
    { ...gone, status: 'paid_off', ...taken('repossession') },
    '63',
  ],
  [
    'account_status',
    'a surrender paid',
    { ...gone, status: 'paid_off', ...taken('voluntary_surrender') },
    '61',
  ],
  [
    'account_status',
    'a foreclosure paid',
    { ...gone, status: 'paid_off', ...taken('foreclosure'), ...mortgage },
    '65',
  ],
  ['payment_rating', 'an open loan', {}, null],
  ['payment_rating', 'a late loan paid off', { ...gone, status: 'paid_off' }, '1'],
  [
    'payment_rating',
    'a loan paid off on the day it became 30 days late',
    { ...gone, status: 'paid_off', before_close: before(29, '2026-03-21') },
    '1',
  ],
  [
    'payment_rating',
    'a loan paid off while its days were paused',
    { ...gone, status: 'paid_off', before_close: { ...before(29, '2026-03-21'), is_paused: true } },
    '0',
  ],
  [
    'payment_rating',
    'a loan paid off without a close before it',
    { ...gone, status: 'paid_off', before_close: null, previous_status: '78' },
    '2',
  ],
  [
    'payment_rating',
    'a surrender',
    { ...late(46, '315.68'), ...taken('voluntary_surrender') },
    '1',
  ],
  ['payment_rating', 'a repossession', taken('repossession'), null],
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
  ['special_comment', 'a loan that went elsewhere', { ...gone, status: 'transferred' }, 'O'],
  [
    'special_comment',
    'a line that went elsewhere',
    { ...gone, ...line, status: 'transferred' },
    'AT',
  ],
  ['special_comment', 'forbearance', { is_in_forbearance: true }, 'CP'],
  ['special_comment', 'a freeze for a disaster', { is_in_disaster: true }, 'AW'],
  ['compliance_condition_code', 'a dispute', { compliance_condition_code: 'XB' }, 'XB'],
  [
    'consumer_information_indicator',
    'chapter 13',
    {
      legal: { conditions: [{ condition: 'stay_13', petition_date: '2026-04-03' }], effects: null },
    },
    'D',
  ],
  ['ecoa_code', 'one person', {}, '1'],
  ['ecoa_code', 'two who borrowed', { co_consumers: [other('co_borrower')] }, '2'],
  ['ecoa_code', 'one for whom another signs', { co_consumers: [other('co_signer')] }, '7'],
  [
    ...(['ecoa_code', 'one whose guarantor was released'] as const),
    { co_consumers: [other('guarantor', { release_reason: 'other' })] },
    '1',
  ],
  ['ecoa_code', 'a borrower who died', { is_deceased: true }, 'X'],
  [
    'ecoa_code',
    'the co-borrower of one who was reported deceased',
    { is_deceased: true, was_reported_deceased: true, co_consumers: [other('co_borrower')] },
    '1',
  ],
  ['ecoa_code', 'a company', { borrower_type: 'business' }, 'W'],
  ['interest_type_indicator', 'a loan', {}, 'F'],
  ['suppression_reason', 'a loan', {}, null],
  ['suppression_reason', 'forbearance', { suspends_reporting: true }, 'forbearance'],
  [
    'suppression_reason',
    'a block for identity theft',
    { is_information_blocked: true },
    'identity_theft_block',
  ],
  [
    'suppression_reason',
    'a borrower who was reported deceased',
    { is_deceased: true, was_reported_deceased: true },
    'reported_deceased',
  ],
  [
    'suppression_reason',
    'a charge-off that was boarded without its first delinquency',
    { ...lost, boarded_on: '2026-04-15', is_boarded_charged_off: true },
    'first_delinquency_unknown',
  ],
];

describe('the credit record of a month', () => {
  test.each(LINES)('reports %s for %s', (field, _what, facts, told) => {
    expect(deriveCreditRecord({ ...FACTS, ...facts })).toHaveProperty(field, told);
  });

  test('has exactly these fields, plus the loan and its borrower', () => {
    const named = new Set(LINES.map(([field]) => field));

    const others = Object.keys(deriveCreditRecord(FACTS)).filter(
      (field) => !named.has(field) && !field.startsWith('date_'),
    );

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
    co_consumers: [
      other(role, {
        ...more,
        legal: {
          conditions: [{ condition: 'stay_7', petition_date: '2026-04-03' }],
          effects: null,
        },
      }),
    ],
  });

  expect(co_consumers).toMatchObject([
    { surname: 'Lovelace', ecoa_code, consumer_information_indicator: 'A' },
  ]);
});
