import { z } from 'zod';
import {
  addCorrection,
  CORRECTION_ACTIONS,
  alreadySubmitted,
  correctionConflicts,
  describeCorrection,
  NewCorrection,
  readCorrectionForm,
  Submission,
  submitCorrection,
} from '../../jobs/loans/reporting/corrections/credit-corrections.ts';
import { derivedFrom } from '../../jobs/facts.ts';
import { BUREAUS } from '../../jobs/loans/reporting/bureaus.ts';
import { creditCorrections as table } from '../../sql/loans/reporting/credit-corrections.ts';
import { loans } from '../../sql/loans/loans.ts';
import { date, ownJson, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { createRecord, findOrThrow } from '../endpoints/record-operations.ts';
import { action, resource } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';

export const creditCorrections = resource({
  name: 'CreditCorrection',
  path: 'credit-corrections',
  about:
    'A correction of what the credit bureaus know about a loan, outside the monthly cycle and without a dispute.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.readonly(),
    correction_number: derivedFrom(text.readonly(), 'loans.loan_number').describe(
      'The number of the correction.',
    ),
    action: z
      .enum(CORRECTION_ACTIONS)
      .readonly()
      .describe('`update` changes fields, `delete` and `delete_fraud` delete the account.'),
    reason: text.readonly().describe('Why the record was wrong.'),
    requested_by: uuid.nullable().readonly().describe('The user who asked for the correction.'),
    reporting_period: date.readonly().describe('The last day of the month of the record.'),
    bureaus: z.array(z.enum(BUREAUS)).readonly().describe('The bureaus that receive it.'),
    record_id: uuid.readonly().describe('The credit reporting record that was wrong.'),
    corrected_record_id: uuid.readonly().describe('Its corrected copy.'),
    before: ownJson.readonly().describe('The changed fields as they were reported.'),
    after: ownJson.readonly().describe('The changed fields with their corrected values.'),
    status: z
      .enum(['waiting', 'submitted', 'in_file', 'withheld', 'superseded'])
      .readonly()
      .describe(
        '`waiting` for the next file, `submitted` through the portal of the bureaus, `in_file`, `withheld` because of a finding, or `superseded` by a newer record.',
      ),
    file_id: uuid.nullable().readonly().describe('The file that contains the corrected record.'),
    aud_control_number: text
      .nullable()
      .readonly()
      .describe("The portal's control number of the form (AUD)."),
    submitted_at: timestamp.nullable().readonly().describe('When it was submitted.'),
    submitted_by: uuid.nullable().readonly().describe('The user who submitted it.'),
    ...timestamps,
  },
  filters: ['loan_id', 'action', 'status', 'reporting_period', 'requested_by', 'file_id'],

  actions: {
    submit: action({
      allow: 'admin',
      summary: 'Record that a credit correction was submitted',
      description:
        'Use it after you entered the form (AUD) in the portal of the bureaus. The corrected record is then not sent in a file. Answers 409 `already_submitted` the second time.',
      body: Submission,
      conflicts: () => [alreadySubmitted()],
      run: async (work, id, input) =>
        submitCorrection(work, id, input, await findOrThrow(work, table, id)),
    }),
  },
});

const correctionOf = ({ body }: Call) => body as NewCorrection;
const loanOf = ({ params }: Call) => String(params['id']);

export const creditCorrectionRoutes: Route[] = [
  {
    tag: 'loans',
    allow: 'admin',
    resource: 'credit-corrections',
    method: 'POST',
    path: '/loans/{id}/credit-corrections',
    action: 'create',
    summary: 'Correct what was reported about a loan',
    description:
      "Creates a corrected copy of the loan's newest credit reporting record, for every bureau. The next file contains it, unless you submit the form (AUD) through the portal of the bureaus first. The loan itself does not change: correct it too, because the next month's record is derived from it. If the corrected record breaks a rule that the record did not break, a finding and a task say so. Needs a second person if `approvals.four_eyes` contains `credit_corrections`. Answers 409 `nothing_reported`, `already_deleted`, or `information_blocked` after identity theft.",
    transaction: 'write',
    status: 201,
    four_eyes: 'credit_corrections',
    record: loans,
    content: (call) => describeCorrection(call.work, loanOf(call), correctionOf(call)),
    body: NewCorrection,
    conflicts: correctionConflicts,
    example: () => ({ reason: 'The balance was wrong.', corrected_values: { current_balance: 1 } }),
    reply: creditCorrections.reply,
    etag: creditCorrections.version,
    run: async (call) => {
      const loan_id = loanOf(call);
      await findOrThrow(call.work, loans, loan_id);
      const create = () => addCorrection(call.work, { ...correctionOf(call), loan_id });
      return createRecord(call.work, { ...creditCorrections.declaration, create }, {});
    },
  },
  {
    tag: 'loans',
    allow: 'admin',
    resource: 'credit-corrections',
    method: 'GET',
    path: '/credit-corrections/{id}/form',
    carries: 'anything',
    security_event: 'export',
    action: 'form',
    summary: 'Get the form of a credit correction',
    description:
      'Everything that the automated universal dataform (AUD) in the portal of the bureaus asks for: the account, the consumer as of today, and each field before and after. The social security number is shown by its last four digits.',
    transaction: 'read',
    status: 200,
    reply: z
      .object({
        correction_number: text.describe('Your number of the correction.'),
        action: z.enum(CORRECTION_ACTIONS).describe('What the bureau shall do.'),
        reason: text.describe('Why the account is corrected.'),
        requested_on: date.describe('When the correction was requested.'),
        requested_by: text.nullable().describe('The name of the user who asked for it.'),
        reporting_period: date.describe('The last day of the month that is corrected.'),
        bureaus: z.array(z.enum(BUREAUS)).describe('The bureaus that receive it.'),
        subscriber_codes: z
          .record(z.string(), z.array(z.string()))
          .describe('Your subscriber codes by bureau.'),
        identification_number: text.describe('Field 5: your identification number.'),
        consumer_account_number: text.describe('Field 7: the account number as reported.'),
        portfolio_type: text.describe('Field 8.'),
        account_type: text.describe('Field 9.'),
        consumer: z
          .record(z.string(), z.string().nullable())
          .describe('The name, the address, the telephone and the date of birth.'),
        ssn_last_four: text
          .nullable()
          .describe('The last four digits of the social security number.'),
        fields: z
          .array(
            z.object({
              name: text.describe('The name of the field in Metro 2.'),
              before: z.string().nullable().describe('The value as it was reported.'),
              after: z.string().nullable().describe('The value to enter in the form.'),
              is_corrected: z.boolean().describe('Whether the two values differ.'),
            }),
          )
          .describe('The fields of the account.'),
      })
      .meta({ id: 'CreditCorrectionForm' }),
    run: async ({ work, params }) => {
      const { id } = await findOrThrow(work, table, params['id']);
      return readCorrectionForm(work, id);
    },
  },
];
