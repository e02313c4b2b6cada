import { describe, expect, test } from 'vitest';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { payment, stateOn } from '../fixtures.ts';

describe('a payment', () => {
  const lateFee: LoanEvent = {
    id: 'fee1',
    kind: 'fee',
    effective_date: '2026-02-01',
    amount: '25.00',
    fee_type: 'late',
  };

  test('pays fees, then interest, then principal', () => {
    const state = stateOn('2026-02-15', [lateFee, payment('p1', '2026-02-15', '315.68')]);

    expect(state).toMatchObject({
      principal_balance: '9781.51',
      accrued_interest: '0.00',
      outstanding_fees: '0.00',
      total_balance: '9781.51',
      oldest_unpaid_due_date: '2026-03-15',
      next_payment_date: '2026-03-15',
      next_payment_amount: '315.68',
      days_past_due: 0,
    });
    expect(state.allocations.slice(1)).toMatchObject([
      { component: 'fee', fee_id: 'fee1', amount: '25.00', rule: 'standard: fee' },
      { component: 'interest', amount: '72.19', balance_before: '72.19', balance_after: '0.00' },
      { component: 'principal', amount: '218.49', balance_after: '9781.51' },
    ]);
    expect(state.coverage).toEqual([{ event_id: 'p1', installment_number: 1, amount: '315.68' }]);
  });

  test('some days early pays the bill, and the excess repays principal', () => {
    const state = stateOn('2026-02-10', [payment('p1', '2026-02-10', '500.00')]);

    expect(state.oldest_unpaid_due_date).toBe('2026-03-15');
    expect(state.coverage).toEqual([{ event_id: 'p1', installment_number: 1, amount: '315.68' }]);
  });

  test('covers the next installment if the surplus is meant for it', () => {
    const state = stateOn('2026-02-10', [
      payment('p1', '2026-02-10', '500.00', { extra_payment_to: 'next_installment' }),
    ]);

    expect(state.coverage).toMatchObject([{ amount: '315.68' }, { amount: '184.32' }]);
    expect(state.next_payment_amount).toBe('131.36');
  });

  test('of extra principal pays no bill', () => {
    const state = stateOn('2026-02-16', [
      payment('p1', '2026-02-15', '500.00', { payment_type: 'extra_principal' }),
    ]);

    expect(state).toMatchObject({ days_past_due: 1, past_due_amount: '315.68', coverage: [] });
    expect(state.principal_balance).toBe('9572.19');
  });

  test('above the debt puts the rest into suspense and pays the loan off', () => {
    const state = stateOn('2026-02-20', [payment('p1', '2026-02-15', '11000.00')]);

    expect(state).toMatchObject({
      is_paid_off: true,
      total_balance: '0.00',
      suspense_balance: '927.81',
      oldest_unpaid_due_date: null,
      next_payment_date: null,
    });
  });

  test('that is reversed leaves no trace', () => {
    const reversal: LoanEvent = {
      id: 'x',
      kind: 'reversal',
      effective_date: '2026-02-20',
      reverses: 'p1',
    };

    const events = [payment('p1', '2026-02-15', '315.68'), reversal];

    expect(stateOn('2026-03-20', events)).toEqual(stateOn('2026-03-20', []));
  });

  test('is applied as a person specifies, up to what is owed', () => {
    const allocation_override = [{ component: 'principal' as const, amount: '300.00' }];
    const state = stateOn('2026-02-15', [
      payment('p1', '2026-02-15', '315.68', { allocation_override }),
    ]);

    expect(state).toMatchObject({ principal_balance: '9700.00', accrued_interest: '56.51' });
  });

  test('on a matured loan still leaves the last cents owed', () => {
    const state = stateOn('2029-02-15', [payment('p1', '2029-01-15', '11364.28')]);

    expect(state).toMatchObject({ oldest_unpaid_due_date: '2029-01-15', days_past_due: 31 });
    expect(state.past_due_amount).toBe(state.total_balance);
  });
});
