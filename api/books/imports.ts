import { z } from 'zod';
import { boardImportJob } from '../../jobs/books/imports/board-import.job.ts';
import {
  cancelImport,
  assertUploaded,
  requestCheck,
  resumeImport,
  fileMissing,
} from '../../jobs/books/imports/change-import.ts';
import { checkImportJob } from '../../jobs/books/imports/check-import.job.ts';
import {
  Confirmation,
  confirmImport,
  contentOfImport,
  checkOutdated,
  wrongStatus,
} from '../../jobs/books/imports/confirm-import.ts';
import { createImport } from '../../jobs/books/imports/create-import.ts';
import { ImportOptions } from '../../jobs/books/imports/import-options.ts';
import { storeBook } from '../../jobs/books/imports/store-book.ts';
import { sentFile } from '../../jobs/documents/direct-upload.ts';
import { derivedFrom } from '../../jobs/facts.ts';
import { enqueue } from '../../jobs/job.ts';
import * as stored from '../../sql/books/imports.ts';
import { maskPersonalNumbers } from '../../sql/personal-numbers.ts';
import {
  date,
  integer,
  jsonObject,
  money,
  text,
  timestamp,
  timestamps,
  uuid,
} from '../../sql/types.ts';
import { readReadyMapping, readyMappings } from '../../templates/mappings.ts';
import { findOrThrow } from '../endpoints/record-operations.ts';
import { nested, resource } from '../endpoints/resource.ts';
import type { Call, OwnTransactionCall, Route } from '../endpoints/route.ts';

const resourceDefaults = { area: 'books', read: 'admin', write: 'admin' } as const;
const count = integer.readonly();

/** A book may have a single loan of a status, whose fields the totals then reveal. */
const totals = derivedFrom(
  z
    .array(
      z.object({
        status: z.string().describe('The status of these loans.'),
        loans: integer.describe('How many loans have it.'),
        principal: money.describe('The principal that they owe.'),
        interest: money.describe('The interest that they owe.'),
        fees: money.describe('The fees that they owe.'),
        charged_off: money.describe('What is still owed of charged-off loans.'),
      }),
    )
    .nullable()
    .readonly(),
  ...(['loans.status', 'loans.principal_balance', 'loans.accrued_interest'] as const),
  ...(['loans.outstanding_fees', 'loans.total_balance', 'loans.charge_off_amount'] as const),
);

const findings = resource({
  ...resourceDefaults,
  name: 'ImportFinding',
  path: 'import-findings',
  about: 'Something that the check of an import found wrong or doubtful in a line of a file.',
  table: stored.importFindings,
  offers: [],
  sort: { field: 'position', descending: false },

  fields: {
    id: uuid.readonly(),
    import_id: uuid.readonly().describe('The import with the file.'),
    position: count.describe('The order of the findings, from 1.'),
    // Not `text`: names of a lender's file and a reason with a remedy may be longer.
    file: z.string().readonly().describe('The file of the book, such as `loans`.'),
    line: count.describe('The line in the file. The header is line 1.'),
    column_name: z.string().nullable().readonly().describe('The column. Null: the whole line.'),
    code: text.readonly().describe('The kind of finding, for programs.'),
    severity: z
      .enum(['error', 'warning'])
      .readonly()
      .describe('A file with an `error` cannot be boarded. A `warning` is for you to judge.'),
    reason: z.string().readonly().describe('The problem and its remedy.'),
    created_at: timestamp.readonly(),
  },
  filters: ['severity', 'code', 'file'],
});

