import { z } from 'zod';
import { openTasksForLoans } from '../../../sql/borrowers/tasks.ts';
import * as transfers from '../../../sql/portfolios/servicing-transfers.ts';
import { uuid } from '../../../sql/types.ts';
import { composeToAll } from '../../communications/compose-to-all.ts';
import { loadSender } from '../../communications/message-figures.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { enqueue, job } from '../../job.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { loanIds } from '../assign.ts';

export const SendNotices = z.object({});

/** Loans per transaction. */
const CHUNK = 25;

/**
 * Orders the goodbye or hello letters of a transfer for all who owe its loans. Throws Conflict if goodbye letters
 * would be late: the transfer must then move. Hello letters that are late are sent all the same.
 */
export async function sendNotices(work: Work, id: string) {
  const transfer = await transfers.lockTransfer(work.tx, id);
  if (transfer === null) throw new NotFound();
  if (transfer.is_canceled) throw transferCanceled();
  const { notices_due_on, direction } = transfer;
  if (notices_due_on === null) throw noNoticesRequired();
  await assertSender(work);
  if (direction === 'out' && transfer.notices_ordered_on === null && work.today > notices_due_on) {
    const earliest = addDays(
      work.today,
      (await settingsOf(work.tx)).servicing_transfers.goodbye_days,
    );
    throw noticesTooLate(notices_due_on, earliest);
  }
  await transfers.orderNotices(work.tx, id, work.today);
  await enqueue(work.tx, sendTransferNotices, { tenant_id: work.tenant_id, transfer_id: id });
}

export const RecordNotices = z.object({
  loan_ids: loanIds.describe('The loans whose letters you sent yourself.'),
});

/** Records letters that were sent in another way, such as to the representative of a deceased borrower's estate. */
export async function recordNotices(
  work: Work,
  id: string,
  { loan_ids }: z.output<typeof RecordNotices>,
) {
  const transfer = await transfers.lockTransfer(work.tx, id);
  if (transfer === null) throw new NotFound();
  const count = await transfers.markNoticesSent(work.tx, id, loan_ids, work.today);
  if (count < loan_ids.length)
    throw new Invalid({
      loan_ids: 'Contains a loan that is not in the transfer, or needs no letter.',
    });
}

/**
 * The letters must name an address and a collect call or toll-free number of both servicers (12 CFR 1024.33(b)(4)). That a
 * number is free is not checked.
 */
async function assertSender(work: Work) {
  const { branding } = await settingsOf(work.tx);
  const missing = (['address_line_1', 'support_phone'] as const).filter(
    (name) => branding[name] === '',
  );
  if (missing.length === 0) return;
  const names = missing.map((name) => `branding.${name}`).join(' and ');
  throw senderIncomplete(names);
}

/** Composes the letters of a transfer, some loans at a time. Each loan's letters are composed once. */
export const sendTransferNotices = job({
  name: 'send-transfer-notices',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, transfer_id: uuid }),
  attempts: 10,
  key: ({ transfer_id }) => `send-transfer-notices:${transfer_id}`,

  async run({ tenant_id, transfer_id }, { within }) {
    for (let count = CHUNK; count === CHUNK;)
      count = await within(tenant_id, (work) => composeSome(work, transfer_id));
  },
});

async function composeSome(work: Work, transferId: string): Promise<number> {
  const transfer = await transfers.findTransfer(work.tx, transferId);
  if (transfer === null || transfer.is_canceled) return 0;
  const loans = await transfers.lockWaitingNotices(work.tx, transferId, CHUNK);
  const figures = await noticeFigures(work, transfer);
  for (const loan of loans) {
    const status = await composeNotice(work, transfer, loan, figures);
    await transfers.saveNotice(work.tx, loan.id, { status, day: work.today });
  }
  return loans.length;
}

/** The values of `transfer` in the letters. */
export async function noticeFigures(work: Work, transfer: transfers.ServicingTransfer) {
  const { tenant } = await loadSender(work);
  return {
    effective_date: transfer.effective_date,
    last_payment_date: transfer.last_payment_date,
    first_payment_date: transfer.first_payment_date,
    servicer_name: transfer.servicer_name,
    servicer_address: `${transfer.servicer_address_line_1}, ${transfer.servicer_address_line_2}`,
    servicer_phone: transfer.servicer_phone,
    own_address: tenant.address_lines.join(', '),
    insurance_note: transfer.insurance_note,
  };
}

type Waiting = Awaited<ReturnType<typeof transfers.lockWaitingNotices>>[number];

/** Sends the letter to everyone who owes the loan. A letter that cannot be sent leaves a task. */
async function composeNotice(
  work: Work,
  { direction }: transfers.ServicingTransfer,
  { loan_id, borrower_id, is_mortgage, is_protected, has_autopay }: Waiting,
  figures: Awaited<ReturnType<typeof noticeFigures>>,
): Promise<'sent' | 'failed'> {
  const request = {
    borrower_id,
    loan_id,
    template_type: direction === 'out' ? ('goodbye_letter' as const) : ('hello_letter' as const),
    context: {
      transfer: { ...figures },
      is_mortgage,
      is_protected,
      ends_autopay: direction === 'out' && has_autopay,
    },
    triggered_by: 'system' as const,
  };
  try {
    const { status, copies } = await composeToAll(work, request);
    if ([status, ...copies.map((copy) => copy.status)].every((each) => each === 'queued'))
      return 'sent';
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
  }
  await openTasksForLoans(work.tx, [loan_id], {
    priority: 'urgent',
    title: direction === 'out' ? 'Send the goodbye letter' : 'Send the hello letter',
    description:
      'A letter about the transfer of servicing could not be sent to everyone who owes the loan. See the messages of the loan.',
    due_date: work.today,
  });
  return 'failed';
}

const transferCanceled = () =>
  new Conflict('The transfer is canceled.', 'invalid_transition', { current_status: 'canceled' });
const noNoticesRequired = () =>
  new Conflict('This transfer needs no letters from you.', 'no_notices_required');
const noticesTooLate = (notices_due_on: string, earliest: string) =>
  new Conflict(
    `The letters had to be sent by ${notices_due_on}. Cancel this transfer and record it again for ${earliest} or later.`,
    'notices_too_late',
    { notices_due_on, earliest_effective_date: earliest },
  );
export const noticeConflicts = () => [
  noticesTooLate('2026-01-01', '2026-01-30'),
  noNoticesRequired(),
  senderIncomplete('branding.support_phone'),
  transferCanceled(),
];

const senderIncomplete = (names: string) =>
  new Conflict(
    `The letters need your address and telephone number. Set ${names}.`,
    'sender_incomplete',
  );
