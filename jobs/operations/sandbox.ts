import * as runs from '../../sql/business-day/close-runs.ts';
import { tenantQueueStatus } from '../../sql/queue/queue.ts';
import { resetSandbox } from '../../sql/operations/sandbox.ts';
import { forgetBusinessDate } from '../../sql/database/within.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { startClose } from '../business-day/close-loans.job.ts';
import { assertClosable } from '../business-day/plan-close.ts';
import { addDays, daysBetween } from '../dates.ts';
import { BusinessDateChanged, Conflict, Forbidden, Invalid } from '../errors.ts';
import { recordAudit } from '../audit.ts';
import type { Within, Work } from '../work.ts';

/** The days that one request may close: a year, which the workers close in about a minute. */
export const ADVANCE_DAYS_MAX = 366;

/** Throws Forbidden unless the tenant was created as a sandbox. */
export async function assertSandbox({ tx }: Pick<Work, 'tx'>) {
  if ((await currentTenant(tx)).is_sandbox) return;
  throw new Forbidden(
    'This tenant is not a sandbox. Only tenants that were created as a sandbox can move their date, return ' +
      'payments as the bank, and start again.',
    'not_a_sandbox',
  );
}

type Advance = { days?: number | null | undefined; to_date?: string | null | undefined };

/**
 * Moves the business date of a sandbox: plans the close of every day before the wanted date, which the
 * workers run like any other. Throws Conflict while the date is already moving. Returns the new date and
 * the run of the first day.
 */
export async function advanceClock(work: Work, wanted: Advance) {
  await assertSandbox(work);
  const to_date = wantedDate(work.today, wanted);
  await runs.lockClose(work.tx);
  const { day, current_run_id, morning_run_id } = await runs.findRunsInProgress(work.tx);
  if (current_run_id !== null || morning_run_id !== null) throw dateMoving();
  // Another request moved the date while this one waited for the lock.
  if (day !== work.today) throw new BusinessDateChanged();
  const through = addDays(to_date, -1);
  await assertClosable(work, through);
  const run = await startClose(work, through);
  return { to_date, run };
}

function wantedDate(today: string, { days, to_date }: Advance): string {
  if ((days ?? null) !== null && (to_date ?? null) !== null)
    throw new Invalid({ days: 'Send either days or to_date, not both.' });
  if (to_date) {
    const distance = daysBetween(today, to_date);
    if (distance < 1) throw new Invalid({ to_date: `Must be after the business date, ${today}.` });
    if (distance <= ADVANCE_DAYS_MAX) return to_date;
    const last = addDays(today, ADVANCE_DAYS_MAX);
    throw new Invalid({ to_date: `Must be at most ${ADVANCE_DAYS_MAX} days ahead: ${last}.` });
  }
  if (days) return addDays(today, days);
  throw new Invalid({ days: 'Send days, such as 30, or to_date.' });
}

export const SANDBOX_STATUSES = ['ready', 'moving', 'failed'] as const;

/** The date of a sandbox, whether it is moving, and how many jobs of the moved days still wait. */
export async function sandboxState(work: Work) {
  await assertSandbox(work);
  const run = await runs.findUnfinishedRun(work.tx);
  const tasks = await tenantQueueStatus(work.tx);
  const status: (typeof SANDBOX_STATUSES)[number] =
    run === null ? 'ready' : run.failure_reason === null ? 'moving' : 'failed';
  return {
    business_date: work.today,
    status,
    moving_to: run === null ? null : addDays(run.through_date, 1),
    failure_reason: run?.failure_reason ?? null,
    jobs_waiting: tasks.reduce(
      (sum, { ready, running }) => sum + Number(ready) + Number(running),
      0,
    ),
  };
}

/** Writing a book of some hundred loans takes seconds, after waiting for running jobs. */
const RESET_TIMEOUT = '60s';

/**
 * Returns a sandbox to the book with which it was created or seeded, in one transaction. A running close
 * ends with its current day first. Users, sign-ins, settings and webhook subscriptions stay.
 */
export async function resetToBook(within: Within, tenantId: string) {
  await within(tenantId, async (work) => {
    await assertSandbox(work);
    await runs.stopAfterCurrentDay(work.tx);
  });
  const resetAndRecord = async (work: Work) => {
    const outcome = await resetSandbox(work.tx);
    if (outcome === 'no_book') throw noBook();
    if (outcome === 'busy')
      throw new Conflict(
        'Jobs of this sandbox are still running. Try again in some seconds.',
        'sandbox_busy',
      );
    const { business_date } = await currentTenant(work.tx);
    const changes = { business_date: { old: work.today, new: business_date } };
    await recordAudit(work, { type: 'tenants', id: tenantId }, 'reset-sandbox', changes);
  };
  await within(tenantId, resetAndRecord, { timeout: RESET_TIMEOUT });
  forgetBusinessDate(tenantId);
  return within(tenantId, sandboxState, { readOnly: true });
}

export const dateMoving = () =>
  new Conflict(
    'The date of this sandbox is already moving. Wait until GET /sandbox answers with the status "ready".',
    'sandbox_busy',
  );

export const noBook = () =>
  new Conflict(
    'This sandbox has no book to return to. Create sandboxes with `npm run seed` or with ' +
      '`npm run ops -- create-tenant SLUG --domains HOST --sandbox yes`.',
    'sandbox_without_book',
  );
