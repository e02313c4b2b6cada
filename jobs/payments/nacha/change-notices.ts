import { paymentInstruments } from '../../../sql/borrowers/payment-instruments.ts';
import * as notices from '../../../sql/payments/change-notices.ts';
import type { SentEntry } from '../../../sql/payments/sent-entries.ts';
import { findLocked } from '../../../sql/table.ts';
import { insert, update } from '../../../sql/write.ts';
import { auditUpdate, recordAudit } from '../../audit.ts';
import { nextBusinessDay } from '../../banks/bank-calendar.ts';
import { addDays } from '../../dates.ts';
import { Conflict, NotFound } from '../../errors.ts';
import { isApprovalRequired } from '../../users/approvals.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { returnEffect } from '../../banks/return-codes.ts';
import {
  parseCorrection,
  isOfCompany,
  describeChangeCode,
  type Correction,
} from './corrections.ts';
import type { ReturnedEntry } from './parse-returns.ts';

/**
 * Nacha allows six banking days, or until the next entry if that is later (Banner Bank, "ACH Originator
 * Guide").
 */
const BANKING_DAYS = 6;

/**
 * Stores a notification of change. Applies the correction if the tenant's settings allow it; otherwise
 * creates a task. Returns null if the notice was already stored.
 */
export async function recordChangeNotice(
  work: Work,
  sent: SentEntry,
  entry: ReturnedEntry,
): Promise<'applied' | 'asked' | null> {
  const { tx } = work;
  const { payment_instrument_id } = sent;
  if (payment_instrument_id === null) return null;
  if (await notices.isNoticeRecorded(tx, sent.id, entry.code, entry.trace_number)) return null;
  const correction = parseCorrection(entry.code, entry.information.slice(0, 29));
  const due_date = afterBankingDays(work.today, BANKING_DAYS);
  const id = await insert(tx, 'change_notices', {
    nacha_entry_id: sent.id,
    payment_instrument_id,
    borrower_id: sent.borrower_id,
    loan_id: sent.loan_id,
    code: entry.code,
    trace_number: entry.trace_number,
    received_on: work.today,
    due_date,
    ...correctedColumns(work, correction),
  });
  const entity = {
    type: 'change_notices',
    id,
    loan_id: sent.loan_id,
    borrower_id: sent.borrower_id,
  };
  await recordAudit(work, entity, 'create', { code: { old: null, new: entry.code } });
  const isApplied = correction !== null && (await appliesByItself(work));
  if (isApplied && (await isUnchanged(work, id))) {
    await applyChangeNotice(work, id);
    return 'applied';
  }
  await insert(tx, 'tasks', {
    borrower_id: sent.borrower_id,
    loan_id: sent.loan_id,
    ...taskOf(entry.code, correction, id),
    task_type: 'review',
    due_date,
    source: 'system',
    related_type: 'change_notice',
    related_id: id,
  });
  return 'asked';
}

/** If payment destinations need maker–checker approval, no file corrects an account automatically. */
async function appliesByItself(work: Work): Promise<boolean> {
  const { apply_change_notices } = (await settingsOf(work.tx)).nacha;
  return apply_change_notices && !(await isApprovalRequired(work, 'destinations'));
}

function correctedColumns(
  { tenant_id, installation: { keys } }: Work,
  correction: Correction | null,
) {
  if (correction === null) return {};
  const { routing_number, account_number, account_type } = correction;
  return {
    corrected_routing_number: routing_number,
    corrected_account_type: account_type,
    ...(account_number !== null && {
      corrected_account_number_sealed: keys.seal(tenant_id, account_number),
      corrected_account_number_last_four: account_number.slice(-4),
    }),
  };
}

/** The task for staff. It shows only the last four digits of an account number. */
function taskOf(code: string, correction: Correction | null, id: string) {
  if (isOfCompany(code)) {
    const title = `Settings: correct the ${describeChangeCode(code)} as the bank says (${code})`;
    const description =
      'Agree with the bank what is right, change it in the settings, then dismiss the notice.';
    return { title, description };
  }
  const title = `Bank account: correct the ${describeChangeCode(code)} as the bank says (${code})`;
  if (correction === null) {
    const description =
      'The bank gave no corrected data that can be applied. Ask the bank, correct the account manually, then dismiss the notice.';
    return { title, description };
  }
  const { routing_number, account_number, account_type } = correction;
  const corrected = [
    ...(routing_number === null ? [] : [`routing number ${routing_number}`]),
    ...(account_number === null ? [] : [`account number ending in ${account_number.slice(-4)}`]),
    ...(account_type === null ? [] : [`a ${account_type} account`]),
  ];
  const description = `The bank says: ${corrected.join(', ')}. Apply it with POST /change-notices/${id}/apply, or dismiss it.`;
  return { title, description };
}

