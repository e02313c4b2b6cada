import { z } from 'zod';
import * as tasks from '../../../sql/borrowers/tasks.ts';
import * as credit from '../../../sql/loans/reporting/credit-reporting.ts';
import * as numbers from '../../../sql/loans/reporting/consumer-numbers.ts';
import { suppressBlocked } from '../../../sql/loans/reporting/credit-blocks.ts';
import * as incomplete from '../../../sql/loans/reporting/incomplete-records.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { date } from '../../../sql/types.ts';
import { insert, update } from '../../../sql/write.ts';
import { recordAudit } from '../../audit.ts';
import { addDays, localDateTime, monthStart } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Files } from '../../files/files.ts';
import { storageKey } from '../../files/keys.ts';
import { newFileKey, putSealed } from '../../files/sealed-files.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Within, Work } from '../../work.ts';
import { isUnprintable } from './metro2/fields.ts';
import { metro2File, type Reporter } from './metro2/write-metro2.ts';

export const NewCreditFile = z.object({
  reporting_period: date
    .nullish()
    .describe('The last day of a closed month. Default: the latest one.'),
});
type NewCreditFile = z.output<typeof NewCreditFile>;

const lastMonthEnd = ({ today }: Work) => addDays(monthStart(today), -1);

/**
 * Puts every queued record up to the period into one file. From then on, the records are reported and
 * cannot change.
 */
async function orderFile(work: Work, input: NewCreditFile): Promise<string> {
  const { tx, today } = work;
  const last = lastMonthEnd(work);
  const reporting_period = input.reporting_period ?? last;
  if (reporting_period > last || !addDays(reporting_period, 1).endsWith('-01'))
    throw new Invalid({ reporting_period: 'Must be the last day of a month that is closed.' });
  await credit.lockCreditFileCreation(tx);
  const { reporter_name, reporter_address, reporter_phone, identification_number, program_ids } =
    await reporterOf(work);
  const number = (await credit.countFiles(tx, reporting_period)) + 1;
  const filename = `metro2-${reporting_period}-${number}.txt`;
  const { slug: tenant_slug } = await currentTenant(tx);
  const path = { tenant_slug, loan_id: 'credit-reporting', document_type: 'files', filename };
  const [innovis, equifax, experian, transunion] = FILE_BUREAUS.map(
    (bureau) => program_ids[bureau] ?? '',
  );
  const bureaus = { innovis, equifax, experian, transunion };
  const id = await insert(tx, 'credit_reporting_files', {
    reporting_period,
    record_count: 0,
    reporter: {
      reporter_name,
      reporter_address,
      reporter_phone,
      identification_number,
      ...bureaus,
    },
    filename,
    storage_key: storageKey(path),
    file_key_sealed: work.installation.keys.seal(work.tenant_id, newFileKey()),
    created_by: work.actor.id,
  });
  const record_count = await credit.assignToFile(tx, id, {
    period: reporting_period,
    identification_number,
  });
  if (record_count === 0) throw nothingToSend();
  await update(tx, 'credit_reporting_files', id, { record_count });
  const task = { title: NUMBERS_DIFFER, due_date: today };
  await numbers.openTasksForDifferingNumbers(tx, id, task);
  await recordAudit(work, { type: 'credit_reporting_files', id }, 'create', {});
  return id;
}

const FILE_BUREAUS = ['innovis', 'equifax', 'experian', 'transunion'] as const;
const REQUIRED = ['reporter_name', 'reporter_address', 'identification_number'] as const;

/** The tenant's settings for credit files. Throws `Conflict` if a required setting is missing. */
async function reporterOf({ tx }: Work) {
  const settings = (await settingsOf(tx)).credit_reporting;
  const hasBureau = FILE_BUREAUS.some((bureau) => settings.program_ids[bureau]);
  const missing = [
    ...(settings.enabled ? [] : ['enabled']),
    ...REQUIRED.filter((name) => settings[name].trim() === ''),
    ...(hasBureau ? [] : ['program_ids']),
  ].map((name) => `credit_reporting.${name}`);
  if (missing.length === 0) return settings;
  throw notConfigured(missing);
}

const nothingToSend = () =>
  new Conflict('No credit records are waiting to be sent.', 'nothing_to_send');
const notConfigured = (missing: readonly string[]) =>
  new Conflict(
    'Credit reporting is not configured. Fill in the missing settings.',
    'credit_reporting_not_configured',
    { missing },
  );
export const creditFileConflicts = () => [
  nothingToSend(),
  notConfigured(REQUIRED.map((name) => `credit_reporting.${name}`)),
];