export const imports = resource({
  ...resourceDefaults,
  name: 'Import',
  path: 'imports',
  about: 'A file with the loans of another system, from its check to the boarded loans.',
  table: stored.imports,
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    filename: text.readonly().describe('The name of the file.'),
    sha256_hash: text.readonly().describe('The hash of the file.'),
    file_size: z.coerce.number().readonly().describe('The size of the file in bytes.'),
    mapping: z.string().nullable().readonly().describe('The mapping of a foreign file, as YAML.'),
    options: jsonObject.readonly().describe('How the file is checked and boarded.'),
    status: z
      .enum(stored.IMPORT_STATUSES)
      .readonly()
      .describe(
        '`uploaded` and `checking` until the check is done. `refused`: the file has errors. `checked`: confirm its totals. `confirmed` and `boarding`: a worker boards the loans. `failed`: `failure_reason` says why; resume it after you corrected that. `canceled`: loans that were boarded before stay.',
      ),
    business_date: date
      .nullable()
      .readonly()
      .describe('The business date of the check, on which the loans are boarded.'),
    control_totals: totals.describe('What the loans of the file owe, by status.'),
    boarded_totals: totals.describe('What the boarded loans owe, by status. Null until then.'),
    error_count: count.describe('How many errors the check found.'),
    warning_count: count.describe('How many warnings the check found.'),
    loans_total: count.describe('How many loans the file has.'),
    loans_checked: count.describe('How many loans have been checked so far.'),
    rows_total: count.describe('How many rows the files have together.'),
    rows_staged: count.describe('How many rows have been prepared for boarding so far.'),
    loans_boarded: count.describe('How many loans have been boarded so far.'),
    failure_reason: z.string().nullable().readonly().describe('Why it failed.'),
    created_by: uuid.nullable().readonly().describe('The user who uploaded the file.'),
    confirmed_by: uuid.nullable().readonly().describe('The user who confirmed the totals.'),
    confirmed_at: timestamp.nullable().readonly().describe('When the totals were confirmed.'),
    boarded_at: timestamp.nullable().readonly().describe('When all loans were boarded.'),
    ...timestamps,
  },
  filters: ['status', 'sha256_hash', 'filename'],
  nested: { findings: nested(findings, 'import_id', ['list']) },
});

const NewImportForm = z.object({
  file: sentFile,
  mapping: z
    .string()
    .max(20_000, { error: 'Must be at most 20,000 characters.', abort: true })
    .refine(
      (text) => /[:\n]/.test(text) || text.trim() === '' || readReadyMapping(text) !== undefined,
      `Is neither a YAML mapping nor the name of a ready one: ${readyMappings().join(', ')}.`,
    )
    .overwrite(maskPersonalNumbers)
    .optional()
    .describe(
      `The mapping as YAML, for a file with other columns or formats, or the name of a ready one: ${readyMappings().join(', ')}.`,
    ),
  product_code: ImportOptions.shape.product_code,
  warnings_as_errors: ImportOptions.shape.warnings_as_errors,
  accepted_warnings: ImportOptions.shape.accepted_warnings,
  accept_difference: z
    .enum(['true', 'false'])
    .default('false')
    .transform((given) => given === 'true')
    .describe(
      'Whether loans are boarded with the balances of their history although the file states others.',
    ),
});

const routeDefaults = { tag: 'books', allow: 'admin', resource: 'imports' } as const;

const uploadRoute: Route = {
  ...routeDefaults,
  method: 'POST',
  path: '/imports',
  action: 'create',
  throttle: 'upload',
  summary: 'Upload a book of loans',
  description:
    'A worker checks the file and nothing is boarded yet: read the import until its status is `checked` or `refused`, then its findings. Confirm the totals to board the loans. The same file with the same mapping and options is the same import: you get it again, and it is checked again unless its totals were confirmed. The file is stored encrypted until its loans are boarded or the import is canceled. An unfinished import that nobody changes for 90 days is canceled, and its file removed.',
  status: 201,
  transaction: 'own',
  takes_file: true,
  carries: [],
  body: NewImportForm,
  reply: imports.reply,
  run: async ({ within, installation, tenant_id, body }: OwnTransactionCall) => {
    const { file, mapping, accept_difference, ...options } = body as z.output<typeof NewImportForm>;
    const row = await within(tenant_id, (work) =>
      createImport(work, {
        filename: file.name.slice(0, 200),
        sha256_hash: file.sha256_hash,
        file_size: file.size,
        mapping: mapping === undefined ? null : (readReadyMapping(mapping) ?? mapping),
        options: ImportOptions.parse({
          ...options,
          ...(accept_difference && { accept_difference }),
        }),
        isStored: true,
      }),
    );
    const { files, keys } = installation;
    await storeBook({ within, files, keys, tenantId: tenant_id }, row, () => file.content());
    return within(tenant_id, (work) => findOrThrow(work, stored.imports, row.id), {
      readOnly: true,
    });
  },
};