/**
 * Writes the bank's correction to the account. The account stays verified, because the bank warrants the
 * correction. A block that waited for a correction is lifted.
 */
export async function applyChangeNotice(work: Work, id: string) {
  const { tx } = work;
  const notice = await pending(work, id);
  const { corrected_routing_number, corrected_account_number_sealed, corrected_account_type } =
    notice;
  const corrected = [
    corrected_routing_number,
    corrected_account_number_sealed,
    corrected_account_type,
  ];
  if (corrected.every((value) => value === null)) {
    throw nothingToApply();
  }
  const before = await findLocked(tx, paymentInstruments, notice.payment_instrument_id);
  if (before === null) throw new NotFound();
  if (!(await isUnchanged(work, id))) {
    throw accountChanged();
  }
  const steps = async () => {
    await update(tx, 'payment_instruments', before.id, {
      ...(corrected_routing_number !== null && { routing_number: corrected_routing_number }),
      ...accountColumns(work, corrected_account_number_sealed),
      ...typeColumn(corrected_account_type, before['account_type']),
      ...unblockedColumns(before),
    });
    return before.id;
  };
  await auditUpdate(work, paymentInstruments, before, steps, { isHidden: true });
  await recordDecision(work, id, 'applied');
}

function accountColumns({ tenant_id, installation: { keys } }: Work, sealed: string | null) {
  if (sealed === null) return {};
  const number = keys.unseal(tenant_id, sealed);
  return {
    account_number_sealed: keys.seal(tenant_id, number),
    account_number_last_four: number.slice(-4),
  };
}

/** The bank distinguishes only checking and savings, so a business checking account keeps its type. */
const typeColumn = (corrected: string | null, before: unknown) =>
  corrected === null || (corrected === 'checking' && before === 'business_checking')
    ? {}
    : { account_type: corrected };

function unblockedColumns({ status, block_code }: Record<string, unknown>) {
  const waits = typeof block_code === 'string' && returnEffect(block_code) === 'blocks_account';
  return status === 'blocked' && waits ? { status: 'active', block_code: null } : {};
}

/** Dismisses a notice, for example because staff corrected the account manually. */
export async function dismissChangeNotice(work: Work, id: string) {
  await pending(work, id);
  await recordDecision(work, id, 'dismissed');
}

async function pending({ tx }: Work, id: string): Promise<notices.ChangeNotice> {
  const notice = await notices.lockChangeNotice(tx, id);
  if (notice === null) throw new NotFound();
  if (notice.status !== 'pending') {
    throw noticeDecided(notice.status);
  }
  return notice;
}

async function recordDecision({ tx, actor }: Work, id: string, status: 'applied' | 'dismissed') {
  const decided_by = actor.type === 'user' ? actor.id : null;
  const decided_at = new Date().toISOString();
  await update(tx, 'change_notices', id, { status, decided_at, decided_by });
  await notices.completeTasks(tx, id, decided_by);
}

/** Whether the account is still the one that the entry was sent to. */
async function isUnchanged({ tx, tenant_id, installation: { keys } }: Work, id: string) {
  const notice = await notices.lockChangeNotice(tx, id);
  if (notice === null) return false;
  const now = await notices.currentAccount(tx, notice.payment_instrument_id);
  if (now.account_number_sealed === null) return false;
  return (
    now.routing_number === notice.sent_routing_number &&
    (now.account_type === 'savings') === notice.sent_transaction_code.startsWith('3') &&
    keys.unseal(tenant_id, now.account_number_sealed) ===
      keys.unseal(tenant_id, notice.sent_account_number_sealed)
  );
}

function afterBankingDays(from: string, count: number): string {
  let day = from;
  for (let each = 0; each < count; each += 1) day = nextBusinessDay(addDays(day, 1));
  return day;
}

export const nothingToApply = () =>
  new Conflict(
    'The bank gave no corrected data that can be applied. Correct the account manually, then dismiss the notice.',
    'nothing_to_apply',
  );

export const accountChanged = () =>
  new Conflict(
    'The account changed after the entry was sent. Check the account, then dismiss the notice.',
    'account_changed',
  );

export const noticeDecided = (status: string) =>
  new Conflict(`The notice is already ${status}.`, 'invalid_transition', {
    current_status: status,
  });
