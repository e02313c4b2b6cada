import { addDays, daysBetween } from '../../jobs/dates.ts';
import { dueDates } from '../../jobs/loans/arithmetic/due-dates.ts';
import type { Work } from '../../jobs/work.ts';
import { hasUnbilledChunks } from '../../sql/business-day/morning-work.ts';
import { startProgressBar } from '../processes/progress-bar.ts';
import {
  simulatePayments,
  paymentBehaviourOf,
  type SimulatedPayment,
} from './payment-behaviour.ts';
import { boardRows } from './boarding.ts';
import { ApiRefusal } from './client.ts';
import type { DemoOptions } from './options.ts';
import { waitUntil } from './retry.ts';
import type { Phases } from './phases.ts';
import type { Platform } from './platform.ts';
import { pledgeCollateral } from './collateral.ts';
import type { DemoTenant } from './demo-tenant.ts';
import type { Refusal, TapeRow } from './read-tape.ts';
import { orderStatements } from './statements.ts';
import { fetchAllPages, runConcurrently } from './concurrency.ts';

type DemoRun = {
  platform: Platform;
  stage: DemoTenant;
  file: string;
  /** The loans by boarding date. */
  boardings: Map<string, TapeRow[]>;
  arrivals: Map<string, SimulatedPayment[]>;
  reminders: Map<string, TapeRow[]>;
  ids: Map<string, string>;
  refusals: Refusal[];
  /** Payments refused because their loan was already closed. */
  turnedAway: number;
};

type Plan = {
  file: string;
  rows: readonly TapeRow[];
  first: string;
  through: string;
  statements: DemoOptions['statements'];
};

/** Borrowers who do not pay on time are reminded this many days before the due date. */
const REMINDER_DAYS = 5;
/** On this day of each month, every late borrower receives a past due notice. */
const NOTICE_DAY = '-15';

/**
 * Services the loans day by day: boards loans on their origination date, takes payments, sends messages,
 * and lets the workers close the day. Every step can be repeated, so an outage does not change the result.
 */
export async function runDays(
  platform: Platform,
  stage: DemoTenant,
  { file, rows, first, through, statements }: Plan,
  phases: Phases,
) {
  const course: DemoRun = {
    platform,
    stage,
    file,
    boardings: Map.groupBy(rows, (row) => row.origination_date),
    arrivals: Map.groupBy(
      rows.flatMap((row) => simulatePayments(row, through)),
      ({ date }) => date,
    ),
    reminders: remindersOf(rows, through),
    ids: new Map(),
    refusals: [],
    turnedAway: 0,
  };
  const days = daysBetween(first, through) + 1;
  const bar = startProgressBar('Servicing', days);
  let payments = 0;
  for (let index = 0; index < days; index += 1) {
    const day = addDays(first, index);
    const say = (doing: string) =>
      bar.at(index, `${day}  ${course.ids.size} loans, ${payments} payments; ${doing}`);
    await phases.in('boarding', () => boardLoans(course, day, say));
    const note = (done: number) => say(`${done} payments of the day`);
    payments += await phases.in('payments', () => takePayments(course, day, note));
    await phases.in('messages', () => write(course, day));
    await phases.in('closing days', () => close(course, day));
    await orderStatements(platform, stage, statements, addDays(day, 1));
    bar.at(index + 1, `${day}  ${course.ids.size} loans, ${payments} payments`);
  }
  bar.end(`${days} days, ${course.ids.size} loans, ${payments} payments`);
  if (course.turnedAway > 0)
    console.log(`${course.turnedAway} payments came for loans that were over.`);
  return { business_days: days, ids: course.ids, refusals: course.refusals };
}

async function boardLoans(course: DemoRun, day: string, say: (doing: string) => void) {
  const { platform, stage, boardings, ids, file, refusals } = course;
  const rows = boardings.get(day) ?? [];
  const onProgress = (done: number) => say(`${done} of ${rows.length} boarded`);
  const boarded = await boardRows(platform, stage.tenant_id, rows, { file, onProgress });
  for (const [number, id] of boarded.ids) ids.set(number, id);
  refusals.push(...boarded.refusals);
  const taken = rows.filter(({ loan_number }) => ids.has(loan_number));
  await runConcurrently(taken, (row) =>
    pledgeCollateral(stage.officer, row, ids.get(row.loan_number) ?? ''),
  );
}

