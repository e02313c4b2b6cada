import { createHash } from 'node:crypto';
import { z } from 'zod';
import * as tasks from '../../../../sql/borrowers/tasks.ts';
import * as imports from '../../../../sql/loans/reporting/dispute-imports.ts';
import * as loans from '../../../../sql/loans/loans.ts';
import { newId } from '../../../../sql/new-id.ts';
import { date } from '../../../../sql/types.ts';
import { insert, insertAll, update } from '../../../../sql/write.ts';
import { recordAudit } from '../../../audit.ts';
import { Conflict, Invalid } from '../../../errors.ts';
import { settingsOf } from '../../../users/settings/settings.ts';
import type { Work } from '../../../work.ts';
import { createDisputeTasks, DISPUTED } from './credit-disputes.ts';
import { disputeDueDate } from './dispute-deadline.ts';
import { readDisputeRequests, REQUEST_COLUMNS, type DisputeRequest } from './dispute-requests.ts';
import { BUREAUS } from '../bureaus.ts';

export const DisputeFile = z.object({
  bureau: z.enum(BUREAUS).describe('The bureau whose requests the file contains.'),
  received_date: date
    .nullish()
    .describe('When you received the requests. Default: the business date.'),
  file: z
    .string()
    .min(1)
    .max(1_000_000)
    .describe(
      `The text of the file: CSV with a header line, at most 10,000 requests. Columns: ${REQUEST_COLUMNS.map((name) => `\`${name}\``).join(', ')}. Required: all but \`bureau_received_date\`, \`dispute_code_2\` and \`fcra_relevant_information\`.`,
    ),
});
type DisputeFile = z.output<typeof DisputeFile>;

/**
 * Records a bureau's dispute requests (ACDV) in one transaction. Each request is matched to a loan by the
 * subscriber code and the account number. Safe to repeat: a control number is recorded once, and uploading
 * the same file again only retries the lines that matched no loan. Returns the id of the import.
 */
export async function importDisputes(work: Work, input: DisputeFile): Promise<string> {
  const { tx, today } = work;
  const { bureau, file } = input;
  const received_date = input.received_date ?? today;
  if (received_date > today) throw new Invalid({ received_date: 'Must not be in the future.' });
  const codes = await subscriberCodes(work, bureau);
  const requests = await readDisputeRequests(file, { received_date, today });
  await imports.lockDisputeExchange(tx);
  const hash = createHash('sha256').update(file).digest('hex');
  const known = await imports.findImport(tx, bureau, hash);
  const id = known ?? (await addImport(work, { bureau, received_date, hash, requests }));
  const matched = await matchRequests(work, bureau, codes, requests);
  await recordRequests(work, matched, { import_id: id, bureau, received_date });
  await imports.writeImportLines(tx, id, matched.map(lineOf));
  await imports.countImportLines(tx, id);
  await createDisputeTasks(work);
  await updateUnmatchedTask(work, id);
  return id;
}

async function subscriberCodes({ tx }: Work, bureau: DisputeFile['bureau']) {
  const { subscriber_codes } = (await settingsOf(tx)).credit_reporting;
  const codes = subscriber_codes[bureau] ?? [];
  if (codes.length > 0) return new Set(codes.map(printed));
  throw noSubscriberCode(bureau);
}

export const noSubscriberCode = (bureau: DisputeFile['bureau']) =>
  new Conflict(
    `Enter your subscriber codes at ${bureau} in the settings first.`,
    'credit_reporting_not_configured',
    { missing: ['credit_reporting.subscriber_codes'] },
  );

/** Bureaus write numbers as they are printed in a file: letters and digits, at most 30. */
const printed = (number: string) =>
  number
    .replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
    .slice(0, 30);

async function addImport(
  work: Work,
  {
    hash,
    requests,
    ...input
  }: { bureau: string; received_date: string; hash: string; requests: readonly unknown[] },
) {
  const id = await insert(work.tx, 'credit_dispute_imports', {
    ...input,
    sha256_hash: hash,
    line_count: requests.length,
    created_by: work.actor.id,
  });
  await recordAudit(work, { type: 'credit_dispute_imports', id }, 'create', {});
  return id;
}

type MatchedRequest = {
  request: DisputeRequest;
  status: imports.ImportLineStatus;
  loan_id: string | null;
  loan_number: string;
  dispute_id: string | null;
};
const UNMATCHED_REQUEST = { loan_id: null, loan_number: '', dispute_id: null };

