import { expect, test } from 'vitest';
import { EarlierTransaction } from '../../../jobs/loans/boarding/history-input.ts';
import { translateHistory } from '../../../jobs/loans/boarding/translate-history.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import { completeTerms, type Terms } from '../../../jobs/loans/arithmetic/terms.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { newEvent } from '../../../jobs/loans/history/new-event.ts';
import { LINE } from '../line-fixtures.ts';

const TERMS = completeTerms({ interest_rate: '0.12', term_months: 12, payment_day: 15 });
const LENT = '2026-01-15';

function startOf(terms: Terms = TERMS, today = '2026-09-01') {
  const isLine = terms.loan_type === 'line_of_credit';
  const schedule = isLine
    ? []
    : buildSchedule({ ...terms, principal: '1200.00', number_of_payments: 12, start_date: LENT });
  const principal_balance = isLine ? '0.00' : '1200.00';
  const boarding = newEvent({
    kind: 'boarding',
    effective_date: LENT,
    principal_balance,
    paid_through_date: '2026-01-14',
  });
  return { terms, schedule, boarding, today };
}

const rowsOf = (...rows: Record<string, unknown>[]) =>
  rows.map((row, index) => EarlierTransaction.parse({ transaction_id: `T${index + 1}`, ...row }));

const translate = (...rows: Record<string, unknown>[]) =>
  translateHistory(rowsOf(...rows), startOf());

const factsOf = ({ events }: ReturnType<typeof translateHistory>) =>
  events.map(({ event: { id: _, is_replayed: __, ...facts } }) => facts);

const refusalsOf = (...rows: Record<string, unknown>[]) =>
  translate(...rows).refusals.map(({ transaction_id, column, reason }) => [
    transaction_id,
    column,
    reason,
  ]);

test('payments, fees and rate changes become events in the order of their dates', () => {
  const translated = translate(
    { date: '2026-03-16', type: 'payment', principal: '90.00', interest: '16.62' },
    { date: '2026-02-15', type: 'payment', amount: '106.62' },
    { date: '2026-03-01', type: 'rate_change', rate: '0.1' },
    { date: '2026-03-02', type: 'fee', amount: '5.00', description: 'Copies' },
    { date: '2026-03-03', type: 'note', description: 'Called.' },
  );

  expect(translated.refusals).toEqual([]);
  expect(factsOf(translated)).toMatchObject([
    { kind: 'payment', effective_date: '2026-02-15', amount: '106.62', payment_type: 'regular' },
    { kind: 'rate_change', interest_rate: '0.1' },
    { kind: 'fee', amount: '5.00', fee_type: 'other' },
    { kind: 'payment', effective_date: '2026-03-16', amount: '106.62' },
  ]);
});

test('a late fee belongs to the latest installment that is late and has none', () => {
  const translated = translate(
    { date: '2026-02-26', type: 'late_fee', amount: '10.00' },
    { date: '2026-03-20', type: 'late_fee', amount: '10.00' },
    { date: '2026-03-21', type: 'late_fee', amount: '10.00' },
  );

  expect(factsOf(translated)).toMatchObject([
    { installment_number: 1 },
    { installment_number: 2 },
    { fee_type: 'late' },
  ]);
  expect(factsOf(translated)[2]).not.toHaveProperty('installment_number');
});

test('reversals and waivers find what they undo', () => {
  const { events, refusals } = translate(
    { date: '2026-02-15', type: 'payment', amount: '100.00' },
    { date: '2026-02-16', type: 'payment', amount: '106.62' },
    { date: '2026-02-20', type: 'payment_reversal', reverses: 'T2' },
    { date: '2026-02-26', type: 'late_fee', amount: '10.00' },
    { date: '2026-03-01', type: 'fee_waiver', amount: '4.00' },
    { date: '2026-03-02', type: 'payment_reversal', amount: '100.00' },
  );
  const [first, second, reversal, fee, waiver, other] = events.map(({ event }) => event);

  expect(refusals).toEqual([]);
  expect(reversal).toMatchObject({ kind: 'reversal', reverses: second?.id });
  expect(waiver).toMatchObject({
    kind: 'fee_waiver',
    amount: '4.00',
    fee_id: fee?.kind === 'fee' ? fee.fee_id : null,
  });
  expect(other).toMatchObject({ reverses: first?.id });
});

