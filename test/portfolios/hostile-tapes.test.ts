import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { generateTape } from '../../jobs/portfolios/generate-tape.job.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { newOutside } from '../setup/outside.ts';
import { readDocument, newTapeConfig } from '../setup/tape-files.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const NASTY = [
  '=1+1',
  '-5.00',
  'a"b,c',
  'two\r\nlines',
  ' \u200b@sum',
  '山田 🏠',
  '\\u0041\b\f\u001f\u007f\u2028',
];

test('hostile text in a tape stays unchanged or becomes a text cell, in each format', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  await insertLoans(tenant, ...NASTY.map((external_id) => ({ external_id })), {});
  const columns = ['external_id', 'principal_balance', 'is_frozen', 'charge_off_date'] as const;
  const { file } = await newTapeConfig(stage, tenant, admin, { columns });
  const told = (external_id: string | null) => ({
    external_id,
    principal_balance: '10000.00',
    is_frozen: false,
    charge_off_date: null,
  });

  const csv = await file('2026-01-15', 'csv');
  const json = await file('2026-01-15', 'json');

  expect(csv.split('\r\n').slice(0, 4)).toEqual([
    columns.join(','),
    "'=1+1,10000.00,false,",
    '-5.00,10000.00,false,',
    '"a""b,c",10000.00,false,',
  ]);
  const read: Record<string, string>[] = parse(csv, { columns: true });
  expect(read.map((row) => row['external_id'])).toEqual([
    "'=1+1",
    '-5.00',
    'a"b,c',
    'two\r\nlines',
    "' \u200b@sum",
    '山田 🏠',
    NASTY[6],
    '',
  ]);
  const lines = [...NASTY, null].map((words) => JSON.stringify(told(words)));
  expect(json).toBe(`[\n${lines.join(',\n')}\n]\n`);
});

test('a tape with several pages of loans has each of them once, and its count is right', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [model] = await insertLoans(tenant, {});
  // A page has 5,000 loans.
  await stage.owner.query(
    `insert into loans (tenant_id, borrower_id, program_id, product_id, loan_number, status, principal_amount,
       principal_balance, disbursed_amount, interest_rate, term_months, payment_frequency, day_count,
       interest_method)
     select tenant_id, borrower_id, program_id, product_id, 'N-' || number, status, principal_amount,
       principal_balance, disbursed_amount, interest_rate, term_months, payment_frequency, day_count,
       interest_method
     from loans, generate_series(1, 5000) as number where id = $1`,
    [model],
  );
  const { generate } = await newTapeConfig(stage, tenant, admin, { columns: ['loan_id'] });

  const ordered = await generate();
  const outside = { ...newOutside(stage.pool), files: stage.installation.files };
  await generateTape.run({ tenant_id: tenant.id, tape_id: ordered.body.id }, outside);
  const made = (await admin.get(`/loan-tapes/${ordered.body.id}`)).body;
  const text = await readDocument(stage, tenant, made.document_id);
  const ids = text.split('\r\n').slice(1, -1);

  expect(made).toMatchObject({
    row_count: 5001,
    totals: { principal_balance: '50010000.00', ledger_principal: '0.00' },
  });
  expect(new Set(ids).size).toBe(5001);
  expect(ids).toEqual(ids.toSorted());
});
