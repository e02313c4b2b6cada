import { expect, test } from 'vitest';
import { nextAutopayDueDate } from '../../jobs/loans/history/autopay/autopay-dates.ts';

const loan = {
  total_balance: '100.00',
  is_accelerated: false,
  maturity_date: '2026-03-15',
  installments: [{ due_date: '2026-03-15', status: 'upcoming' }],
};
const plan = { day_of_month: null, days_before_due: 0, end_date: null };

test.each(['on_due_date', 'monthly', 'weekly', 'semi_monthly', 'biweekly'])(
  'the search for the next %s date ends, even if the plan begins on the last day that there is',
  (frequency) => {
    const begins = { ...plan, frequency, start_date: '9999-12-31', drawn_through: '2026-01-01' };
    const drawn = { ...plan, frequency, start_date: '9999-12-01', drawn_through: '9999-12-31' };

    expect([null, '9999-12-31']).toContain(nextAutopayDueDate(begins, loan));
    expect(nextAutopayDueDate(drawn, loan)).toBeNull();
  },
);