/**
 * Suppresses records that a bureau would reject or add to another loan's account. A task says what to
 * correct before the next month's record.
 */
const suppressIncomplete = (work: Work, { reporting_period }: NewCreditFile) =>
  incomplete.suppressIncomplete(work.tx, {
    period: reporting_period ?? lastMonthEnd(work),
    due_date: work.today,
    tasks: INCOMPLETE,
  });

const INCOMPLETE = {
  address_missing:
    'Credit reporting: enter the street, city, state and postal code of every person who owes this loan',
  date_of_birth_missing:
    'Credit reporting: enter the date of birth of every person who owes this loan',
  account_number_not_unique:
    'Credit reporting: the loan number must be unique without its punctuation',
} as const satisfies Record<incomplete.Incomplete, string>;

/** Suppresses records whose name or address would be blank in the file. A task asks for Latin letters. */
async function suppressUnprintable(work: Work, { reporting_period }: NewCreditFile) {
  const { tx, today } = work;
  const period = reporting_period ?? lastMonthEnd(work);
  for (const record of await credit.queuedOutsideAscii(tx, period)) {
    if (![record.consumer, ...record.co_consumers].some(isUnprintable)) continue;
    await credit.suppressRecord(tx, record.id, 'name_not_printable');
    if ((await tasks.findOpenTask(tx, record.loan_id, UNPRINTABLE)) !== null) continue;
    await insert(tx, 'tasks', {
      loan_id: record.loan_id,
      title: UNPRINTABLE,
      description: 'Write the name and the address in Latin letters before the next month ends.',
      task_type: 'review',
      due_date: today,
      source: 'system',
      related_type: 'loan',
      related_id: record.loan_id,
    });
  }
}

const NUMBERS_DIFFER =
  'Credit reporting: the social security number differs from its last four digits, so it was not sent. Correct one of them';

const UNPRINTABLE =
  'Credit reporting: a name or an address has no Latin letters, so nothing was sent';

/**
 * Safe to repeat: a second run writes the same file. `sendCreditFile` completes a file whose creation was
 * interrupted.
 */
async function makeFile(within: Within, files: Files, tenantId: string, id: string) {
  const made = await within(
    tenantId,
    async ({ tx, installation: { keys } }) => {
      const file = await credit.readCreditFile(tx, id);
      if (file === null || file.status === 'completed') return null;
      const { time_zone } = await currentTenant(tx);
      const created_at = localDateTime(new Date(file.created_at), time_zone);
      const facts = { activity_date: file.reporting_period, created_at };
      const records = await credit.listFileRecords(tx, id);
      const opened = new Map(
        (await numbers.listSealedNumbers(tx, id)).map(({ borrower_id, sealed }) => [
          borrower_id,
          keys.unseal(tenantId, sealed),
        ]),
      );
      const lines = records.map((record) => withNumbers(record, opened));
      const text = metro2File(file.reporter as unknown as Reporter, facts, lines);
      const file_key = keys.unseal(tenantId, file.file_key_sealed);
      return { storage_key: file.storage_key, file_key, text };
    },
    { readOnly: true },
  );
  if (made === null) return;
  const stored = await putSealed(files, made, Buffer.from(made.text, 'latin1'));
  await within(tenantId, ({ tx }) =>
    update(tx, 'credit_reporting_files', id, { status: 'completed', ...stored }),
  );
}

/**
 * The record with the social security numbers of its people. They exist only in memory and in the file.
 */
function withNumbers(
  record: credit.ReportedRecord,
  opened: ReadonlyMap<string, string>,
): credit.ReportedRecord {
  const numberOf = (id: unknown) => ({ social_security_number: opened.get(String(id)) ?? null });
  return {
    ...record,
    consumer: {
      ...record.consumer,
      ...numberOf(record.consumer['borrower_id'] ?? record.borrower_id),
    },
    co_consumers: record.co_consumers.map((who) => ({ ...who, ...numberOf(who['borrower_id']) })),
  };
}

/** Completes unfinished files, then creates a new one. Returns its id. */
export async function sendCreditFile(
  within: Within,
  files: Files,
  tenantId: string,
  input: NewCreditFile,
): Promise<string> {
  for (const id of await within(tenantId, ({ tx }) => credit.pendingCreditFileIds(tx)))
    await makeFile(within, files, tenantId, id);
  await within(tenantId, async (work) => {
    await reporterOf(work);
    await suppressBlocked(work.tx, input.reporting_period ?? lastMonthEnd(work));
    await suppressIncomplete(work, input);
    await suppressUnprintable(work, input);
  });
  const id = await within(tenantId, (work) => orderFile(work, input));
  await makeFile(within, files, tenantId, id);
  return id;
}
