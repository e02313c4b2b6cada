import { addDays, daysBetween } from '../../jobs/dates.ts';
import { boardTape } from '../../jobs/loans/boarding/board-tape.ts';
import { dueDates } from '../../jobs/loans/arithmetic/due-dates.ts';
import type { TapeRow } from '../../jobs/loans/boarding/boarding-tape.ts';
import { ofNumbers } from '../../sql/loans/tape.ts';
import { arrivalsOf, mannerOf, type Arrival } from './behaviour.ts';
import { Refused } from './client.ts';
import type { DemoOptions } from './options.ts';
import { waitUntil } from './patience.ts';
import type { Platform } from './platform.ts';
import { startBar } from '../progress.ts';
import { secure } from './security.ts';
import type { Stage } from './stage.ts';
import { orderStatements } from './statements.ts';

type Course = {
  platform: Platform;
  stage: Stage;
  file: string;
  /** The loans by the day on which they are boarded. */
  boardings: Map<string, TapeRow[]>;
  arrivals: Map<string, Arrival[]>;
  reminders: Map<string, TapeRow[]>;
  ids: Map<string, string>;
};

type Plan = {
  file: string;
  rows: readonly TapeRow[];
  first: string;
  through: string;
  statements: DemoOptions['statements'];
};

/** Requests on the way at the same time. */
const AT_ONCE = 6;
/** Days before the due date on which those are reminded who have not been punctual. */
const REMINDED_BEFORE = 5;
/** The day of the month on which everybody who is behind hears of it. */
const NOTICE_DAY = '-15';

/**
 * Services the loans day by day: loans come in on their origination date, payments arrive, messages
 * are sent, and the workers close the day. Everything may be repeated, so an outage leaves no trace.
 */
export async function runDays(
  platform: Platform,
  stage: Stage,
  { file, rows, first, through, statements }: Plan,
) {
  const course: Course = {
    platform,
    stage,
    file,
    boardings: Map.groupBy(rows, (row) => row.origination_date),
    arrivals: Map.groupBy(
      rows.flatMap((row) => arrivalsOf(row, through)),
      ({ date }) => date,
    ),
    reminders: remindersOf(rows, through),
    ids: new Map(),
  };
  const days = daysBetween(first, through) + 1;
  const bar = startBar('Servicing', days);
  let payments = 0;
  for (let index = 0; index < days; index += 1) {
    const day = addDays(first, index);
    await boardLoans(course, day);
    payments += await takePayments(course, day);
    await write(course, day);
    await close(course, day);
    await orderStatements(platform, stage, statements, addDays(day, 1));
    bar.at(index + 1, `${day}  ${course.ids.size} loans, ${payments} payments`);
  }
  bar.end(`${days} days, ${course.ids.size} loans, ${payments} payments`);
  return { business_days: days, ids: course.ids as ReadonlyMap<string, string> };
}

async function boardLoans(course: Course, day: string) {
  const { platform, stage, boardings, ids, file } = course;
  const rows = boardings.get(day) ?? [];
  if (rows.length === 0) return;
  const numbers = rows.map(({ loan_number }) => loan_number);
  const boarded = await platform.within(stage.tenant_id, async (work) => {
    // A repeat after a lost answer finds its loans there.
    const known = new Set((await ofNumbers(work.tx, numbers)).map((loan) => loan.loan_number));
    const missing = rows.filter(({ loan_number }) => !known.has(loan_number));
    await boardTape(work, missing, { file });
    return ofNumbers(work.tx, numbers);
  });
  for (const { id, loan_number } of boarded) ids.set(loan_number, id);
  await inTurns(rows, (row) => secure(stage.officer, row, ids.get(row.loan_number) ?? ''));
}

async function takePayments({ stage, arrivals, ids }: Course, day: string) {
  const today = arrivals.get(day) ?? [];
  await inTurns(today, async ({ loan_number, number, amount }) => {
    const external_id = `${loan_number}-${number}`;
    const payment = { amount, payment_date: day, payment_method: 'ach', external_id };
    await stage.officer.post(`/loans/${ids.get(loan_number)}/payments`, payment, external_id);
  });
  return today.length;
}

type Loan = { id: string; borrower_id: string; loan_number: string; delinquency_bucket: string };

async function write({ stage, reminders, ids }: Course, day: string) {
  const due_date = addDays(day, REMINDED_BEFORE);
  await inTurns(reminders.get(day) ?? [], async ({ loan_number, payment_amount }) => {
    const { id, borrower_id } = await stage.officer.get<Loan>(`/loans/${ids.get(loan_number)}`);
    const context = { payment_amount, due_date };
    const message = { template_type: 'payment_reminder', channel: 'email', borrower_id, context };
    await send(stage, { ...message, loan_id: id }, `reminder-${loan_number}-${due_date}`);
  });
  if (!day.endsWith(NOTICE_DAY)) return;
  await inTurns(await loansBehind(stage), async ({ id, borrower_id, loan_number, ...loan }) => {
    const channel = loan.delinquency_bucket === 'dpd_1_29' ? 'email' : 'letter';
    const message = { template_type: 'past_due_notice', channel, borrower_id, loan_id: id };
    await send(stage, message, `notice-${loan_number}-${day}`);
  });
}

const BEHIND = ['dpd_1_29', 'dpd_30_59', 'dpd_60_89', 'dpd_90_119', 'dpd_120_149', 'dpd_150_179'];

function loansBehind({ officer }: Stage) {
  const filter = JSON.stringify({ delinquency_bucket: BEHIND, status: 'active' });
  const query = new URLSearchParams({ filter, sort: '["loan_number","ASC"]', range: '[0,999]' });
  return officer.get<Loan[]>(`/loans?${query}`);
}

/** A borrower who may not be contacted is not: that answer is right and stays on record. */
async function send({ officer }: Stage, message: Record<string, unknown>, key: string) {
  try {
    await officer.post('/communications/send', message, key);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error;
  }
}

/** Asks for the close as a person would, and waits until the workers have done it. */
async function close({ platform, stage }: Course, day: string) {
  const order = { through_date: day };
  await stage.superadmin.post('/jobs/close-of-business', order, `close-${day}`);
  await waitUntil(`the close of ${day}`, () =>
    platform.within(stage.tenant_id, async ({ today }) => today > day, { readOnly: true }),
  );
}

function remindersOf(rows: readonly TapeRow[], through: string): Map<string, TapeRow[]> {
  const careless = rows.filter((row) => row.status === 'active' && mannerOf(row) !== 'on_time');
  const dated = careless.flatMap((row) =>
    dueDates('monthly', row.first_payment_date, row.term_months)
      .map((due) => ({ row, on: addDays(due, -REMINDED_BEFORE) }))
      .filter(({ on }) => on > row.origination_date && on <= through),
  );
  const byDay = Map.groupBy(dated, ({ on }) => on);
  return new Map([...byDay].map(([day, found]) => [day, found.map(({ row }) => row)]));
}

/** A few at a time, and all of them. */
async function inTurns<One>(items: readonly One[], act: (one: One) => Promise<void>) {
  const left = [...items];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
