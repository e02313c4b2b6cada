import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { correctedValues } from '../../jobs/loans/reporting/corrections/correctable-fields.ts';
import {
  addDispute,
  changeDispute,
  disputeTransition,
  alreadyAnswered,
} from '../../jobs/loans/reporting/disputes/credit-disputes.ts';
import { BUREAUS } from '../../jobs/loans/reporting/bureaus.ts';
import { creditDisputes as table } from '../../sql/loans/reporting/credit-disputes.ts';
import { maskPersonalNumbers } from '../../sql/personal-numbers.ts';
import { date, flag, prose, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const nullableTimestamp = timestamp.nullable().readonly();

export const creditDisputes = resource({
  name: 'CreditDispute',
  path: 'credit-disputes',
  about: 'A dispute about what you reported to the credit bureaus, with its deadline.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    dispute_number: derivedFrom(text.readonly(), 'loans.loan_number').describe(
      'The number of the dispute.',
    ),
    dispute_source: z
      .enum(['indirect_acdv', 'direct', 'cfpb_complaint', 'internal'])
      .default('direct')
      .describe(
        'How the dispute reached you: from a bureau (`indirect_acdv`), from the consumer (`direct`), as a CFPB complaint, or found by yourself.',
      ),
    bureau: z.enum(BUREAUS).nullish().describe('The bureau that forwarded it.'),
    acdv_control_number: text
      .nullish()
      .describe(
        "The bureau's control number (e-OSCAR). A second dispute with the same bureau and number is refused.",
      ),
    subscriber_code: text
      .max(20)
      .nullish()
      .describe('Your subscriber code at the bureau, as in the request.'),
    received_date: date
      .nullish()
      .describe(
        'When you received it. Default: the business date. The answer to a consumer is due 30 days later.',
      ),
    bureau_received_date: date
      .nullish()
      .describe(
        'When the bureau received the dispute. Its 30 days begin then, and yours too (FCRA 623(b)(2)). Default for a dispute from a bureau: five business days before `received_date`, the time a bureau may take to forward it.',
      ),
    response_due_date: date
      .nullish()
      .describe(
        'When the bureau asks for the answer. Counts if it is earlier than the legal deadline.',
      ),
    due_date: date
      .readonly()
      .describe(
        'When the answer is due. Ten days before, an unanswered dispute gets a task, and five days before, an urgent one.',
      ),
    is_extended: flag
      .default(false)
      .describe(
        'Whether the consumer sent more information, so the answer is due after 45 days instead of 30 (FCRA 611(a)(1)(B)). If the bureau had asked for an earlier answer, also change `response_due_date`.',
      ),
    dispute_codes: z
      .array(z.string().regex(/^\d{3}$/, 'Must be a code of three digits.'))
      .min(1)
      .max(2)
      .describe('One or two e-OSCAR dispute codes of three digits.'),
    fcra_relevant_information: z
      .string()
      .max(240, { abort: true })
      .overwrite(maskPersonalNumbers)
      .max(240)
      .nullish()
      .describe("The consumer's words as forwarded by the bureau."),
    disputed_fields: z
      .array(text)
      .max(40)
      .default([])
      .describe('The names of the disputed fields.'),
    consumer_statement: prose.nullish().describe('What the consumer says.'),
    document_ids: z
      .array(uuid)
      .max(50)
      .default([])
      .describe('Documents that belong to the dispute.'),
    assigned_to: uuid.nullish().describe('The user who works on it.'),
    investigation_notes: prose.nullish().describe('Notes about the investigation.'),
    findings: prose.nullish().describe('The result of the investigation.'),
    response_code: z
      .enum(['01', '02', '03', '04', '07'])
      .nullish()
      .describe(
        'The answer to the bureau: `01` changes nothing, `02` corrects the record, `03` deletes the account, `07` deletes it because of fraud. Required to respond. 02, 03 and 07 create a corrected record for every bureau. `04` says that the dispute is not yours. Fixed once you have responded.',
      ),
    corrected_values: correctedValues
      .default({})
      .describe(
        'For code 02: the fields of the credit reporting record to change, in Metro 2 form (whole dollars, codes, dates). Fixed once you have responded.',
      ),
    compliance_condition_code: z
      .enum(['XA', 'XB', 'XC', 'XD', 'XE', 'XF', 'XG', 'XH', 'XJ', 'XR'])
      .nullish()
      .describe(
        "The Metro 2 code on the loan's records. Default: XB while the dispute is open, XH after a response, XR if it was frivolous or withdrawn.",
      ),
    status: z
      .enum([
        'received',
        'investigating',
        'responded',
        'closed',
        'frivolous',
        'withdrawn',
        'overdue',
      ])
      .default('received')
      .describe(
        'A new dispute is `received`. It can become `investigating`, then `responded`, `frivolous` or `withdrawn`, and `closed` after a response or a frivolous dispute. `overdue` is shown after the due date and cannot be set.',
      ),
    responded_at: nullableTimestamp.describe('When you responded.'),
    resolved_at: nullableTimestamp.describe('When it was answered, closed or withdrawn.'),
    resolution_letter_document_id: uuid
      .nullish()
      .describe('The letter with the result, for your records.'),
    is_frivolous: flag.readonly().describe('Whether you found it frivolous.'),
    frivolous_notice_sent_at: timestamp
      .nullish()
      .describe('When the consumer was notified that the dispute is frivolous.'),
    import_id: uuid
      .nullable()
      .readonly()
      .describe('The imported file of the bureau that contained it.'),
    answer_file_id: uuid
      .nullable()
      .readonly()
      .describe('The file that contains your answer to the bureau.'),
    ...timestamps,
  },
  fixed: ['loan_id', 'received_date', 'dispute_source'],
  filters: [
    ...(['loan_id', 'status', 'dispute_source', 'bureau', 'due_date', 'assigned_to'] as const),
    ...(['acdv_control_number', 'import_id', 'answer_file_id'] as const),
  ],

  example: () => ({ dispute_codes: ['103'] }),
  conflicts: {
    update: () => [
      disputeTransition('closed', 'received'),
      alreadyAnswered('response_code', 'responded'),
    ],
  },
  create: addDispute,
  update: changeDispute,
});
