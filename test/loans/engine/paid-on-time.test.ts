import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { ScheduleRow } from '../../../jobs/loans/arithmetic/amortize.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { START } from '../agreed/any-agreement.ts';
import { anyContract, fundedLoan } from '../any-contract.ts';

vi.setConfig({ testTimeout: 300_000 });

const paidAsAsked = (rows: readonly ScheduleRow[]): LoanEvent[] =>
  rows
    .filter(({ payment_amount }) => payment_amount !== '0.00')
    .map(({ due_date, payment_amount, period_number }) => ({
      id: `p${String(period_number).padStart(4, '0')}`,
      kind: 'payment',
      effective_date: due_date,
      amount: payment_amount,
    }));

test('a borrower who pays each installment on its due date owes nothing at the end', () => {
  fc.assert(
    fc.property(anyContract(60), (contract) => {
      const { terms, schedule, events: funding } = fundedLoan(contract);
      const events = [...funding, ...paidAsAsked(schedule)];
      const as_of = schedule.at(-1)?.due_date ?? START;

      const state = fold({ terms, schedule, events, as_of });

      expect(state.total_balance).toBe('0.00');
      expect(state.suspense_balance).toBe('0.00');
    }),
    { numRuns: Number(process.env['LIVES'] ?? 250) },
  );
});
