import { z } from 'zod';
import { recordAudit } from '../../jobs/audit.ts';
import { derivedFrom, type FactName } from '../../jobs/facts.ts';
import { enqueue } from '../../jobs/job.ts';
import {
  TapeRequest,
  generateTape,
  writeTape,
  requestTape,
  statusesNotKept,
  tooManyRows,
} from '../../jobs/portfolios/generate-tape.job.ts';
import {
  addTapeConfig,
  changeTapeConfig,
  Columns,
  Filters,
  Recipients,
  SCHEDULES,
} from '../../jobs/portfolios/tape-config.ts';
import { CONTENT_TYPES } from '../../jobs/portfolios/tape-file.ts';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import { findDocumentStorageKey } from '../../sql/documents/documents.ts';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import * as tapes from '../../sql/portfolios/tapes.ts';
import { date, flag, integer, timestamps, timestamp, uuid, requiredText } from '../../sql/types.ts';
import { absoluteUrl } from '../documents/documents.ts';
import { findOrThrow } from '../endpoints/record-operations.ts';
import { isAnyFieldDenied } from '../endpoints/recent-proof.ts';
import { nested, resource } from '../endpoints/resource.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { assertFactsVisible } from '../http/denied-fields.ts';
import { tapeDeliveries, retryTapeDelivery } from './tape-deliveries.ts';
import { notKnownThen, dayNotRecorded } from '../../jobs/portfolios/recorded-days.ts';

const { configs: table, tapes: tapeTable } = tapes;

/**
 * The facts in a tape: its columns and the filters that select its loans. A tape cannot be redacted, so one
 * denied fact refuses it.
 */
function factsOf({ columns, filters }: Record<string, unknown>): FactName[] {
  const names = [...((columns ?? []) as string[]), ...Object.keys(filters ?? {})];
  return names.map((name): FactName => `loan-tapes.${name}`);
}

export const loanTapeConfigs = resource({
  name: 'LoanTapeConfig',
  path: 'loan-tape-configs',
  about: 'What a loan tape contains, when it is generated and where it goes.',
  area: 'portfolios',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name of the tape, and of its files.'),
    portfolio_id: uuid
      .nullish()
      .describe('The portfolio whose loans the tape contains. Default: all loans.'),
    format: z.enum(tapes.TAPE_FORMATS).default('csv').describe('The file format.'),
    columns: Columns.describe('The columns in their order. Each name can appear once.'),
    filters: Filters.default({}).describe('Which loans the tape contains. All filters must match.'),
    schedule: z
      .enum(SCHEDULES)
      .default('none')
      .describe(
        'When close of business generates the tape: `daily`, `weekly` on Sundays, `monthly` and `quarterly` on the last day. `none`: only on request.',
      ),
    include_header: flag.default(true).describe('Whether the first row contains the column names.'),
    is_active: flag.default(true).describe('Whether the schedule runs.'),
    delivery: z
      .enum(['document', 'email', 'sftp'])
      .default('document')
      .describe(
        'Where each tape goes: `document` only stores it, `email` also sends it to `recipients`, `sftp` uploads it to the server.',
      ),
    recipients: Recipients.default([]).describe(
      'The email addresses for delivery by email, at most 20.',
    ),
    attach_file: flag
      .default(false)
      .describe(
        'Whether an email contains the file itself, instead of a link that is valid for a week.',
      ),
    sftp_server_id: uuid
      .nullish()
      .describe('The server for delivery by SFTP. Must be given for `sftp`.'),
    last_generated_at: timestamp.nullable().readonly().describe('When it last made a tape.'),
    next_run_at: date
      .nullable()
      .readonly()
      .describe('The business date whose close makes the next tape.'),
    ...timestamps,
  },
  filters: ['name', 'portfolio_id', 'format', 'schedule', 'is_active'],

  four_eyes: { create: 'destinations', update: 'destinations' },
  needs_proof: { create: isAnyFieldDenied, update: isAnyFieldDenied },
  carries: factsOf,
  example: () => ({ columns: ['loan_number', 'principal_balance'] }),
  create: addTapeConfig,
  update: changeTapeConfig,
});

/** Larger portfolios are left to the workers, and the tape is downloaded later. */
const SYNCHRONOUS_LOANS_MAX = 5_000;
/** After this time a worker generates the tape if the request did not. */
const WORKER_TAKEOVER_MS = 60_000;

/** A generated or pending tape. */
const listedTapes = resource({
  name: 'ListedLoanTape',
  path: 'loan-tapes',
  about: 'A file with the loans of a day, and the state of its delivery.',
  area: 'portfolios',
  table: tapeTable,
  read: 'viewer',
  write: 'admin',
  offers: ['list'],

  fields: {
    id: uuid.readonly(),
    loan_tape_config_id: uuid.readonly().describe('The config of the tape.'),
    portfolio_id: uuid.nullable().readonly(),
    as_of_date: date.readonly().describe('The day of its figures.'),
    format: z.enum(tapes.TAPE_FORMATS).readonly().describe('The file format.'),
    status: z
      .enum(['pending', 'completed', 'failed'])
      .readonly()
      .describe('`pending` until the file is written.'),
    failure_reason: z.string().nullable().readonly().describe('Why it failed.'),
    row_count: integer.nullable().readonly().describe('How many loans it contains.'),
    document_id: uuid.nullable().readonly(),
    filename: z.string().readonly().describe('The name of the file.'),
    checksum: z.string().nullable().readonly().describe('The SHA-256 hash of the file.'),
    totals: z
      .object({
        principal_balance: z.string().optional().describe('The principal of its loans.'),
        ledger_principal: z
          .string()
          .optional()
          .describe('The ledger balance of these loans at the end of the day.'),
        ledger_difference: z.string().optional().describe('The difference between the two.'),
      })
      .readonly()
      .describe('Sums of the tape, to compare with the ledger.'),
    warnings: z
      .array(
        z.object({
          code: z.string().describe('The kind of warning, for programs.'),
          message: z.string().describe('The warning in words.'),
          count: z.int().describe('How many loans it concerns.'),
        }),
      )
      .readonly()
      .describe('What to know about its data.'),
    delivery_status: z
      .enum(['none', 'pending', 'sent', 'failed', 'superseded'])
      .readonly()
      .describe('The state of its delivery.'),
    delivery_error: z.string().nullable().readonly().describe('Why the delivery failed.'),
    generated_at: timestamp.nullable().readonly().describe('When the file was written.'),
    ...timestamps,
  },
  filters: [
    'loan_tape_config_id',
    'portfolio_id',
    'as_of_date',
    'format',
    'status',
    'delivery_status',
  ],
  nested: { deliveries: nested(tapeDeliveries, 'loan_tape_id', ['list']) },
  actions: {
    'retry-delivery': {
      ...retryTapeDelivery,
      carries: async ({ work, params: { id = '' } }) => {
        await findOrThrow(work, tapeTable, id);
        return factsOf(await tapes.readContents(work.tx, id));
      },
    },
  },
});

