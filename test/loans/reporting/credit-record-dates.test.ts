import { expect, test } from 'vitest';
import { deriveCreditRecord } from '../../../jobs/loans/reporting/records/credit-record.ts';
import { FACTS, before, late, lost, gone, paidLoss, taken, type Line } from './credit-facts.ts';

const LINES: Line[] = [
  ['date_opened', 'a loan', {}, '2026-01-15'],
  ['date_closed', 'an open loan', {}, null],
  ['date_closed', 'a loan paid off', { ...gone, status: 'paid_off' }, '2026-04-20'],
  ['date_closed', 'a loan that went elsewhere', { ...gone, status: 'transferred' }, '2026-04-20'],
  ['date_closed', 'a charge-off that is open', lost, null],
  ['date_closed', 'a foreclosure', { ...taken('foreclosure'), portfolio_type: 'M' }, '2026-04-12'],
  ['date_closed', 'a charge-off paid', paidLoss, '2026-04-15'],
  ['date_of_account_information', 'an open loan', {}, '2026-04-30'],
  ['date_of_account_information', 'a loan paid off', { ...gone, status: 'paid_off' }, '2026-04-20'],
  ['date_of_account_information', 'a charge-off paid', paidLoss, '2026-04-15'],
  ['date_last_payment', 'a loan', {}, '2026-04-15'],
  ['date_first_delinquency', 'a loan on time', {}, null],
  ['date_first_delinquency', 'a loan 29 days late', late(29, '0.00'), null],
  ['date_first_delinquency', 'a loan 46 days late', late(46, '315.68'), '2026-03-15'],
  [
    'date_first_delinquency',
    'a charge-off, as it was told before',
    { ...lost, previous_first_delinquency: '2025-11-15', first_delinquency_30_date: '2026-03-15' },
    '2025-11-15',
  ],
  ['date_first_delinquency', 'a charge-off of a loan on time', lost, '2026-04-10'],
  [
    'date_first_delinquency',
    'a charge-off that was less than 30 days late',
    { ...lost, first_delinquency_date: '2026-03-25' },
    '2026-03-25',
  ],
  ['date_first_delinquency', 'a late loan paid off', { ...gone, status: 'paid_off' }, '2026-03-15'],
  [
    'date_first_delinquency',
    'a loan paid off less than 30 days late',
    { ...gone, status: 'paid_off', before_close: before(12, '2026-04-08') },
    null,
  ],
  [
    'date_first_delinquency',
    'a late loan that was transferred',
    { ...gone, status: 'transferred' },
    '2026-03-15',
  ],
  [
    'date_first_delinquency',
    'a repossession from a loan on time',
    taken('repossession'),
    '2026-04-12',
  ],
  [
    'date_first_delinquency',
    'a loan on time whose borrower is bankrupt',
    {
      legal: { conditions: [{ condition: 'stay_7', petition_date: '2026-04-03' }], effects: null },
    },
    '2026-04-03',
  ],
  [
    'date_first_delinquency',
    'a loan on time whose bankruptcy was dismissed',
    {
      legal: {
        conditions: [{ condition: 'dismissed_7', petition_date: '2026-04-03' }],
        effects: null,
      },
    },
    null,
  ],
  [
    'date_first_delinquency',
    'a late loan whose borrower is bankrupt',
    {
      ...late(46, '315.68'),
      legal: { conditions: [{ condition: 'stay_7', petition_date: '2026-04-03' }], effects: null },
    },
    '2026-03-15',
  ],
  [
    'date_first_delinquency',
    'a delinquency that began before boarding',
    { ...late(46, '315.68'), boarded_on: '2026-04-20', boarded_delinquency_date: '2026-01-15' },
    '2026-01-15',
  ],
  [
    'date_first_delinquency',
    'a delinquency that began before boarding, without its date',
    { ...late(46, '315.68'), boarded_on: '2026-04-20', history_from: '2026-04-20' },
    null,
  ],
  [
    'date_first_delinquency',
    'a delinquency that reached 30 days after boarding',
    { ...late(46, '315.68'), boarded_on: '2026-04-01', boarded_delinquency_date: '2025-01-15' },
    '2026-03-15',
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
];

test.each(LINES)('a credit record reports %s for %s', (field, _what, facts, told) => {
  expect(deriveCreditRecord({ ...FACTS, ...facts })).toHaveProperty(field, told);
});