const changes = {
  ...routeDefaults,
  method: 'POST',
  status: 200,
  transaction: 'write',
  record: stored.imports,
  reply: imports.reply,
} as const;

const readBack = ({ work, params }: Call) => findOrThrow(work, stored.imports, params['id']);

const checkRoute: Route = {
  ...changes,
  path: '/imports/{id}/check',
  action: 'check',
  summary: 'Check an import again',
  description:
    'Use it after you corrected a product or a borrower here, or when the business date has moved. A worker checks the file; read the import until its status is `checked` or `refused`. Answers 409 `file_missing` for an import of the command line.',
  conflicts: () => [wrongStatus('boarding', 'check'), fileMissing()],
  run: async (call: Call) => {
    const { work, params } = call;
    const import_id = params['id'] ?? '';
    await requestCheck(work, import_id);
    await enqueue(work.tx, checkImportJob, { tenant_id: work.tenant_id, import_id });
    return readBack(call);
  },
};

const confirmRoute: Route = {
  ...changes,
  path: '/imports/{id}/confirm',
  action: 'confirm',
  summary: 'Confirm the totals of an import and board its loans',
  description:
    'Send the totals of the old system. A worker then boards the loans; read the import until its status is `boarded`. Answers 422 if they are not those of the file, and 409 `check_outdated` if the business date has moved since the check, or `file_missing` for an import of the command line. Needs a second person if `approvals.four_eyes` contains `imports`: the approval covers the hash of the file, its mapping and its totals.',
  conflicts: () => [
    wrongStatus('boarded', 'confirm'),
    checkOutdated('2026-01-14', '2026-01-15'),
    fileMissing(),
  ],
  body: Confirmation,
  four_eyes: 'imports',
  content: ({ work, params }) => contentOfImport(work, params['id'] ?? ''),
  run: async (call: Call) => {
    const { work, params, body } = call;
    const import_id = params['id'] ?? '';
    await confirmImport(work, import_id, body as z.output<typeof Confirmation>);
    await assertUploaded(work, import_id);
    await enqueue(work.tx, boardImportJob, { tenant_id: work.tenant_id, import_id });
    return readBack(call);
  },
};

const resumeRoute: Route = {
  ...changes,
  path: '/imports/{id}/resume',
  action: 'resume',
  summary: 'Resume a failed import',
  description:
    'Boards the loans that are missing, as of the present business date. Loans that are boarded already are not boarded again. Answers 409 `file_missing` for an import of the command line.',
  conflicts: () => [wrongStatus('boarding', 'resume'), fileMissing()],
  run: async (call: Call) => {
    const { work, params } = call;
    const import_id = params['id'] ?? '';
    await resumeImport(work, import_id);
    await assertUploaded(work, import_id);
    await enqueue(work.tx, boardImportJob, { tenant_id: work.tenant_id, import_id });
    return readBack(call);
  },
};

const cancelRoute: Route = {
  ...changes,
  path: '/imports/{id}/cancel',
  action: 'cancel',
  summary: 'Cancel an import',
  description:
    'Stops the import and removes its file. Loans that are boarded already stay. The same file can then be uploaded as a new import.',
  conflicts: () => [wrongStatus('boarded', 'cancel')],
  run: async (call: Call) => {
    const { work, params } = call;
    const import_id = params['id'] ?? '';
    await cancelImport(work, import_id);
    // The job removes the file.
    await enqueue(work.tx, boardImportJob, { tenant_id: work.tenant_id, import_id });
    return readBack(call);
  },
};

export const importRoutes: Route[] = [
  ...imports.routes,
  uploadRoute,
  checkRoute,
  confirmRoute,
  resumeRoute,
  cancelRoute,
];
