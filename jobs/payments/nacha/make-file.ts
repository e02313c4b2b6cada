import { z } from 'zod';
import * as nacha from '../../../sql/payments/nacha.ts';
import { current } from '../../../sql/tenants.ts';
import { date } from '../../../sql/types.ts';
import { insert, update } from '../../../sql/write.ts';
import { record } from '../../audit.ts';
import { nextBusinessDay } from '../../bank-calendar.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Files } from '../../files/files.ts';
import { storageKey } from '../../files/keys.ts';
import { settingsOf } from '../../users/settings.ts';
import type { Within, Work } from '../../work.ts';
import { batchOf, nachaFile, total, type Originator } from './records.ts';

export const NewFile = z.object({ file_date: date.nullish() });

const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const DAYS_AHEAD_MAX = 14;
/** What an entry has room for: ten digits of cents. */
const AMOUNT_DIGITS_MAX = '99999999.99'.length;

type Skipped = { payment_id: string | null; disbursement_id: string | null; reason: string };

/**
 * Writes down which entries go into a new file, all that have not been sent, under numbers that the
 * bank will name when it sends one back. From then on nobody else sends them.
 */
export async function orderFile(work: Work, input: z.output<typeof NewFile>) {
  const { tx, today } = work;
  const file_date = input.file_date ?? today;
  if (file_date < today || file_date > addDays(today, DAYS_AHEAD_MAX))
    throw new Invalid({ file_date: `Must be within ${DAYS_AHEAD_MAX} days from ${today}.` });
  await nacha.alone(tx);
  const { originator, description } = await originatorOf(work);
  const { sendable, skipped } = sorted([
    ...(await nacha.unsentPayments(tx)),
    ...(await nacha.unsentDisbursements(tx)),
  ]);
  if (sendable.length === 0)
    throw new Conflict('There is nothing to send.', 'nothing_to_send', { skipped });
  const file_id_modifier = MODIFIERS[await nacha.filesOf(tx, file_date)];
  if (file_id_modifier === undefined)
    throw new Conflict('A day has at most 36 files.', 'limit_exceeded', { file_date });
  const filename = `nacha-${file_date}-${file_id_modifier}.ach`;
  const { slug } = await current(tx);
  const path = { tenant_slug: slug, loan_id: 'nacha', document_type: 'files', filename };
  const id = await insert(tx, 'nacha_files', {
    file_date,
    file_id_modifier,
    effective_entry_date: nextBusinessDay(addDays(file_date, 1)),
    originator,
    entry_count: sendable.length,
    debit_total: total(sendable.filter(({ payment_id }) => payment_id !== null)),
    credit_total: total(sendable.filter(({ payment_id }) => payment_id === null)),
    filename,
    storage_key: storageKey(path),
    created_by: work.actor.id,
  });
  const first = (await nacha.entriesSoFar(tx)) + 1;
  const prefix = originator.odfi_routing_number.slice(0, 8);
  const entries = sendable
    .map((unsent) => entryOf(unsent, id, description))
    .toSorted((one, other) => (one.batch < other.batch ? -1 : one.batch > other.batch ? 1 : 0));
  for (const [index, entry] of entries.entries()) {
    const sequence = String((first + index) % 10_000_000).padStart(7, '0');
    await insert(tx, 'nacha_entries', { ...entry, trace_number: prefix + sequence });
  }
  await record(work, { type: 'nacha_files', id }, 'create', {});
  return { id, skipped };
}

async function originatorOf({ tx }: Work) {
  const { entry_description, ...originator } = (await settingsOf(tx)).nacha;
  const missing = Object.entries(originator)
    .filter(([, value]) => value === '')
    .map(([name]) => `nacha.${name}`);
  if (missing.length > 0) {
    const message = 'The settings do not say yet who sends to which bank.';
    throw new Conflict(message, 'nacha_not_configured', { missing });
  }
  return { originator: originator satisfies Originator, description: entry_description };
}

function sorted(all: readonly nacha.Unsent[]) {
  const skipped: Skipped[] = [];
  const sendable = all.filter((unsent) => {
    const reason =
      unsent.amount.length > AMOUNT_DIGITS_MAX ? 'amount_too_large' : missingOf(unsent);
    const { payment_id, disbursement_id } = unsent;
    if (reason !== null) skipped.push({ payment_id, disbursement_id, reason });
    return reason === null;
  });
  return { sendable, skipped };
}

const missingOf = ({ routing_number, account_number_sealed }: nacha.Unsent) =>
  routing_number === null
    ? 'no_routing_number'
    : account_number_sealed === null
      ? 'no_account_number'
      : null;

/** An entry that is presented again says so in its batch, as the rules ask. */
function entryOf(unsent: nacha.Unsent, nacha_file_id: string, description: string) {
  const isCredit = unsent.disbursement_id !== null;
  const isSavings = unsent.account_type === 'savings';
  const sec =
    unsent.account_type === 'business_checking'
      ? 'CCD'
      : unsent.source === 'portal'
        ? 'WEB'
        : 'PPD';
  const batchDescription = isCredit ? 'LOAN FUND' : unsent.is_retry ? 'RETRY PYMT' : description;
  const { payment_id, disbursement_id, amount, individual_id, individual_name } = unsent;
  const { routing_number, account_number_sealed } = unsent;
  return {
    nacha_file_id,
    payment_id,
    disbursement_id,
    // The borrower did not start a disbursement on a website.
    batch: batchOf(
      isCredit && sec === 'WEB' ? 'PPD' : sec,
      isCredit ? '220' : '225',
      batchDescription,
    ),
    transaction_code: `${isSavings ? '3' : '2'}${isCredit ? '2' : '7'}`,
    routing_number,
    account_number_sealed,
    amount,
    individual_id,
    individual_name,
  };
}

/**
 * Makes the file that was ordered, outside of any transaction. Made twice it is the same file, so that
 * one whose making was cut short is made by whoever comes next.
 */
export async function makeFile(within: Within, files: Files, tenantId: string, id: string) {
  const made = await within(tenantId, (work) => written(work, id), { readOnly: true });
  if (made === null) return;
  const { size, sha256_hash } = await files.put(made.key, Buffer.from(made.text, 'latin1'));
  await within(tenantId, ({ tx }) =>
    update(tx, 'nacha_files', id, { status: 'completed', file_size: size, sha256_hash }),
  );
}

async function written({ tx, tenant_id, installation: { keys } }: Work, id: string) {
  const file = await nacha.ordered(tx, id);
  if (file === null || file.status === 'completed') return null;
  const entries = (await nacha.entriesOf(tx, id)).map(({ account_number_sealed, ...entry }) => ({
    ...entry,
    account_number: keys.unseal(tenant_id, account_number_sealed),
  }));
  const text = nachaFile(file.originator as unknown as Originator, file, entries);
  return { key: file.storage_key, text };
}

/** Orders and makes a file; before that, whatever an earlier attempt has left unfinished. */
export async function sendFile(
  within: Within,
  files: Files,
  tenantId: string,
  input: z.output<typeof NewFile>,
) {
  const before = await within(tenantId, ({ tx }) => nacha.unfinished(tx));
  for (const id of before) await makeFile(within, files, tenantId, id);
  const { id, skipped } = await within(tenantId, (work) => orderFile(work, input));
  await makeFile(within, files, tenantId, id);
  return { id, skipped };
}
