import { dictionary } from '../../../../sql/dictionary.ts';
import { hasUnknownDocument } from '../../../../sql/documents/documents.ts';
import { readCorrectable } from '../../../../sql/loans/reporting/credit-corrections.ts';
import * as disputes from '../../../../sql/loans/reporting/credit-disputes.ts';
import * as records from '../../../../sql/loans/reporting/credit-reporting.ts';
import * as loans from '../../../../sql/loans/loans.ts';
import { newId } from '../../../../sql/new-id.ts';
import type { Row } from '../../../../sql/table.ts';
import { insert, update, type Values } from '../../../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../../../errors.ts';
import { settingsOf } from '../../../users/settings/settings.ts';
import type { Work } from '../../../work.ts';
import { checkCorrection } from '../checks/check-records.ts';
import { CORRECTABLE_FIELDS } from '../corrections/correctable-fields.ts';
import { disputeDueDate } from './dispute-deadline.ts';

/** How many days before its deadline an unanswered dispute gets a task, and an urgent one. */
const WARNINGS = { days: 10, urgent: 5 } as const;

/** The allowed status changes. */
const NEXT = dictionary<readonly string[]>({
  received: ['investigating', 'responded', 'frivolous', 'withdrawn'],
  investigating: ['responded', 'frivolous', 'withdrawn'],
  responded: ['closed'],
  closed: [],
  frivolous: ['closed'],
  withdrawn: [],
});

/**
 * The compliance condition code that each status sets: XB while the account is disputed, XH or XR
 * afterwards.
 */
const CONDITION = dictionary<string>({
  received: 'XB',
  investigating: 'XB',
  responded: 'XH',
  frivolous: 'XR',
  withdrawn: 'XR',
});

/** The state of a new dispute. */
export const DISPUTED = {
  status: 'received',
  compliance_condition_code: CONDITION['received'],
} as const;

/** ACDV responses that send a corrected record to every bureau, with the account status for a deletion. */
const CORRECTING = dictionary<string | null>({ '02': null, '03': 'DA', '07': 'DF' });

type Dates = {
  received_date?: string | null | undefined;
  bureau_received_date?: string | null | undefined;
  response_due_date?: string | null | undefined;
  is_extended?: boolean | undefined;
};
type NewDispute = Values &
  Dates & { loan_id: string; dispute_codes: readonly string[]; dispute_source: string };

/** Records a dispute. It is due within 30 days of its receipt, or 45 days if extended. */
export async function addDispute(work: Work, input: NewDispute): Promise<string> {
  const { loan_id: loanId } = input;
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  const received = {
    dispute_source: input.dispute_source,
    received_date: input.received_date ?? work.today,
    bureau_received_date: input.bureau_received_date ?? null,
    response_due_date: input.response_due_date ?? null,
    is_extended: input.is_extended ?? false,
  };
  checkDates(work, received);
  await checkDocuments(work, input);
  const number = (await disputes.countDisputes(work.tx, loanId)) + 1;
  const id = await insert(work.tx, 'credit_disputes', {
    ...input,
    ...received,
    ...DISPUTED,
    due_date: disputeDueDate(received),
    dispute_number: `${loan.loan_number}-D${number}`,
    compliance_condition_code:
      input['compliance_condition_code'] ?? DISPUTED.compliance_condition_code,
  });
  await createDisputeTasks(work);
  return id;
}

function checkDates(
  { today }: Work,
  dates: {
    received_date: string;
    bureau_received_date: string | null;
    response_due_date: string | null;
  },
) {
  const { received_date, bureau_received_date: begun, response_due_date } = dates;
  if (received_date > today) throw new Invalid({ received_date: 'Must not be in the future.' });
  if (begun !== null && begun > received_date)
    throw new Invalid({ bureau_received_date: 'Must not be after the day you received it.' });
  if (response_due_date !== null && response_due_date < (begun ?? received_date))
    throw new Invalid({ response_due_date: 'Must not be before the dispute was received.' });
}

async function checkDocuments({ tx }: Work, { document_ids }: Values) {
  if (!Array.isArray(document_ids) || document_ids.length === 0) return;
  if (await hasUnknownDocument(tx, document_ids as string[]))
    throw new Invalid({ document_ids: 'Names a document that does not exist.' });
}

/**
 * Changes a dispute. A new status sets the compliance condition code. A response that admits an error
 * creates a corrected record for every bureau in the same transaction.
 */
