import { beforeAll, expect, test, vi } from 'vitest';
import {
  summarizeFindings,
  type Finding,
} from '../../jobs/loans/reporting/checks/check-furnished.ts';
import { newStage } from '../setup/world.ts';
import { liveTheBook } from './credit-book.ts';
import { STORIES, type BookLoan } from './credit-stories.ts';
import { allOf } from './month.ts';

/** `LOANS=2000 MONTHS=24 npm run test:one -- test/scenarios/credit-book.test.ts` runs the same with more loans. */
const LOANS = Number(process.env['LOANS'] ?? 2 * Object.keys(STORIES).length);
const MONTHS = Number(process.env['MONTHS'] ?? 8);
const ENOUGH_MS = 600_000 + LOANS * MONTHS * 200;
vi.setConfig({ testTimeout: ENOUGH_MS, hookTimeout: ENOUGH_MS });

/** How many records break each rule, and the stories of their loans. */
function byRule(findings: readonly Finding[], loans: readonly BookLoan[]) {
  const stories = new Map(loans.map(({ account_number, story }) => [account_number, story]));
  return summarizeFindings(findings).map(({ rule, count }) => {
    const own = findings.filter((finding) => finding.rule === rule);
    const told = own.map(({ account }) => stories.get(account.consumer_account_number) ?? '');
    return { rule: rule.id, count, stories: [...new Set(told)].toSorted() };
  });
}

const stage = await newStage();
let book: Awaited<ReturnType<typeof liveTheBook>>;
beforeAll(async () => {
  const onMonth = (month: string, findings: readonly Finding[], loans: readonly BookLoan[]) => {
    if (MONTHS <= 8) return;
    const lines = byRule(findings, loans).map(({ rule, count }) => `${rule} ${count}`);
    console.info(`Findings until ${month}: ${lines.join(', ') || 'none'}`);
  };
  book = await liveTheBook(stage, { count: LOANS, months: MONTHS, onMonth });
});

const SOLD = ['sold after the charge-off', 'sold while current', 'sold while late'];

type Explanation = { why: string; rules: readonly string[]; stories?: readonly string[] };

/** The findings of records that are right: why, and in which stories. */
const EXPLAINED: readonly Explanation[] = [
  {
    why: 'Nothing was due, it was paid in advance, or it is less than 30 days late.',
    rules: ['Status-PaymentAmount-1'],
  },
  {
    why: 'The line is open and nothing is drawn.',
    rules: ['Status-Balance-5', 'Status-SMPA-4'],
    stories: ['a line repaid'],
  },
  {
    why: 'Another servicer has the account: it keeps its last status, with zero amounts.',
    rules: [
      'Status-APD-2',
      'Status-Balance-2',
      'Status-Balance-4',
      'Status-DateClosed-2',
      'Status-SMPA-3',
    ],
    stories: SOLD,
  },
  {
    why: 'Only the new servicer knows the new number.',
    rules: ['SCC-AccountChange-1'],
    stories: SOLD,
  },
  {
    why: 'The payment that closed the loan was returned.',
    rules: ['PROG-DateClosed-1', 'PROG-Status-3'],
    stories: ['paid off, then returned'],
  },
  {
    why: 'A month of 31 days spans two buckets: 59 days late, then 90.',
    rules: ['PROG-Status-1'],
    stories: ['a line in use'],
  },
  {
    why: 'The other borrower is alive.',
    rules: ['ECOA-J1J2-1'],
    stories: ['one of two died', 'one of two died, the other went bankrupt'],
  },
  {
    why: 'The account is current, and its date is that of the petition.',
    rules: ['Status-DOFD-2'],
    stories: [
      'a co-borrower in chapter 13',
      'chapter 13 while current',
      'chapter 7, reaffirmed',
      'one of two died, the other went bankrupt',
    ],
  },
  {
    why: 'Everyone who owed it is discharged: it is reported once, with zero amounts.',
    rules: [
      'Bankruptcy-APD-1',
      'Bankruptcy-Balance-1',
      'Bankruptcy-SMPA-1',
      'Status-APD-2',
      'Status-Balance-2',
      'Status-Balance-4',
      'Status-Balance-8',
      'Status-SMPA-3',
    ],
    stories: ['chapter 13 while current', 'chapter 7 while late'],
  },
  {
    why: 'The guide names no date of first delinquency for a current account that was reaffirmed (R).',
    rules: ['Bankruptcy-DOFD-1'],
    stories: ['chapter 7, reaffirmed'],
  },
];

const isExplained = (rule: string, story: string) =>
  EXPLAINED.some(
    ({ rules, stories }) => rules.includes(rule) && (stories?.includes(story) ?? true),
  );

test('the files of a book in every state break no rule, except those with an explanation', () => {
  const found = byRule(book.findings, book.loans);
  console.table(found.map(({ stories, ...row }) => ({ ...row, stories: stories.join(', ') })));

  const unexplained = found.flatMap(({ rule, stories }) =>
    stories.filter((story) => !isExplained(rule, story)).map((story) => `${rule}: ${story}`),
  );
  expect(unexplained).toEqual([]);
});

test('the findings of each file are those that the month-end check stored', async () => {
  const stored = (await allOf(book.admin, '/credit-reporting-findings'))
    .filter(({ file_id }) => file_id !== null)
    .map((row) => [row['reporting_period'], row['loan_id'], row['rule']].join(' '));
  const ids = new Map(book.loans.map(({ account_number, id }) => [account_number, id]));
  const found = book.findings.map(({ account, rule }) =>
    [account.activity_date, ids.get(account.consumer_account_number), rule.id].join(' '),
  );

  expect(stored.toSorted()).toEqual(found.toSorted());
});
