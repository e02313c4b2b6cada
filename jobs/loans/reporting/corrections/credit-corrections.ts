import { z } from 'zod';
import * as corrections from '../../../../sql/loans/reporting/credit-corrections.ts';
import { insertCorrection } from '../../../../sql/loans/reporting/credit-reporting.ts';
import * as loans from '../../../../sql/loans/loans.ts';
import { newId } from '../../../../sql/new-id.ts';
import type { Row } from '../../../../sql/table.ts';
import { requiredFreeText, text } from '../../../../sql/types.ts';
import { insert, update } from '../../../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../../../errors.ts';
import { settingsOf } from '../../../users/settings/settings.ts';
import type { Work } from '../../../work.ts';
import { checkCorrection, rulesBrokenByCorrection } from '../checks/check-records.ts';
import { correctedValues, CORRECTABLE_FIELDS } from './correctable-fields.ts';

export const CORRECTION_ACTIONS = ['update', 'delete', 'delete_fraud'] as const;
/** The account status of a deletion (Metro 2, field 17A). */
const DELETIONS = { update: null, delete: 'DA', delete_fraud: 'DF' } as const;
const DELETED = new Set(['DA', 'DF']);

export const NewCorrection = z.object({
  action: z
    .enum(CORRECTION_ACTIONS)
    .default('update')
    .describe(
      '`update` changes fields of the newest record, `delete` removes the account from the bureaus, and `delete_fraud` removes it because of fraud.',
    ),
  reason: requiredFreeText.describe('Why the record is wrong. Required.'),
  corrected_values: correctedValues
    .default({})
    .describe(
      'For `update`: the fields of the credit reporting record to change, in Metro 2 form (whole dollars, codes, dates). Must be empty for a deletion.',
    ),
});
export type NewCorrection = z.output<typeof NewCorrection>;

type Changes = {
  record: corrections.Correctable;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
};

const nothingReported = () =>
  new Conflict(
    'This loan was never reported. Correct the loan, and its next record is right.',
    'nothing_reported',
  );
const alreadyDeleted = () =>
  new Conflict('The account is already deleted at the bureaus.', 'already_deleted');
const informationBlocked = () =>
  new Conflict(
    'The information is blocked because of identity theft, so it must not be reported. Delete the account instead.',
    'information_blocked',
  );
export const alreadySubmitted = () =>
  new Conflict('The correction was already submitted.', 'already_submitted');
export const correctionConflicts = () => [
  nothingReported(),
  alreadyDeleted(),
  informationBlocked(),
];

/** What a correction changes in the loan's newest record. Throws if it is not allowed. */
async function findChanges({ tx }: Work, loanId: string, input: NewCorrection): Promise<Changes> {
  const { action, corrected_values } = input;
  const record = await corrections.readCorrectable(tx, loanId);
  if (record === null || !record.was_reported) throw nothingReported();
  if (DELETED.has(record.account_status)) throw alreadyDeleted();
  if (record.is_blocked && action === 'update') throw informationBlocked();
  const isDeletion = action !== 'update';
  if (isDeletion && Object.keys(corrected_values).length > 0)
    throw new Invalid({ corrected_values: 'Must be empty for a deletion.' });
  const wanted: Record<string, unknown> = isDeletion
    ? { account_status: DELETIONS[action] }
    : corrected_values;
  const changed = CORRECTABLE_FIELDS.filter(
    (name) => Object.hasOwn(wanted, name) && wanted[name] !== (record[name] ?? null),
  );
  if (changed.length === 0)
    throw new Invalid({ corrected_values: 'Must change a field of the newest record.' });
  const after = Object.fromEntries(changed.map((name) => [name, wanted[name]]));
  checkAgainstRecord(record, after);
  return {
    record,
    before: Object.fromEntries(changed.map((name) => [name, record[name] ?? null])),
    after,
  };
}

