import { expect, test } from 'vitest';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** The specification's table of system-generated entries: event, debit, credit. */
const SPECIFIED = [
  ['disbursement', 'loans_receivable', 'cash'],
  ['payment', 'cash', 'loans_receivable'],
  ['payment', 'cash', 'interest_income'],
  ['payment', 'cash', 'fee_income'],
  ['interest_accrual', 'interest_receivable', 'interest_income'],
  ['fee_assessment', 'fees_receivable', 'fee_income'],
  ['fee_waiver', 'fee_income', 'fees_receivable'],
  ['charge_off', 'charge_off_expense', 'loans_receivable'],
  ['collateral_liquidation', 'cash', 'loans_receivable'],
] as const;

test.each(SPECIFIED)('%s is booked as %s to %s', async (reference_type, debit, credit) => {
  const { officer } = await stage.tenant();

  const { status, body } = await officer.get('/ledger/system-entries');

  expect(status).toBe(200);
  expect(body).toContainEqual(expect.objectContaining({ reference_type, debit, credit }));
});

const ORDERED = [
  ['disbursement', 'loans_receivable', 'ach_clearing'],
  ['draw', 'loans_receivable', 'ach_clearing'],
  ['payment', 'ach_clearing', 'loans_receivable'],
  ['payment', 'ach_clearing', 'borrower_suspense'],
  ['reimbursement', 'borrower_suspense', 'ach_clearing'],
  ['ach_settlement', 'cash', 'ach_clearing'],
  ['ach_settlement', 'ach_clearing', 'cash'],
  ['ach_return', 'ach_clearing', 'cash'],
  ['ach_return', 'cash', 'ach_clearing'],
] as const;

test('money ordered from a bank stays in ACH clearing until its file’s settlement date', async () => {
  const { officer } = await stage.tenant();

  const { body } = await officer.get('/ledger/system-entries');

  for (const [reference_type, debit, credit] of ORDERED)
    expect(body).toContainEqual(expect.objectContaining({ reference_type, debit, credit }));
  const kinds = (body as { reference_type: string; debit: string; credit: string }[])
    .filter(({ debit, credit }) => [debit, credit].includes('ach_clearing'))
    .map(({ reference_type }) => reference_type);
  expect(new Set(kinds)).toEqual(new Set(ORDERED.map(([kind]) => kind)));
});
