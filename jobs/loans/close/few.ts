import * as close from '../../../sql/loans/close.ts';
import * as few from '../../../sql/loans/close-few.ts';
import * as plans from '../../../sql/borrowers/autopay-plans.ts';
import * as promotions from '../../../sql/loans/promotions.ts';
import type { Outside } from '../../outside.ts';
import { runAutopay } from '../../payments/autopay.ts';
import { executeScheduled } from '../../payments/receive.ts';
import type { Work } from '../../work.ts';
import { settingsOf } from '../../users/settings.ts';
import { chargeOff, ChargeOff } from '../charge-off.ts';
import { unfreeze } from '../freeze.ts';
import { NonAccrual, setNonAccrual } from '../non-accrual.ts';
import { follow } from '../promotions.ts';
import { happen, openLoan } from '../happen.ts';
import { assessLateFees } from '../late-fees.ts';

export type Payload = { tenant_id: string; run_id: string };
type Step = (work: Work, loanId: string) => Promise<void>;

/**
 * Steps that concern few loans on any one day: each in a transaction of its own, so that one bad loan
 * stops nobody. What fails is set aside with its reason.
 */
export async function each(
  outside: Outside,
  { tenant_id, run_id }: Payload,
  step: string,
  ids: readonly string[],
  act: Step,
) {
  for (const id of ids) {
    try {
      await outside.within(tenant_id, (work) => act(work, id));
    } catch (error) {
      if (!(error instanceof Error) || isPassing(error)) throw error;
      await outside.within(tenant_id, ({ tx }) => close.park(tx, run_id, id, step, error.message));
    }
  }
}

/** The database being away is nobody's fault among the loans: the whole job is repeated. */
const isPassing = (error: Error) =>
  /terminat|ECONN|connection|shutting down|recovery/i.test(`${error.name} ${error.message}`);

/** A freeze that was given an end is over before the day accrues. */
export async function freezesEnd(outside: Outside, payload: Payload, chunk: close.Chunk) {
  const due = await outside.within(payload.tenant_id, ({ tx }) =>
    few.endingFreezes(tx, chunk, chunk.cob_date),
  );
  await each(
    outside,
    payload,
    'freeze_end',
    due.map(({ id }) => id),
    (work, id) => unfreeze(work, id, {}),
  );
}

/** Promotions begin on their first day, end after their last, and break with their conditions. */
export async function promotionsMove(outside: Outside, payload: Payload, chunk: close.Chunk) {
  const due = await outside.within(payload.tenant_id, ({ tx }) =>
    promotions.due(tx, chunk, chunk.cob_date),
  );
  for (const { id, loan_id, is_broken } of due) {
    await each(outside, payload, 'promotion', [loan_id], (work, loanId) =>
      follow(work, id, loanId, is_broken),
    );
  }
}

export async function duePayments(outside: Outside, payload: Payload, chunk: close.Chunk) {
  const due = await outside.within(payload.tenant_id, ({ tx }) =>
    few.scheduledPayments(tx, chunk, chunk.cob_date),
  );
  const payments = new Map(due.map(({ id, loan_id }) => [id, loan_id]));
  for (const [paymentId, loanId] of payments) {
    await each(outside, payload, 'scheduled_payment', [loanId], (work) =>
      executeScheduled(work, paymentId),
    );
  }
}

/** After the payments that were ordered, so that nobody is asked for what has just been paid. */
export async function autopay(outside: Outside, payload: Payload, chunk: close.Chunk) {
  const due = await outside.within(payload.tenant_id, ({ tx }) =>
    plans.due(tx, chunk, chunk.cob_date),
  );
  for (const { id, loan_id } of due)
    await each(outside, payload, 'autopay', [loan_id], (work) => runAutopay(work, id));
}

/** Interest that takes another pace tomorrow gets its anchor today. */
export async function foldAgain(outside: Outside, payload: Payload, chunk: close.Chunk) {
  const due = await outside.within(payload.tenant_id, ({ tx }) =>
    few.toFold(tx, chunk, chunk.cob_date),
  );
  await each(
    outside,
    payload,
    'fold',
    due.map(({ id }) => id),
    async (work, id) => {
      await happen(work, await openLoan(work, id), []);
    },
  );
}

export async function lateFees(outside: Outside, payload: Payload, chunk: close.Chunk) {
  const late = await outside.within(payload.tenant_id, ({ tx }) =>
    few.lateLoans(tx, chunk, chunk.cob_date),
  );
  await each(
    outside,
    payload,
    'late_fee',
    late.map(({ loan_id }) => loan_id),
    assessLateFees,
  );
}

/** Where the tenant has switched it on, a loan that is too late stops accruing, or is charged off. */
export async function lossesFollow(outside: Outside, payload: Payload, chunk: close.Chunk) {
  const { non_accrual, charge_off } = await outside.within(payload.tenant_id, ({ tx }) =>
    settingsOf(tx),
  );
  const late = async (what: 'charge_off' | 'non_accrual') =>
    (
      await outside.within(payload.tenant_id, ({ tx }) =>
        few.tooLate(tx, chunk, chunk.cob_date, what),
      )
    ).map(({ id }) => id);
  if (non_accrual.auto) {
    await each(outside, payload, 'non_accrual', await late('non_accrual'), (work, id) =>
      setNonAccrual(work, id, NonAccrual.parse({ enabled: true, reason: 'dpd_90' })),
    );
  }
  if (charge_off.auto_enabled) {
    await each(outside, payload, 'charge_off', await late('charge_off'), (work, id) =>
      chargeOff(work, id, ChargeOff.parse({ force: true })),
    );
  }
}
