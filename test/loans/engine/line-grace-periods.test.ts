import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { closedThrough, drawn, LINE, OPENED, paid, stateOn, undone } from '../line-fixtures.ts';

/** 3,650.00 drawn on January 15. The statement of February 16 is due on March 13. */
const GRACE = { ...LINE, grace_on_purchases: true };

const onDay = (day: string, events = [OPENED], terms = GRACE) =>
  stateOn(day, closedThrough(addDays(day, -1), events, terms), terms);

test('draws bear no interest while each statement is paid in full by its due date', () => {
  const whole = paid('p', '2026-03-13', '3650.00');
  const again = drawn('d1', '2026-03-20', '400.00');

  const billed = onDay('2026-02-16');
  const kept = onDay('2026-05-05', [OPENED, whole, again, paid('q', '2026-05-01', '400.00')]);

  expect(billed).toMatchObject({
    total_balance: '3650.00',
    interest_free_balance: '3650.00',
    is_accruing: false,
    next_payment_amount: '36.50',
  });
  expect(kept).toMatchObject({ interest_earned: '0.00', total_balance: '0.00' });
});

test('a borrower who pays less pays interest on the rest from the next day, and none for earlier days', () => {
  const part = paid('p', '2026-03-10', '3000.00');
  const later = drawn('d1', '2026-03-05', '100.00');

  const dueDay = onDay('2026-03-14', [OPENED, later, part]);
  const after = onDay('2026-03-24', [OPENED, later, part]);

  expect(dueDay).toMatchObject({ accrued_interest: '0.00', interest_free_balance: '0.00' });
  // Ten days of 750.00, which is 0.4110 a day.
  expect(after).toMatchObject({ accrued_interest: '4.11', principal_balance: '750.00' });
});

test('the grace period returns with the first statement paid in full, until that payment bounces', () => {
  const first = [OPENED, paid('p', '2026-03-10', '2900.00')];
  const { cycle } = onDay('2026-03-16', first);
  const second = paid('q', '2026-04-05', cycle?.statement_remainder ?? '');
  const events = [...first, second, drawn('d1', '2026-04-06', '100.00')];

  const regained = onDay('2026-04-08', events);
  const bounced = onDay('2026-04-08', [...events, undone('r', '2026-04-07', 'q')]);
  const late = onDay('2026-04-14', [
    ...first,
    { ...second, effective_date: '2026-04-11' },
    drawn('d1', '2026-04-12', '100.00'),
  ]);

  // The statement includes two days of 750.00.
  expect(cycle?.statement_remainder).toBe('750.82');
  expect(regained).toMatchObject({ interest_free_balance: '100.00' });
  expect(bounced).toMatchObject({ interest_free_balance: '0.00', principal_balance: '850.00' });
  expect(late).toMatchObject({ interest_free_balance: '0.00' });
});

test('a statement due on the last day of the next cycle may be paid until then', () => {
  const terms = { ...GRACE, cycle_day: 28, payment_due_days: 27 };
  const opened = drawn('d0', '2026-02-01', '3650.00');

  const unpaid = onDay('2026-04-03', [opened], terms);
  const whole = onDay('2026-04-03', [opened, paid('p', '2026-03-28', '3650.00')], terms);

  // Due on March 28: five days of 2.00 from March 29 on.
  expect(unpaid).toMatchObject({ accrued_interest: '10.00', interest_free_balance: '0.00' });
  expect(whole).toMatchObject({ total_balance: '0.00' });
});

test('a credit towards the statement counts as paid, and payments repay interest-bearing balances first', () => {
  const credit = { id: 's', kind: 'service_credit', effective_date: '2026-03-01' } as const;
  const given = { ...credit, amount: '50.00', apply_to: 'principal' } as const;
  const rest = paid('p', '2026-03-02', '3600.00');

  const credited = onDay('2026-03-20', [OPENED, given, rest, drawn('d1', '2026-03-03', '80.00')]);
  const mixed = onDay('2026-04-20', [
    OPENED,
    paid('p', '2026-03-20', '3000.00'),
    paid('q', '2026-04-01', '664.96'),
    drawn('d1', '2026-04-02', '200.00'),
    paid('x', '2026-04-18', '150.00'),
  ]);

  expect(credited).toMatchObject({ interest_free_balance: '80.00', interest_earned: '0.00' });
  // 1.39 of the first draw and two cents of its interest are paid before the second draw.
  expect(mixed).toMatchObject({ interest_free_balance: '51.41', principal_balance: '51.41' });
});