/** Finds the dispute or the loan of each request. */
async function matchRequests(
  { tx }: Work,
  bureau: string,
  codes: ReadonlySet<string>,
  requests: readonly DisputeRequest[],
): Promise<MatchedRequest[]> {
  const controlNumbers = requests.map((request) => request.control_number);
  const disputes = await imports.findByControlNumbers(tx, bureau, controlNumbers);
  const recorded = new Map(disputes.map((dispute) => [dispute.control_number, dispute]));
  const accountNumbers = requests
    .filter(({ control_number }) => !recorded.has(control_number))
    .map((request) => printed(request.account_number));
  const found = Map.groupBy(
    await imports.findByReportedNumbers(tx, accountNumbers),
    ({ account_number }) => account_number,
  );
  return requests.map((request): MatchedRequest => {
    const known = recorded.get(request.control_number);
    if (known) {
      const { id: dispute_id, loan_id } = known;
      return { request, status: 'already_recorded', loan_id, loan_number: '', dispute_id };
    }
    if (!codes.has(printed(request.subscriber_code)))
      return { request, status: 'unknown_subscriber', ...UNMATCHED_REQUEST };
    const [loan, ...others] = found.get(printed(request.account_number)) ?? [];
    if (loan === undefined) return { request, status: 'unknown_account', ...UNMATCHED_REQUEST };
    if (others.length > 0) return { request, status: 'ambiguous_account', ...UNMATCHED_REQUEST };
    const { loan_id, loan_number } = loan;
    return { request, status: 'recorded', loan_id, loan_number, dispute_id: newId() };
  });
}

type Receipt = { import_id: string; bureau: string; received_date: string };

async function recordRequests(work: Work, matched: readonly MatchedRequest[], receipt: Receipt) {
  const added = matched.filter(({ status }) => status === 'recorded');
  const loanIds = [...new Set(added.flatMap(({ loan_id }) => loan_id ?? []))];
  if (loanIds.length === 0) return;
  await loans.acquireLoanLocks(work.tx, loanIds);
  const counts = new Map(
    (await imports.countDisputesOf(work.tx, loanIds)).map(({ loan_id, count }) => [loan_id, count]),
  );
  const rows = added.map(({ loan_id, loan_number, ...request }) => {
    const number = (counts.get(String(loan_id)) ?? 0) + 1;
    counts.set(String(loan_id), number);
    const dispute_number = `${loan_number}-D${number}`;
    return { ...disputeColumns(request, receipt), loan_id, dispute_number };
  });
  await insertAll(work.tx, 'credit_disputes', rows);
  const changes = { import_id: { old: null, new: receipt.import_id } };
  await Promise.all(
    rows.map(({ id, loan_id }) =>
      recordAudit(work, { type: 'credit_disputes', id, loan_id }, 'create', changes),
    ),
  );
}

function disputeColumns(
  { request, dispute_id }: Pick<MatchedRequest, 'request' | 'dispute_id'>,
  { import_id, bureau, received_date }: Receipt,
) {
  const received = {
    dispute_source: 'indirect_acdv',
    received_date,
    bureau_received_date: request.bureau_received_date ?? null,
    response_due_date: request.response_due_date,
    is_extended: false,
  };
  return {
    ...received,
    ...DISPUTED,
    id: String(dispute_id),
    bureau,
    acdv_control_number: request.control_number,
    subscriber_code: request.subscriber_code,
    due_date: disputeDueDate(received),
    dispute_codes: [request.dispute_code_1, request.dispute_code_2].filter(
      (code) => code !== undefined,
    ),
    fcra_relevant_information: request.fcra_relevant_information ?? null,
    import_id,
  };
}

const lineOf = ({ request, status, loan_id, dispute_id }: MatchedRequest) => ({
  line: request.line,
  control_number: request.control_number,
  subscriber_code: request.subscriber_code,
  consumer_account_number: request.account_number,
  response_due_date: request.response_due_date,
  status,
  credit_dispute_id: dispute_id,
  loan_id,
});

const UNMATCHED = 'Answer credit disputes that match no loan';

/** One task for all requests of the file that match no loan. It is canceled when they match one later. */
async function updateUnmatchedTask({ tx }: Work, importId: string) {
  const { count, due_date } = await imports.readUnmatched(tx, importId);
  if (count === 0) return tasks.cancelTasks(tx, importId, [UNMATCHED]);
  const description = `${count === 1 ? '1 request matches' : `${count} requests match`} no loan. Correct the loan number and upload the file again, or answer the bureau that the request is misrouted (code 04).`;
  const open = await tasks.findOpenTask(tx, importId, UNMATCHED);
  if (open !== null) return update(tx, 'tasks', open, { description, due_date });
  return insert(tx, 'tasks', {
    title: UNMATCHED,
    description,
    task_type: 'compliance',
    due_date,
    priority: 'high',
    source: 'system',
    related_type: 'credit_dispute_import',
    related_id: importId,
  });
}