const tapeReply = z
  .object({
    ...listedTapes.reply.shape,
    download_url: derivedFrom(z.string().nullable(), 'documents.storage_key').describe(
      'A temporary link to the file. Null until the tape is ready.',
    ),
    expires_at: timestamp.nullable().describe('When the link stops working. Null without a link.'),
  })
  .meta({ id: 'LoanTape' });

/** Returns the tape and, once it is ready, its download link. */
async function tapeAnswer(
  { within, installation, tenant_id, access, origin }: OwnTransactionCall,
  id: string,
) {
  const { tape, key, seconds } = await within(
    tenant_id,
    async (work) => {
      const row = await findOrThrow(work, tapeTable, id);
      assertFactsVisible(access, factsOf(await tapes.readContents(work.tx, id)));
      const { documents } = await settingsOf(work.tx);
      const document_id = typeof row['document_id'] === 'string' ? row['document_id'] : null;
      return {
        tape: row,
        key: document_id && (await findDocumentStorageKey(work.tx, document_id)),
        seconds: documents.download_ttl_s,
      };
    },
    { readOnly: true },
  );
  if (!key) return { ...tape, download_url: null, expires_at: null };
  const expires_at = new Date(Date.now() + seconds * 1000);
  const filename = String(tape['filename']);
  const content_type = CONTENT_TYPES[tape['format'] as tapes.TapeFormat];
  const link = { key, method: 'GET' as const, expires_at, content_type, filename };
  const download_url = absoluteUrl(origin, await installation.files.presign(link));
  return { ...tape, download_url, expires_at: expires_at.toISOString() };
}

const routeDefaults = {
  tag: 'portfolios',
  resource: 'loan-tape-configs',
  status: 200,
  transaction: 'own',
} as const;

export const tapeRoutes: Route[] = [
  ...listedTapes.routes,
  {
    ...routeDefaults,
    method: 'POST',
    path: '/loan-tape-configs/{id}/generate',
    security_event: 'export',
    carries: 'judged',
    action: 'generate',
    summary: 'Generate a loan tape',
    description:
      'A tape of up to 5,000 loans is ready with the answer. A larger one is `pending`: read it until `download_url` is set. Answers 409 if the records of a past day do not contain what the tape needs. Sends the tape as its config says.',
    conflicts: () => [
      dayNotRecorded({ as_of_date: '2025-06-30', known_from: '2025-09-01' }),
      notKnownThen(['delinquency_bucket'], '2025-09-01'),
      statusesNotKept(['paid_off']),
      tooManyRows(),
    ],
    allow: 'admin',
    body: TapeRequest,
    reply: tapeReply,
    run: async (call: OwnTransactionCall) => {
      const { within, installation, tenant_id, params, body } = call;
      const { id, isSmall } = await within(tenant_id, async (work) => {
        const config = await findOrThrow(work, table, params['id']);
        assertFactsVisible(call.access, factsOf(config));
        const made = await requestTape(work, config.id, TapeRequest.parse(body));
        await recordAudit(work, { type: table.name, id: config.id }, 'generate', {});
        const isSmall =
          (await portfolios.countLoansUpTo(
            work.tx,
            config['portfolio_id'],
            SYNCHRONOUS_LOANS_MAX + 1,
          )) <= SYNCHRONOUS_LOANS_MAX;
        // Small tapes also get a job, because this process may crash or file storage may fail.
        const later = isSmall ? new Date(Date.now() + WORKER_TAKEOVER_MS) : undefined;
        await enqueue(work.tx, generateTape, { tenant_id, tape_id: made }, later);
        return { id: made, isSmall };
      });
      if (isSmall) {
        await writeTape(within, installation.files, tenant_id, id);
        // Completes the job now instead of in a minute. The worker finds the tape finished.
        await within(tenant_id, ({ tx }) => enqueue(tx, generateTape, { tenant_id, tape_id: id }));
      }
      return tapeAnswer(call, id);
    },
  },
  {
    ...routeDefaults,
    method: 'GET',
    path: '/loan-tapes/{id}',
    security_event: 'export',
    carries: 'judged',
    action: 'show',
    resource: 'loan-tapes',
    summary: 'Get a loan tape',
    description: 'Includes a download link once the file is ready.',
    allow: 'viewer',
    reply: tapeReply,
    run: async (call: OwnTransactionCall) => tapeAnswer(call, call.params['id'] ?? ''),
  },
];
