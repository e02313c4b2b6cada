import { dictionary } from '../../../sql/dictionary.ts';
import { hasUnknownDocument } from '../../../sql/documents/documents.ts';
import * as disputes from '../../../sql/loans/credit-disputes.ts';
import * as records from '../../../sql/loans/credit-reporting.ts';
import * as loans from '../../../sql/loans/loans.ts';
import type { Row } from '../../../sql/table.ts';
import { insert, update, type Values } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';

/** Days to answer a dispute, and with an extension (FCRA 611(a)(1), 623(b)(2)). */
const DAYS = 30;
const DAYS_EXTENDED = 45;
/** Days after which an open dispute gets a task. The last task is urgent. */
const WARNINGS = [20, 25] as const;

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

/** ACDV responses that send a corrected record to every bureau, with the account status for a deletion. */
const CORRECTING = dictionary<string | null>({ '02': null, '03': 'DA', '07': 'DF' });

/**
 * The fields that a corrected record may change. The borrower and the account number are not among them.
 */
export const CORRECTABLE_FIELDS: readonly string[] = [
  'date_opened',
  'date_closed',
  'date_of_account_information',
  'date_last_payment',
  'date_first_delinquency',
  'credit_limit',
  'highest_credit',
  'original_charge_off_amount',
  'terms_duration',
  'terms_frequency',
  'scheduled_monthly_payment',
  'actual_payment_amount',
  'current_balance',
  'amount_past_due',
  'account_status',
  'payment_rating',
  'payment_history_profile',
  'special_comment',
  'consumer_information_indicator',
  'ecoa_code',
];

const dueDate = (received: string, isExtended: boolean) =>
  addDays(received, isExtended ? DAYS_EXTENDED : DAYS);

type NewDispute = Values & { loan_id: string; dispute_codes: readonly string[] };

/** Records a dispute. It is due within 30 days of its receipt, or 45 days if extended. */
export async function addDispute(work: Work, input: NewDispute): Promise<string> {
  const { loan_id: loanId } = input;
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  const received_date = String(input['received_date'] ?? work.today);
  if (received_date > work.today)
    throw new Invalid({ received_date: 'Must not be in the future.' });
  await checkDocuments(work, input);
  const number = (await disputes.countDisputes(work.tx, loanId)) + 1;
  return insert(work.tx, 'credit_disputes', {
    ...input,
    received_date,
    due_date: dueDate(received_date, input['is_extended'] === true),
    dispute_number: `${loan.loan_number}-D${number}`,
    status: 'received',
    compliance_condition_code: input['compliance_condition_code'] ?? CONDITION['received'],
  });
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
  // Forms send back the status they read, which shows an open dispute as overdue after its due date.
  const wanted = status === 'overdue' ? undefined : status;
  const isMoved = wanted !== undefined && wanted !== dispute.status;
  if (isMoved && !NEXT[dispute.status]?.includes(String(wanted))) {
    throw new Conflict(
      `A dispute that is ${dispute.status} cannot become ${wanted}.`,
      'invalid_transition',
      {
        current_status: dispute.status,
        allowed_statuses: NEXT[dispute.status],
      },
    );
  }
  const response_code = (rest['response_code'] ?? dispute.response_code) as string | null;
  if (isMoved && wanted === 'responded' && !response_code)
    throw new Invalid({ response_code: 'Is required to respond.' });
  // A form that sends back the whole record has not chosen a code.
  const condition = rest['compliance_condition_code'];
  const chosen = condition === row['compliance_condition_code'] ? undefined : condition;
  const moved = isMoved ? statusColumns(String(wanted), chosen) : {};
  const isExtended = (rest['is_extended'] ?? dispute.is_extended) === true;
  const due_date = dueDate(dispute.received_date, isExtended);
  await update(work.tx, 'credit_disputes', id, { ...rest, ...moved, due_date });
  if (
    isMoved &&
    wanted === 'responded' &&
    response_code &&
    Object.hasOwn(CORRECTING, response_code)
  ) {
    const values = (rest['corrected_values'] ?? dispute.corrected_values) as Values;
    await correct(work, dispute, response_code, values);
  }
}

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
  const newest = await records.newestRecordId(work.tx, loan_id);
  if (newest === null) return;
  const { credit_reporting } = await settingsOf(work.tx);
  const changes = Object.fromEntries(
    Object.entries(values).filter(([name]) => CORRECTABLE_FIELDS.includes(name)),
  );
  await records.insertCorrection(work.tx, newest, {
    account_status: CORRECTING[code] ?? null,
    compliance_condition_code: 'XH',
    credit_dispute_id: id,
    status: credit_reporting.enabled ? 'queued' : 'draft',
    changes,
  });
}

/** The open disputes near their due date, which get a task in the morning. */
export const disputesNearDeadline = ({ today }: Work) =>
  disputes.disputesOpenForDays(today, WARNINGS);
export const createDisputeTasks = ({ tx, today }: Work) =>
  disputes.createDeadlineTasks(tx, today, WARNINGS);
