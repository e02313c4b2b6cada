import { z } from 'zod';
import * as tasks from '../../../sql/borrowers/tasks.ts';
import * as nacha from '../../../sql/payments/nacha.ts';
import * as orders from '../../../sql/payments/unsent-orders.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { date } from '../../../sql/types.ts';
import { insert, update } from '../../../sql/write.ts';
import { hasNoAsciiForm } from '../../ascii.ts';
import { recordAudit } from '../../audit.ts';
import { nextBusinessDay } from '../../banks/bank-calendar.ts';
import { addDays, localTime } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Files } from '../../files/files.ts';
import { storageKey } from '../../files/keys.ts';
import { newFileKey, putSealed } from '../../files/sealed-files.ts';
import type { Within, Work } from '../../work.ts';
import { readOriginator } from './originator.ts';
import { batchKey, renderNachaFile, totalAmount, type Originator } from './render-file.ts';

export const NewNachaFile = z.object({
  file_date: date
    .nullish()
    .describe(
      'The date of the file, today or up to 14 days later. Default: the business date. The bank settles on the next business day.',
    ),
});

const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const DAYS_AHEAD_MAX = 14;
/** An entry's amount field has ten digits, in cents. */
const AMOUNT_DIGITS_MAX = '99999999.99'.length;

/** Exactly one of the three ids is set. */
type Ordered = Pick<orders.UnsentOrder, 'payment_id' | 'disbursement_id' | 'draw_id'>;
type Skipped = Ordered & { reason: string };

/**
 * Creates a file's row and the entries of all unsent orders, with the trace numbers that the bank will
 * quote in returns. No other file contains these orders.
 */
export async function createNachaFile(work: Work, input: z.output<typeof NewNachaFile>) {
  const { tx, today } = work;
  const file_date = input.file_date ?? today;
  if (file_date < today || file_date > addDays(today, DAYS_AHEAD_MAX))
    throw new Invalid({ file_date: `Must be within ${DAYS_AHEAD_MAX} days from ${today}.` });
  await nacha.lockNachaFileCreation(tx);
  const { originator, description } = await readOriginator(work);
  const { sendable, skipped, unnamed } = sorted([
    ...(await orders.unsentPayments(tx)),
    ...(await orders.unsentDisbursements(tx)),
    ...(await orders.unsentDraws(tx)),
  ]);
  for (const unsent of unnamed) await createNameTask(work, unsent);
  if (sendable.length === 0) return { id: null, skipped };
  const file_id_modifier = MODIFIERS[await nacha.countFilesOn(tx, file_date)];
  if (file_id_modifier === undefined)
    throw new Conflict(
      'A day can have at most 36 files. Use another file_date.',
      'limit_exceeded',
      { file_date },
    );
  const filename = `nacha-${file_date}-${file_id_modifier}.ach`;
  const { slug } = await currentTenant(tx);
  const path = { tenant_slug: slug, loan_id: 'nacha', document_type: 'files', filename };
  const id = await insert(tx, 'nacha_files', {
    file_date,
    file_id_modifier,
    effective_entry_date: nextBusinessDay(addDays(file_date, 1)),
    originator,
    entry_count: sendable.length,
    debit_total: totalAmount(sendable.filter(({ is_credit }) => !is_credit)),
    credit_total: totalAmount(sendable.filter(({ is_credit }) => is_credit)),
    filename,
    storage_key: storageKey(path),
    file_key_sealed: work.installation.keys.seal(work.tenant_id, newFileKey()),
    created_by: work.actor.id,
  });
  const first = (await nacha.countEntries(tx)) + 1;
  const prefix = originator.odfi_routing_number.slice(0, 8);
  const entries = sendable
    .map((unsent) => entryOf(unsent, id, description))
    .toSorted((one, other) => (one.batch < other.batch ? -1 : one.batch > other.batch ? 1 : 0));
  for (const [index, entry] of entries.entries()) {
    const sequence = String((first + index) % 10_000_000).padStart(7, '0');
    await insert(tx, 'nacha_entries', { ...entry, trace_number: prefix + sequence });
  }
  await recordAudit(work, { type: 'nacha_files', id }, 'create', {});
  return { id, skipped };
}

function sorted(all: readonly orders.UnsentOrder[]) {
  const skipped: Skipped[] = [];
  const sendable = all.filter((unsent) => {
    const reason = reasonNotToSend(unsent);
    if (reason !== null) skipped.push({ ...orderedAs(unsent), reason });
    return reason === null;
  });
  return { sendable, skipped, unnamed: all.filter(isUnnamed) };
}

const orderedAs = ({ payment_id, disbursement_id, draw_id }: Ordered): Ordered => ({
  payment_id,
  disbursement_id,
  draw_id,
});

/** Banks read ASCII. An entry whose name would be blank in ASCII is not sent. */
const isUnnamed = ({ individual_name }: orders.UnsentOrder) => hasNoAsciiForm(individual_name);

/**
 * Creates a task to write the name in Latin letters. The order keeps its copy of the account, so staff must
 * cancel it and order again.
 */