test('payments count after the lag of the previous servicer, but never in the future', () => {
  const { events } = translateHistory(
    rowsOf(
      { date: '2026-02-15', type: 'payment', amount: '106.62' },
      { date: '2026-08-31', type: 'payment', amount: '106.62' },
    ),
    startOf(),
    { payment_lag_days: 2 },
  );

  expect(events.map(({ event }) => event.effective_date)).toEqual(['2026-02-17', '2026-09-01']);
});

test('each transaction that contradicts the history is named with its reason', () => {
  expect(
    refusalsOf(
      { date: '2026-01-14', type: 'payment', amount: '1.00' },
      { date: '2026-09-02', type: 'payment', amount: '1.00' },
      { date: '2026-02-15', type: 'payment' },
      { date: '2026-02-16', type: 'payment', amount: '50.00' },
      { date: '2026-02-16', type: 'payment', amount: '50.00' },
      { date: '2026-02-17', type: 'payment_reversal', amount: '50.00' },
      { date: '2026-02-17', type: 'payment_reversal', reverses: 'T99' },
      { date: '2026-02-18', type: 'payment_reversal', reverses: 'T4', amount: '49.00' },
      { date: '2026-02-19', type: 'recovery', amount: '5.00' },
      { date: '2026-02-20', type: 'rate_change' },
      { date: '2026-02-21', type: 'modification' },
      { date: '2026-02-22', type: 'draw', amount: '5.00' },
      { date: '2026-02-23', type: 'fee_waiver' },
      { transaction_id: 'T4', date: '2026-02-24', type: 'note' },
    ),
  ).toEqual([
    ['T1', 'date', expect.stringContaining('Must not be before the history begins on 2026-01-15.')],
    ['T3', 'amount', 'Must be more than zero.'],
    ['T6', 'reverses', '2 transactions fit. Name the one that is undone.'],
    ['T7', 'reverses', 'Must name a payment or recovery of the loan.'],
    ['T8', 'amount', 'Must be 50.00, as for the payment.'],
    ['T9', 'type', expect.stringContaining('A recovery must follow a charge-off.')],
    ['T10', 'rate', 'Is required.'],
    ['T11', 'type', 'A modification needs an amount, a rate, a count or a date (until).'],
    ['T12', 'type', 'Use disbursement.'],
    ['T13', 'reverses', 'No fee or late fee fits. Add it, or name the one that is undone.'],
    ['T4', 'transaction_id', 'Another transaction of the loan has this number. Give each its own.'],
    ['T2', 'date', 'Must not be after the business date.'],
  ]);
});

test('a deferment and a modification leave the schedule of the previous servicer', () => {
  const start = startOf();
  const { events, refusals } = translateHistory(
    rowsOf(
      { date: '2026-02-15', type: 'payment', amount: '106.62' },
      { date: '2026-03-10', type: 'deferment', count: 1 },
      { date: '2026-05-20', type: 'modification', amount: '60.00', rate: '0.06' },
    ),
    start,
  );
  const all = [start.boarding, ...events.map(({ event }) => event)];
  const on = (as_of: string) => fold({ ...start, events: all, as_of }).installments;

  expect(refusals).toEqual([]);
  expect(on('2026-03-11').slice(0, 3)).toMatchObject([
    { due_date: '2026-02-15' },
    { due_date: '2026-04-15', payment_amount: '106.62' },
    { due_date: '2026-05-15' },
  ]);
  expect(on('2026-05-21').at(4)).toMatchObject({ due_date: '2026-07-15', payment_amount: '60.00' });
  expect(on('2026-05-21').length).toBeGreaterThan(12);
});

test('a line of credit ends its billing cycles as the closes would have done', () => {
  const start = startOf(LINE, '2026-04-20');
  const { events, refusals } = translateHistory(
    rowsOf(
      { date: '2026-01-15', type: 'draw', amount: '3650.00' },
      { date: '2026-03-01', type: 'payment', amount: '100.00' },
      { date: '2026-03-20', type: 'draw', amount: '200.00' },
    ),
    start,
  );

  expect(refusals).toEqual([]);
  expect(events.map(({ event }) => [event.kind, event.effective_date])).toEqual([
    ['draw', '2026-01-15'],
    ['schedule_agreed', '2026-02-15'],
    ['payment', '2026-03-01'],
    ['schedule_agreed', '2026-03-15'],
    ['draw', '2026-03-20'],
    ['schedule_agreed', '2026-04-15'],
  ]);
});
