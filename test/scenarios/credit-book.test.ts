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

const LEFT = 'Another servicer has the account: it keeps its last status, with zero amounts.';

/** The findings of records that are right: why, and in which stories. */
const EXPLAINED: Record<string, { why: string; stories?: readonly string[] }> = {
  'Status-PaymentAmount-1': {
    why: 'Nothing was due, it was paid in advance, or it is less than 30 days late.',
  },
  'Status-Balance-5': { why: 'The line is open and nothing is drawn.', stories: ['a line repaid'] },
  'Status-SMPA-4': { why: 'The line is open and nothing is drawn.', stories: ['a line repaid'] },
  'Status-SMPA-3': { why: LEFT, stories: SOLD },
  'SCC-AccountChange-1': { why: 'Only the new servicer knows the new number.', stories: SOLD },
  'Status-APD-2': { why: LEFT, stories: SOLD },
  'Status-Balance-2': { why: LEFT, stories: SOLD },
  'Status-Balance-4': { why: LEFT, stories: SOLD },
  'Status-DateClosed-2': { why: LEFT, stories: SOLD },
  'PROG-DateClosed-1': {
    why: 'The payment that closed the loan was returned.',
    stories: ['paid off, then returned'],
  },
  'PROG-Status-3': {
    why: 'The payment that closed the loan was returned.',
    stories: ['paid off, then returned'],
  },
  'PROG-Status-1': {
    why: 'A month of 31 days spans two buckets: 59 days late, then 90.',
    stories: ['a line in use'],
  },
  'ECOA-J1J2-1': { why: 'The other borrower is alive.', stories: ['one of two died'] },
};

test('the files of a book in every state break no rule, except those with an explanation', () => {
  const found = byRule(book.findings, book.loans);
  console.table(found.map(({ stories, ...row }) => ({ ...row, stories: stories.join(', ') })));

  const unexplained = found.flatMap(({ rule, stories }) => {
    const explained = EXPLAINED[rule];
    if (explained === undefined) return [rule];
    const allowed = explained.stories ?? stories;
    return stories.filter((story) => !allowed.includes(story)).map((story) => `${rule}: ${story}`);
  });
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