export async function changeDispute(work: Work, id: string, changes: Values, row: Row) {
  await loans.lockLoan(work.tx, String(row['loan_id']));
  const dispute = await disputes.lockDispute(work.tx, id);
  const { status, ...rest } = changes;
  await checkDocuments(work, rest);
  assertAnswerUnchanged(dispute, rest, row);
  // Forms send back the status they read, which shows an open dispute as overdue after its due date.
  const wanted = status === 'overdue' ? undefined : status;
  const isMoved = wanted !== undefined && wanted !== dispute.status;
  if (isMoved && !NEXT[dispute.status]?.includes(String(wanted))) {
    throw disputeTransition(dispute.status, String(wanted));
  }
  const response_code = (rest['response_code'] ?? dispute.response_code) as string | null;
  if (isMoved && wanted === 'responded' && !response_code)
    throw new Invalid({ response_code: 'Is required to respond.' });
  const values = (rest['corrected_values'] ?? dispute.corrected_values) as Values;
  if (isMoved && wanted === 'responded' && response_code === '02' && isEmpty(values))
    throw new Invalid({ corrected_values: 'Is required for code 02. Name the fields to change.' });
  // A form that sends back the whole record has not chosen a code.
  const condition = rest['compliance_condition_code'];
  const chosen = condition === row['compliance_condition_code'] ? undefined : condition;
  const moved = isMoved ? statusColumns(String(wanted), chosen) : {};
  const received = { ...dispute, ...withoutUndefined(rest) };
  checkDates(work, received);
  const due_date = disputeDueDate(received);
  await update(work.tx, 'credit_disputes', id, { ...rest, ...moved, due_date });
  if (isMoved && wanted !== 'investigating') await disputes.cancelDeadlineTasks(work.tx, id);
  if (
    isMoved &&
    wanted === 'responded' &&
    response_code &&
    Object.hasOwn(CORRECTING, response_code)
  ) {
    await correct(work, dispute, response_code, values);
  }
}

const isEmpty = (values: Values) => Object.keys(values).length === 0;
const withoutUndefined = (changes: Values) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));

const changesField = (changes: Values, row: Row, name: string) =>
  changes[name] !== undefined && JSON.stringify(changes[name]) !== JSON.stringify(row[name]);

/** The bureau already has the answer, or the corrected record is waiting for its file. */
function assertAnswerUnchanged({ status }: { status: string }, changes: Values, row: Row) {
  if (OPEN.has(status)) return;
  const changed = ANSWER.find((name) => changesField(changes, row, name));
  if (changed === undefined) return;
  throw alreadyAnswered(changed, status);
}
const OPEN: ReadonlySet<string> = new Set(['received', 'investigating']);
const ANSWER = ['response_code', 'corrected_values', 'bureau', 'acdv_control_number'] as const;

function statusColumns(status: string, chosen: unknown): Values {
  const now = new Date().toISOString();
  return {
    status,
    ...(CONDITION[status] && {
      compliance_condition_code: chosen ?? CONDITION[status],
    }),
    ...(status === 'responded' && { responded_at: now }),
    ...(['responded', 'closed', 'withdrawn'].includes(status) && { resolved_at: now }),
    ...(status === 'frivolous' && { is_frivolous: true }),
  };
}

async function correct(
  work: Work,
  { id, loan_id }: { id: string; loan_id: string },
  code: string,
  values: Values,
) {
  const newest = await readCorrectable(work.tx, loan_id);
  if (newest === null) return;
  const { credit_reporting } = await settingsOf(work.tx);
  const changes = Object.fromEntries(
    Object.entries(values).filter(([name]) => CORRECTABLE_FIELDS.includes(name)),
  );
  const [corrected_id, compliance_condition_code] = [newId(), 'XH'];
  const account_status = CORRECTING[code] ?? null;
  await records.insertCorrection(work.tx, newest.id, {
    id: corrected_id,
    account_status,
    compliance_condition_code,
    credit_dispute_id: id,
    status: credit_reporting.enabled ? 'queued' : 'draft',
    changes,
  });
  if (account_status === null)
    await checkCorrection(work, newest, {
      id: corrected_id,
      changes: { ...changes, compliance_condition_code },
    });
}

/** Unanswered disputes near their deadline, which get a task in the morning. */
export const disputesNearDeadline = ({ today }: Work) =>
  disputes.disputesNearDeadline(today, WARNINGS);
export const createDisputeTasks = ({ tx, today }: Work) =>
  disputes.createDeadlineTasks(tx, today, WARNINGS);

export const disputeTransition = (from: string, to: string) =>
  new Conflict(`A dispute that is ${from} cannot become ${to}.`, 'invalid_transition', {
    current_status: from,
    allowed_statuses: NEXT[from],
  });

export const alreadyAnswered = (field: string, status: string) =>
  new Conflict(
    `The answer of a dispute that is ${status} cannot change. Record a correction of the loan's credit record instead.`,
    'already_answered',
    { field, current_status: status },
  );