async function takePayments(course: DemoRun, day: string, note: (done: number) => void) {
  const { stage, arrivals, ids } = course;
  const today = (arrivals.get(day) ?? []).filter(({ loan_number }) => ids.has(loan_number));
  let taken = 0;
  await runConcurrently(today, async ({ loan_number, number, amount }) => {
    const external_id = `${loan_number}-${number}`;
    const payment = { amount, payment_date: day, payment_method: 'ach', external_id };
    const path = `/loans/${ids.get(loan_number)}/payments`;
    if (await succeedsWithoutConflict(() => stage.officer.post(path, payment, external_id)))
      taken += 1;
    else course.turnedAway += 1;
    note(taken);
  });
  return taken;
}

type Loan = { id: string; borrower_id: string; loan_number: string; delinquency_bucket: string };

async function write({ stage, reminders, ids }: DemoRun, day: string) {
  const due_date = addDays(day, REMINDER_DAYS);
  const careless = (reminders.get(day) ?? []).filter(({ loan_number }) => ids.has(loan_number));
  await runConcurrently(careless, async ({ loan_number, payment_amount }) => {
    const { id, borrower_id } = await stage.officer.get<Loan>(`/loans/${ids.get(loan_number)}`);
    const context = { payment_amount, due_date };
    const message = { template_type: 'payment_reminder', channel: 'email', borrower_id, context };
    await send(stage, { ...message, loan_id: id }, `reminder-${loan_number}-${due_date}`);
  });
  if (!day.endsWith(NOTICE_DAY)) return;
  await runConcurrently(
    await fetchDelinquentLoans(stage),
    async ({ id, borrower_id, loan_number, ...loan }) => {
      const channel = loan.delinquency_bucket === 'dpd_1_29' ? 'email' : 'letter';
      const message = { template_type: 'past_due_notice', channel, borrower_id, loan_id: id };
      await send(stage, message, `notice-${loan_number}-${day}`);
    },
  );
}

const DELINQUENT_BUCKETS = [
  'dpd_1_29',
  'dpd_30_59',
  'dpd_60_89',
  'dpd_90_119',
  'dpd_120_149',
  'dpd_150_179',
];

function fetchDelinquentLoans({ officer }: DemoTenant) {
  const filter = JSON.stringify({ delinquency_bucket: DELINQUENT_BUCKETS, status: 'active' });
  return fetchAllPages((range) => {
    const query = new URLSearchParams({ filter, sort: '["loan_number","ASC"]', range });
    return officer.get<Loan[]>(`/loans?${query}`);
  });
}

/** A 409 is expected for a borrower who must not be contacted. The refused message stays on record. */
const send = ({ officer }: DemoTenant, message: Record<string, unknown>, key: string) =>
  succeedsWithoutConflict(() => officer.post('/communications/send', message, key));

/** Returns false if the API answers 409 because of the record's state. */
async function succeedsWithoutConflict(steps: () => Promise<unknown>): Promise<boolean> {
  try {
    await steps();
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 409) return false;
    throw error;
  }
}

/** Requests the close through the API and waits until the workers have finished it. */
async function close({ platform, stage }: DemoRun, day: string) {
  const order = { through_date: day };
  await stage.superadmin.post('/jobs/close-of-business', order, `close-${day}`);
  const hasEnded = async ({ tx, today }: Work) => today > day && !(await hasUnbilledChunks(tx));
  await waitUntil(`the close of ${day}`, () =>
    platform.within(stage.tenant_id, hasEnded, { readOnly: true }),
  );
}

function remindersOf(rows: readonly TapeRow[], through: string): Map<string, TapeRow[]> {
  const careless = rows.filter(
    (row) => row.status === 'active' && paymentBehaviourOf(row) !== 'on_time',
  );
  const dated = careless.flatMap((row) =>
    dueDates('monthly', row.first_payment_date, row.term_months)
      .map((due) => ({ row, on: addDays(due, -REMINDER_DAYS) }))
      .filter(({ on }) => on > row.origination_date && on <= through),
  );
  const byDay = Map.groupBy(dated, ({ on }) => on);
  return new Map([...byDay].map(([day, found]) => [day, found.map(({ row }) => row)]));
}