function checkAgainstRecord(record: Changes['record'], after: Record<string, unknown>) {
  const { date_opened, date_first_delinquency: begun } = { ...record, ...after };
  if (typeof begun !== 'string') return;
  if (begun < date_opened || begun > record.reporting_period)
    throw new Invalid({
      corrected_values: `date_first_delinquency must be from ${date_opened} to ${record.reporting_period}.`,
    });
}

/** What the person who approves a correction sees. A newer record changes it, so approves nothing else. */
export async function describeCorrection(work: Work, loanId: string, input: NewCorrection) {
  const { record, before, after } = await findChanges(work, loanId, input);
  const broken = input.action === 'update' ? rulesBrokenByCorrection(record, after).rules : [];
  return {
    credit_record: { id: record.id, reporting_period: record.reporting_period, before, after },
    findings: broken.map(({ id, problem, may_be_right = null }) => ({
      rule: id,
      problem,
      may_be_right,
    })),
  };
}

/**
 * Corrects what the bureaus know about a loan, outside the monthly cycle (FCRA 623(a)(2)). The corrected
 * record goes into the next file, unless it is submitted through the portal of the bureaus before.
 */
export async function addCorrection(
  work: Work,
  { loan_id, ...input }: NewCorrection & { loan_id: string },
): Promise<string> {
  const loan = await loans.lockLoan(work.tx, loan_id);
  if (loan === null) throw new NotFound();
  const { record, before, after } = await findChanges(work, loan_id, input);
  const { credit_reporting } = await settingsOf(work.tx);
  const corrected_record_id = newId();
  await insertCorrection(work.tx, record.id, {
    id: corrected_record_id,
    account_status: DELETIONS[input.action],
    compliance_condition_code: null,
    credit_dispute_id: null,
    status: credit_reporting.enabled ? 'queued' : 'draft',
    changes: after,
  });
  if (input.action === 'update')
    await checkCorrection(work, record, { id: corrected_record_id, changes: after });
  const number = (await corrections.countCorrections(work.tx, loan_id)) + 1;
  return insert(work.tx, 'credit_corrections', {
    loan_id,
    correction_number: `${loan.loan_number}-C${number}`,
    action: input.action,
    reason: input.reason,
    requested_by: work.actor.requested_by?.id ?? work.actor.id,
    record_id: record.id,
    corrected_record_id,
    before,
    after,
  });
}

export const Submission = z.object({
  aud_control_number: text
    .min(1)
    .max(50)
    .nullish()
    .describe("The portal's control number of the form (AUD)."),
});

/** Records that staff submitted the correction through the portal of the bureaus. */
export async function submitCorrection(
  work: Work,
  id: string,
  { aud_control_number }: z.output<typeof Submission>,
  row: Row,
) {
  if (row['submitted_at'] !== null) throw alreadySubmitted();
  await update(work.tx, 'credit_corrections', id, {
    aud_control_number,
    submitted_at: new Date().toISOString(),
    submitted_by: work.actor.id,
  });
  await corrections.markSubmitted(work.tx, String(row['corrected_record_id']));
}

/**
 * The content of an automated universal dataform (AUD), for the portal of the bureaus. The social security
 * number is shown by its last four digits.
 */
export async function readCorrectionForm(work: Work, id: string) {
  const { before, after, identification_number, ...form } = await corrections.readForm(work.tx, id);
  const { credit_reporting } = await settingsOf(work.tx);
  const { subscriber_codes } = credit_reporting;
  return {
    ...form,
    identification_number: identification_number ?? credit_reporting.identification_number,
    subscriber_codes: Object.fromEntries(
      form.bureaus.map((bureau) => [bureau, subscriber_codes[bureau] ?? []]),
    ),
    fields: CORRECTABLE_FIELDS.map((name) => ({
      name,
      before: printedValue(before[name]),
      after: printedValue(after[name]),
      is_corrected: before[name] !== after[name],
    })),
  };
}

const printedValue = (value: unknown) =>
  value === null || value === undefined ? null : String(value);
