import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { NotFound } from '../../jobs/errors.ts';
import {
  NewAnswerFile,
  sendAnswerFile,
  noAnswersToSend,
} from '../../jobs/loans/reporting/disputes/dispute-answers.ts';
import {
  DisputeFile,
  importDisputes,
  noSubscriberCode,
} from '../../jobs/loans/reporting/disputes/import-disputes.ts';
import { BUREAUS } from '../../jobs/loans/reporting/bureaus.ts';
import * as answers from '../../sql/loans/reporting/dispute-answers.ts';
import * as imports from '../../sql/loans/reporting/dispute-imports.ts';
import { date, integer, timestamps, text, uuid } from '../../sql/types.ts';
import { madeFileFields } from '../documents/file-fields.ts';
import { linkToStoredFile } from '../documents/stored-links.ts';
import { endpoint, findOrThrow, nested, resource } from '../endpoints/resource.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { bureauFileLink } from './bureau-files.ts';
import { creditDisputes } from './credit-disputes.ts';

const resourceDefaults = { area: 'loans', read: 'admin', write: 'admin' } as const;
const bureau = z.enum(BUREAUS).readonly();

export const disputeImportLines = resource({
  ...resourceDefaults,
  name: 'CreditDisputeImportLine',
  path: 'credit-dispute-import-lines',
  about: "A line of an imported file of a bureau's dispute requests, and what became of it.",
  table: imports.disputeImportLines,
  offers: [],
  sort: { field: 'line', descending: false },

  fields: {
    id: uuid.readonly(),
    import_id: uuid.readonly().describe('The import that contains the line.'),
    line: integer.readonly().describe('The number of the line in the file. The header is line 1.'),
    control_number: text.nullable().readonly().describe("The bureau's control number."),
    subscriber_code: text.readonly().describe('Your subscriber code in the request.'),
    consumer_account_number: derivedFrom(text.readonly(), 'loans.loan_number').describe(
      'The account number in the request.',
    ),
    response_due_date: date.readonly().describe('When the bureau asks for the answer.'),
    status: z
      .enum(imports.IMPORT_LINE_STATUSES)
      .readonly()
      .describe(
        '`recorded` as a dispute, or `already_recorded` from another file. No loan matched: `unknown_account`, `unknown_subscriber` (not one of your subscriber codes) or `ambiguous_account` (several loans share the number).',
      ),
    credit_dispute_id: uuid.nullable().readonly().describe('The dispute.'),
    loan_id: uuid.nullable().readonly().describe('The loan of the dispute.'),
    ...timestamps,
  },
  filters: ['status', 'control_number', 'loan_id'],
});

export const disputeImports = resource({
  ...resourceDefaults,
  name: 'CreditDisputeImport',
  path: 'credit-dispute-imports',
  about: "An imported file of a bureau's dispute requests (ACDV).",
  table: imports.disputeImports,
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    bureau: bureau.describe('The bureau whose requests the file contains.'),
    received_date: date.readonly().describe('When you received the requests.'),
    sha256_hash: text.readonly().describe('The hash of the file. The same file is one import.'),
    line_count: integer.readonly().describe('How many requests the file contains.'),
    recorded_count: integer
      .readonly()
      .describe('How many requests are recorded as disputes, by this file or an earlier one.'),
    unmatched_count: integer
      .readonly()
      .describe(
        'How many requests match no loan. They have one task. Upload the file again after you correct a loan number.',
      ),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  filters: ['bureau', 'received_date'],
  nested: { lines: nested(disputeImportLines, 'import_id', ['list']) },
});

export const disputeAnswerFiles = resource({
  ...resourceDefaults,
  name: 'CreditDisputeAnswerFile',
  path: 'credit-dispute-answer-files',
  about: "A file of answers to a bureau's dispute requests.",
  table: answers.disputeAnswerFiles,
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    bureau: bureau.describe('The bureau that receives the answers.'),
    answer_count: integer.readonly().describe('How many answers it contains.'),
    ...madeFileFields,
  },
  filters: ['bureau', 'status'],
  nested: { disputes: nested(creditDisputes, 'answer_file_id', ['list']) },
});

const importRoute = endpoint({
  tag: 'loans',
  allow: 'admin',
  resource: 'credit-dispute-imports',
  method: 'POST',
  path: '/credit-dispute-imports',
  action: 'create',
  summary: "Import a file of a bureau's dispute requests",
  description:
    'Records each request as a dispute of the loan with its account number. Imports the whole file, or nothing if a line is wrong: 422 then lists the errors by line. A control number is recorded once, so you can send a file again; that also retries the requests that matched no loan. Answers 409 `credit_reporting_not_configured` without `credit_reporting.subscriber_codes` for the bureau.',
  conflicts: () => [noSubscriberCode('equifax')],
  status: 201,
  transaction: 'write',
  body: DisputeFile,
  reply: disputeImports.reply,
  run: async ({ work, body }) =>
    findOrThrow(
      work,
      imports.disputeImports,
      await importDisputes(work, body as z.output<typeof DisputeFile>),
    ),
});

const answerRoutes: Route[] = [
  {
    tag: 'loans',
    allow: 'admin',
    resource: 'credit-dispute-answer-files',
    method: 'POST',
    path: '/credit-dispute-answer-files',
    // Creating the file sends nothing out. Downloading it is refused to users who are denied a field.
    carries: [],
    security_event: 'export',
    action: 'create',
    summary: "Generate a file of answers to a bureau's dispute requests",
    description:
      'Contains every dispute of the bureau with a control number that you have answered and that is in no file yet: its response code and its corrected values. An empty cell leaves a field as it is, and `none` empties it. Answers 409 `nothing_to_send` without answers.',
    conflicts: () => [noAnswersToSend()],
    status: 201,
    transaction: 'own',
    body: NewAnswerFile,
    reply: disputeAnswerFiles.reply,
    run: async ({ within, installation, tenant_id, body }: OwnTransactionCall) => {
      const input = body as z.output<typeof NewAnswerFile>;
      const id = await sendAnswerFile(within, installation.files, tenant_id, input);
      return within(tenant_id, (work) => findOrThrow(work, answers.disputeAnswerFiles, id), {
        readOnly: true,
      });
    },
  },
  {
    tag: 'loans',
    allow: 'admin',
    resource: 'credit-dispute-answer-files',
    method: 'GET',
    path: '/credit-dispute-answer-files/{id}/download',
    carries: 'anything',
    security_event: 'export',
    action: 'download',
    summary: 'Get a download link for a file of answers',
    description: 'The link is temporary. The file is CSV, one line per answer.',
    status: 200,
    transaction: 'read',
    reply: bureauFileLink.meta({ id: 'CreditDisputeAnswerDownload' }),
    run: async (call) => {
      const { work, params } = call;
      const { id } = await findOrThrow(work, answers.disputeAnswerFiles, params['id']);
      const file = await answers.readAnswerFile(work.tx, id);
      if (file?.status !== 'completed')
        throw new NotFound('The file is not ready yet. Try again shortly.');
      return linkToStoredFile(call, { ...file, content_type: 'text/csv' });
    },
  },
];

export const disputeExchangeRoutes: Route[] = [
  ...disputeImports.routes,
  importRoute,
  ...disputeAnswerFiles.routes,
  ...answerRoutes,
];