async function createNameTask(work: Work, unsent: orders.UnsentOrder) {
  const related_id = unsent.payment_id ?? unsent.disbursement_id ?? unsent.draw_id;
  const title = 'An order cannot be sent: the name of its account holder has no Latin letters';
  if (related_id === null || (await tasks.findOpenTask(work.tx, related_id, title)) !== null)
    return;
  const { loan_id, borrower_id } = unsent;
  const id = await insert(work.tx, 'tasks', {
    loan_id,
    borrower_id,
    title,
    description:
      'Cancel the order, write the account_holder_name in Latin letters and order it again.',
    task_type: 'review',
    due_date: work.today,
    source: 'system',
    related_type: 'nacha_order',
    related_id,
  });
  await recordAudit(work, { type: 'tasks', id, loan_id, borrower_id }, 'create', {});
}

/** Why an order cannot be sent yet, or null. It stays unsent until staff resolve the reason. */
function reasonNotToSend(unsent: orders.UnsentOrder) {
  if (unsent.amount.length > AMOUNT_DIGITS_MAX) return 'amount_too_large';
  if (isUnnamed(unsent)) return 'name_not_printable';
  if (unsent.is_blocked) return 'instrument_blocked';
  if (unsent.is_credit && !unsent.is_verified) return 'instrument_not_verified';
  return unsent.routing_number === null ? 'no_account_number' : null;
}

function entryOf(unsent: orders.UnsentOrder, nacha_file_id: string, description: string) {
  const { is_credit, amount, individual_id, individual_name, clearing_account_id } = unsent;
  const { routing_number, account_number_sealed } = unsent;
  const isSavings = unsent.account_type === 'savings';
  const secCode = secOf(unsent);
  return {
    nacha_file_id,
    ...orderedAs(unsent),
    batch: batchKey(secCode, is_credit ? '220' : '225', descriptionOf(unsent, description)),
    transaction_code: `${isSavings ? '3' : '2'}${is_credit ? '2' : '7'}`,
    routing_number,
    account_number_sealed,
    amount,
    individual_id,
    individual_name,
    clearing_account_id,
  };
}

/**
 * The class of a consumer debit depends on its authorization (Nacha Operating Rules): WEB if the borrower
 * authorized it on the internet, PPD for a paper authorization.
 */
function secOf({ account_type, is_by_web, is_credit }: orders.UnsentOrder) {
  if (account_type === 'business_checking') return 'CCD';
  return is_by_web && !is_credit ? 'WEB' : 'PPD';
}

/** The Nacha rules require the batch description RETRY PYMT when an entry is presented again. */
function descriptionOf(
  { is_credit, is_retry, payment_id }: orders.UnsentOrder,
  description: string,
) {
  if (is_credit) return payment_id === null ? 'LOAN FUND' : 'REFUND';
  return is_retry ? 'RETRY PYMT' : description;
}

/**
 * Writes the file to storage, outside a transaction. Safe to repeat: a second run writes the same file.
 * `generateNachaFile` completes a file whose creation was interrupted.
 */
export async function writeNachaFile(within: Within, files: Files, tenantId: string, id: string) {
  const made = await within(tenantId, (work) => renderStoredFile(work, id), { readOnly: true });
  if (made === null) return;
  const stored = await putSealed(files, made, Buffer.from(made.text, 'latin1'));
  await within(tenantId, ({ tx }) =>
    update(tx, 'nacha_files', id, { status: 'completed', ...stored }),
  );
}

async function renderStoredFile({ tx, tenant_id, installation: { keys } }: Work, id: string) {
  const file = await nacha.findFile(tx, id);
  if (file === null || file.status === 'completed') return null;
  const entries = (await nacha.listEntries(tx, id)).map(({ account_number_sealed, ...entry }) => ({
    ...entry,
    account_number: keys.unseal(tenant_id, account_number_sealed),
  }));
  const { time_zone } = await currentTenant(tx);
  const file_time = localTime(new Date(file.created_at), time_zone).replace(':', '');
  const header = { ...file, file_time };
  const text = renderNachaFile(file.originator as unknown as Originator, header, entries);
  const file_key = keys.unseal(tenant_id, file.file_key_sealed);
  return { storage_key: file.storage_key, file_key, text };
}

/** Completes unfinished files, then creates and writes a new one. */
export async function generateNachaFile(
  within: Within,
  files: Files,
  tenantId: string,
  input: z.output<typeof NewNachaFile>,
) {
  const before = await within(tenantId, ({ tx }) => nacha.pendingNachaFileIds(tx));
  for (const id of before) await writeNachaFile(within, files, tenantId, id);
  const { id, skipped } = await within(tenantId, (work) => createNachaFile(work, input));
  // Thrown after the transaction, so that it commits the tasks that explain the skipped orders.
  if (id === null) throw nothingToSend(skipped);
  await writeNachaFile(within, files, tenantId, id);
  return { id, skipped };
}

export const nothingToSend = (skipped: readonly unknown[]) =>
  new Conflict(
    'There is nothing to send. See skipped for orders that cannot be sent yet.',
    'nothing_to_send',
    { skipped },
  );
