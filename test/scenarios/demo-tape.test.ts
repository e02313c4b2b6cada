import { expect, test } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { openFileTree } from '../../jobs/files/file-tree.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { boardRows } from '../../workers/demo/boarding.ts';
import {
  simulatePayments,
  paymentBehaviourOf,
  PAYMENT_BEHAVIOURS,
} from '../../workers/demo/payment-behaviour.ts';
import { readTape } from '../../workers/demo/read-tape.ts';
import { compareInstallments, rewindToOrigination } from '../../workers/demo/tape-loans.ts';
import { compareBooks } from '../setup/compare-books.ts';
import { exportedFiles } from '../setup/exported-books.ts';
import { importBookByHttp } from '../setup/imports.ts';
import { closeThrough } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const { rows, refusals } = await readTape(
  await openFileTree(new URL('../../workers/demo/tape.csv', import.meta.url).pathname),
);

test('our demo tape is valid and has loans of every kind', () => {
  const kinds = (part: (row: (typeof rows)[number]) => unknown) => new Set(rows.map(part)).size;

  expect(refusals).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(200);
  expect(kinds((row) => row.borrower_state)).toBeGreaterThan(5);
  expect(kinds((row) => row.term_months)).toBeGreaterThan(3);
  expect(kinds((row) => row.interest_rate)).toBeGreaterThan(5);
  expect(kinds((row) => rewindToOrigination(row).product_code)).toBe(3);
  expect(kinds((row) => row.status)).toBe(3);
  expect(kinds(paymentBehaviourOf)).toBe(PAYMENT_BEHAVIOURS.length);
});

test('its installments are level payments rounded up to the cent', () => {
  expect(compareInstallments(rows)).toMatchObject({ compared: rows.length, matched: rows.length });
  expect(compareInstallments([{ ...rows[0]!, payment_amount: '1.00' }]).differing).toHaveLength(1);
});

test('generated payments are the same every time, and always dated within their loan', () => {
  const through = '2026-04-30';
  for (const row of rows) {
    const arrivals = simulatePayments(row, through);
    expect(simulatePayments(row, through)).toEqual(arrivals);
    for (const { date } of arrivals) {
      expect(date > row.origination_date && date <= through).toBe(true);
    }
  }
});

test('two months of ten loans leave balanced books, which leave and come back equal', async () => {
  const first = rows.filter(({ status }) => status === 'active').slice(0, 10);
  const loans = first.map((row) => ({ ...rewindToOrigination(row), product_code: undefined }));
  const start = loans.map((row) => row.origination_date).sort()[0] ?? '';
  const last = addDays(start, 75);
  const tenant = await stage.tenant(start);
  const within = createWithin(stage.pool, SYSTEM, stage.installation);
  const ids = new Map<string, string>();

  for (let day = start; day <= last; day = addDays(day, 1)) {
    const today = loans.filter((row) => row.origination_date === day);
    const boarded = await boardRows({ within }, tenant.id, today, { file: 'tape.csv' });
    for (const [loan_number, id] of boarded.ids) ids.set(loan_number, id);
    for (const row of loans) {
      for (const { date, amount } of simulatePayments(row, last).filter(
        (arrival) => arrival.date === day,
      )) {
        const paid = { amount, payment_date: date };
        const reply = await tenant.officer.post(
          `/loans/${ids.get(row.loan_number)}/payments`,
          paid,
        );
        expect(reply.status).toBe(201);
      }
    }
    await closeThrough(stage, tenant, day);
  }

  const target = await stage.tenant(addDays(last, 1));
  const found = await importBookByHttp(stage, target, await exportedFiles(stage, tenant));
  const { rows: compared, differences } = await compareBooks(stage.url, tenant.slug, target.slug);
  const trial = await tenant.officer.get('/ledger/trial-balance');
  expect(ids.size).toBe(10);
  expect(trial.body.total_debits).toBe(trial.body.total_credits);
  expect(trial.body.total_debits).not.toBe('0.00');
  expect(found).toEqual([]);
  expect(differences).toEqual([]);
  expect(compared['loans']).toBe(10);
  expect(compared['payments']).toBeGreaterThan(10);
});
