import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WARNING_CODES } from '../../jobs/books/format/findings.ts';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { startProcess } from '../setup/processes.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** Runs `npm run board` with a tape of these lines. */
async function board(slug: string, lines: readonly string[], ...words: string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'board-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'loans.csv');
  writeFileSync(file, tapeText(...lines));
  const { ended, said } = startProcess('workers/board.ts', ['--tenant', slug, ...words, file], {
    DATABASE_URL: stage.url,
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
  });
  return { code: await ended, output: said() };
}

const TAPE = [
  tapeLine(),
  tapeLine({ loan_number: 'T-2', current_principal_balance: '243.47' }),
  tapeLine({ loan_number: 'T-3', current_principal_balance: '0.00', status: 'paid_off' }),
];

const TOTALS = ['--expect-loans', '3', '--expect-principal', '$10,000.00'];

test('--check prints the totals of a book and writes nothing; boarding it prints the same totals', async () => {
  const tenant = await stage.tenant('2026-01-15');

  const checked = await board(tenant.slug, TAPE, '--check');
  const loansThen = await tenant.officer.get('/loans');
  const borrowersThen = await tenant.officer.get('/borrowers?q=Lovelace');
  const unconfirmed = await board(tenant.slug, TAPE);
  const wrong = await board(tenant.slug, TAPE, '--expect-loans', '4', '--expect-principal', '1.00');
  const loansBefore = await tenant.officer.get('/loans');
  const boarded = await board(tenant.slug, TAPE, ...TOTALS);
  const again = await board(tenant.slug, TAPE, ...TOTALS);
  const loansNow = await tenant.officer.get('/loans');

  const totals = [
    /^Status +Loans +Principal +Interest +Fees$/m,
    /^Active +2 +10,000\.00 +0\.00 +0\.00$/m,
    /^Paid off +1 +0\.00 +0\.00 +0\.00$/m,
    /^All loans +3 +10,000\.00 +0\.00 +0\.00$/m,
  ];
  expect([checked.code, checked.output]).toEqual([0, expect.stringContaining('Checking')]);
  expect(checked.output).toContain('Every line can be boarded. Nothing was written.');
  for (const row of totals) expect(checked.output).toMatch(row);
  expect([loansThen.body, borrowersThen.body]).toEqual([[], []]);
  expect(unconfirmed).toMatchObject({
    code: 1,
    output: expect.stringContaining('--expect-loans N --expect-principal X'),
  });
  expect(wrong).toMatchObject({
    code: 1,
    output: expect.stringContaining('The file has 3 loans.'),
  });
  expect(loansBefore.body).toEqual([]);
  expect(boarded, boarded.output).toMatchObject({ code: 0 });
  expect(again).toMatchObject({
    code: 0,
    output: expect.stringContaining('This book is boarded already: 3 loans.'),
  });
  for (const row of totals) expect(boarded.output).toMatch(row);
  expect(loansNow.body).toHaveLength(3);
});

test('--check lists the mistakes of a book and exits with 1', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const wrong = tapeLine({ loan_number: 'T-2', interest_rate: '8.5' });

  const checked = await board(tenant.slug, [tapeLine(), wrong], '--check');

  expect(checked.code).toBe(1);
  expect(checked.output).toMatch(
    /Nothing was boarded\. The check found 1 error:\n {2}loans\.csv line 3, interest_rate: /,
  );
});

test('warnings of one kind are one line, and --findings writes each of them', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const late = Array.from({ length: 9 }, (_, at) =>
    tapeLine({ loan_number: `T-${at + 1}`, interest_rate: '0.0005' }),
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'findings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'findings.csv');

  const short = await board(tenant.slug, late, '--check');
  const whole = await board(tenant.slug, late, '--check', '--findings', file);
  const nowhere = await board(tenant.slug, late, '--check', '--findings', folder);

  expect(short.output).toMatch(
    /^ {2}warning rate_looks_like_fraction: loans\.csv line 2.*\n {4}9 such warnings, also: line 3, line 4, line 5, line 6, line 7 and 3 more\.$/m,
  );
  expect(short.output).toContain('add --findings FILE.csv');
  expect(short.output).not.toContain('loans.csv line 3');
  expect(whole.output).toContain('Wrote 9 findings to');
  const written = readFileSync(file, 'utf8').trim().split('\n');
  expect(written[0]).toBe('file,line,column,severity,code,reason');
  expect(written).toHaveLength(10);
  expect(nowhere).toMatchObject({ code: 1, output: expect.stringContaining('is a folder') });
});

test('--help explains each option and each warning', async () => {
  const { ended, said } = startProcess('workers/board.ts', ['--help'], { LOG_LEVEL: 'silent' });

  expect(await ended).toBe(0);
  expect(said()).toMatch(/^ {2}--accept-difference +Board loans with the balances/m);
  for (const code of WARNING_CODES) expect(said()).toMatch(new RegExp(`^ {2}${code} +[A-Z]`, 'm'));
});

test('a code that is not one of a warning is refused with the codes that are', async () => {
  const tenant = await stage.tenant('2026-01-15');

  const refused = await board(tenant.slug, TAPE, '--accepted-warnings', 'balance_to_high');

  expect(refused.code).toBe(2);
  expect(refused.output).toContain('--accepted-warnings: Must be codes of warnings');
});
