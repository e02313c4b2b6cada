import { z } from 'zod';
import {
  createReconciliation,
  SignOff,
  signOff,
  signOffConflicts,
} from '../../jobs/books/reconciliations/change-reconciliation.ts';
import { reconcileJob } from '../../jobs/books/reconciliations/reconcile.job.ts';
import {
  ReconciliationOptions,
  RESULT_KINDS,
} from '../../jobs/books/reconciliations/reconciliation-input.ts';
import { RESULT_TEXTS } from '../../jobs/books/reconciliations/result-rows.ts';
import { sentFile } from '../../jobs/documents/direct-upload.ts';
import { sealStream } from '../../jobs/files/sealed-files.ts';
import { NotFound } from '../../jobs/errors.ts';
import { derivedFrom, type FactName } from '../../jobs/facts.ts';
import { enqueue } from '../../jobs/job.ts';
import * as stored from '../../sql/books/reconciliations.ts';
import { maskPersonalNumbers } from '../../sql/personal-numbers.ts';
import {
  date,
  flag,
  integer,
  money,
  signedMoney,
  text,
  timestamp,
  timestamps,
  uuid,
} from '../../sql/types.ts';
import { linkToStoredFile } from '../documents/stored-links.ts';
import { bureauFileLink } from '../loans/bureau-files.ts';
import { findOrThrow } from '../endpoints/record-operations.ts';
import { nested, resource } from '../endpoints/resource.ts';
import type { Call, OwnTransactionCall, Route } from '../endpoints/route.ts';

/** The figures of loans that a comparison shows, and that its results let a reader compute. */
const FIGURES = [
  ...(['loans.principal_balance', 'loans.accrued_interest', 'loans.outstanding_fees'] as const),
  ...(['loans.total_balance', 'loans.next_payment_amount'] as const),
  ...(['loans.next_payment_date', 'loans.days_past_due', 'loans.delinquency_bucket'] as const),
  ...(['loans.payment_amount', 'loans.last_payment_date', 'loans.status'] as const),
  ...(['loans.paid_principal', 'loans.paid_interest', 'loans.paid_fees'] as const),
] satisfies readonly FactName[];
const figure = derivedFrom(z.string().nullable().readonly(), ...FIGURES);

const resourceDefaults = { area: 'books', read: 'admin', write: 'admin' } as const;
const count = integer.readonly();
const kind = z.enum(RESULT_KINDS);

const computedStep = z.object({
  text: z.string().describe('What the step counts.'),
  amount: signedMoney.describe('The amount of the step.'),
});
const computation = z.object({
  principal: money.describe('The principal at the end of that day.'),
  interest: money.describe('The unpaid interest.'),
  fees: money.describe('The unpaid fees.'),
  events: z.array(z.unknown()).describe('What happens on that day: kind, date and amount.'),
  steps: z.array(computedStep).describe('The interest owed before, and what the events move.'),
});

const differences = resource({
  ...resourceDefaults,
  name: 'ReconciliationDifference',
  path: 'reconciliation-differences',
  about: 'A figure of a loan that differs between two systems, and why.',
  table: stored.reconciliationDifferences,
  offers: [],
  sort: { field: 'position', descending: false },

  fields: {
    id: uuid.readonly(),
    reconciliation_id: uuid.readonly().describe('The comparison that found it.'),
    position: count.describe('The order of the differences, from 0.'),
    loan_id: uuid.nullable().readonly().describe('The loan here. Null if there is none.'),
    loan_number: text.readonly().describe('The number of the loan in the file.'),
    figure: z
      .string()
      .nullable()
      .readonly()
      .describe('The figure as in `figures.csv`. Null if the loan was not compared.'),
    kind: kind
      .readonly()
      .describe(
        `Why the systems differ. ${RESULT_KINDS.map((name) => `\`${name}\`: ${RESULT_TEXTS[name].explanation}`).join(' ')}`,
      ),
    is_accepted: flag.readonly().describe('Whether the comparison accepts this kind.'),
    reason: derivedFrom(z.string().readonly(), ...FIGURES).describe(
      'What the systems do differently.',
    ),
    first_date: date.nullable().readonly().describe('The first day with a difference.'),
    first_ours: figure.describe('The figure here on that day.'),
    first_theirs: figure.describe('The figure of the other system.'),
    last_date: date.nullable().readonly().describe('The last day with a difference.'),
    last_ours: figure.describe('The figure here on the last day.'),
    last_theirs: figure.describe('The figure of the other system then.'),
    days_differing: count.describe('On how many of the compared days the figure differs.'),
    days_not_compared: count.describe('How many days of the loan in the file were left out.'),
    parting: derivedFrom(
      z
        .object({
          date: date.describe('The first day on which both computations differ.'),
          ours: computation.describe('The computation here.'),
          theirs: computation.describe('The computation of the other system.'),
        })
        .nullable()
        .readonly(),
      ...FIGURES,
    ).describe('Both computations, with the first figure of a loan. Null if the kind is unknown.'),
    created_at: timestamp.readonly(),
  },
  filters: ['kind', 'is_accepted', 'figure', 'loan_number', 'loan_id'],
});

const summary = z
  .array(
    z.object({
      kind: kind.describe('Why these loans differ.'),
      loans: integer.describe('How many loans differ for this reason.'),
      figures: integer.describe('How many of their figures differ.'),
      amount: signedMoney.describe(
        'The sum of the differences on the last days, here minus there.',
      ),
      is_accepted: flag.describe('Whether the comparison accepts the kind.'),
    }),
  )
  .readonly();

export const reconciliations = resource({
  ...resourceDefaults,
  name: 'Reconciliation',
  path: 'reconciliations',
  about: 'A comparison of the figures of another system with those here.',
  table: stored.reconciliations,
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    filename: text.readonly().describe('The name of the file.'),
    sha256_hash: text.readonly().describe('The hash of the file.'),
    file_size: z.coerce.number().readonly().describe('The size of the file in bytes.'),
    mapping: z.string().nullable().readonly().describe('The mapping of a foreign file, as YAML.'),
    compares: z
      .enum(['loans', 'book'])
      .readonly()
      .describe('`loans`: the loans here. `book`: the loans and histories of the file.'),
    loans_here: z
      .enum(stored.LOANS_HERE)
      .readonly()
      .describe('Which loans here the file must have.'),
    through_date: date.nullable().readonly().describe('Later figures are ignored.'),
    tolerance: money.readonly().describe('Amounts may differ by this much.'),
    accepted_kinds: z.array(kind).readonly().describe('The kinds that are accepted.'),
    status: z
      .enum(stored.RECONCILIATION_STATUSES)
      .readonly()
      .describe('`done`: the results are complete. `failed`: `failure_reason` says why.'),
    failure_reason: z.string().nullable().readonly().describe('Why it failed.'),
    loans_total: count.describe('How many loans the results have. While it runs: how many so far.'),
    loans_agreeing: count.describe('How many loans agree in all figures.'),
    loans_accepted: count.describe('How many loans differ by an accepted kind.'),
    loans_differing: count.describe('How many other loans differ or are missing in a system.'),
    loans_not_compared: count.describe('How many loans were not, or only partly, compared.'),
    has_file: flag
      .readonly()
      .describe(
        'Whether the differences are ready as CSV, from `GET /reconciliations/{id}/download`.',
      ),
    loans_only_here: count.describe(
      'How many other loans with a debt are here. They are not in the file and need not be (`loans_here`).',
    ),
    days_compared: count.describe('How many days of loans were compared.'),
    days_not_compared: count.describe(
      'How many days of the compared loans were left out, because the figures here do not cover them or the file states no figure.',
    ),
    first_date: date.nullable().readonly().describe('The first day with a difference.'),
    last_date: date.nullable().readonly().describe('The last day that was compared.'),
    summary: derivedFrom(summary, ...FIGURES).describe(
      'The differences by kind, the most frequent first.',
    ),
    fingerprint: z
      .string()
      .nullable()
      .readonly()
      .describe('The hash of the file, the options and all results. A sign-off names it.'),
    computed_at: timestamp.nullable().readonly().describe('When the comparison was done.'),
    created_by: uuid.nullable().readonly().describe('The user who made it. Null: a command.'),
    signed_off_by: uuid.nullable().readonly().describe('The user who signed it off.'),
    signed_off_at: timestamp.nullable().readonly().describe('When it was signed off.'),
    sign_off_note: z.string().nullable().readonly().describe('What that user noted.'),
    ...timestamps,
  },
  filters: ['status', 'compares', 'sha256_hash', 'signed_off_by'],
  nested: { differences: nested(differences, 'reconciliation_id', ['list']) },
});

const NewReconciliationForm = ReconciliationOptions.extend({
  file: sentFile,
  mapping: z
    .string()
    .max(20_000, { error: 'Must be at most 20,000 characters.', abort: true })
    .overwrite(maskPersonalNumbers)
    .optional()
    .describe('The mapping as YAML, for a file with other columns or formats.'),
});

const routeDefaults = {
  tag: 'books',
  allow: 'admin',
  resource: 'reconciliations',
  method: 'POST',
  reply: reconciliations.reply,
} as const;

const createRoute: Route = {
  ...routeDefaults,
  path: '/reconciliations',
  action: 'create',
  throttle: 'upload',
  summary: 'Compare the figures of another system',
  description:
    'Upload `figures.csv`, or a zip with more files of a book. A worker compares the figures of each loan and day with those here and names each difference; read the reconciliation until its status is `done`. The file is stored encrypted until then. Each upload is a new comparison.',
  status: 201,
  transaction: 'own',
  takes_file: true,
  // Guesses in a file and a tolerance would reveal the figures.
  carries: FIGURES,
  body: NewReconciliationForm,
  run: async ({ within, installation, tenant_id, body }: OwnTransactionCall) => {
    const { file, mapping, ...options } = body as z.output<typeof NewReconciliationForm>;
    const made = await within(tenant_id, (work) =>
      createReconciliation(work, {
        ...options,
        filename: file.name.slice(0, 200),
        sha256_hash: file.sha256_hash,
        file_size: file.size,
        mapping: mapping ?? null,
        isStored: true,
      }),
    );
    const content = sealStream(made.file_key, () => file.content());
    await installation.files.put(made.storage_key ?? '', content);
    await within(tenant_id, ({ tx }) =>
      enqueue(tx, reconcileJob, { tenant_id, reconciliation_id: made.id }),
    );
    return within(tenant_id, (work) => findOrThrow(work, stored.reconciliations, made.id), {
      readOnly: true,
    });
  },
};

const ChangedLoans = z.object({
  reconciliation_id: uuid.describe('The comparison.'),
  changed_loans: integer.describe(
    'How many of the compared loans have events that were recorded later and count from a compared day.',
  ),
});

const changesRoute: Route = {
  ...routeDefaults,
  method: 'GET',
  path: '/reconciliations/{id}/changes',
  action: 'read',
  summary: 'Count the loans that changed since a comparison',
  description:
    'A reconciliation, also one that is signed off, no longer shows the present if the past of its loans has changed. Compare the file again then.',
  status: 200,
  transaction: 'read',
  carries: [],
  reply: ChangedLoans,
  run: async ({ work, params }: Call) => {
    const { id } = await findOrThrow(work, stored.reconciliations, params['id']);
    return {
      reconciliation_id: id,
      changed_loans: await stored.countChangedLoans(work.tx, id),
    };
  },
};

const signOffRoute: Route = {
  ...routeDefaults,
  path: '/reconciliations/{id}/sign-off',
  action: 'sign_off',
  summary: 'Sign off a reconciliation',
  description:
    'Another user than the one who made it signs off the results with this fingerprint. Answers 409 `four_eyes` for the same user, `fingerprint_differs` for other results, and `loans_changed` if the past of a compared loan has changed since.',
  conflicts: signOffConflicts,
  status: 200,
  transaction: 'write',
  record: stored.reconciliations,
  body: SignOff,
  run: async ({ work, params, body }: Call) => {
    const id = params['id'] ?? '';
    await signOff(work, id, body as z.output<typeof SignOff>);
    return findOrThrow(work, stored.reconciliations, id);
  },
};

const downloadRoute: Route = {
  ...routeDefaults,
  method: 'GET',
  path: '/reconciliations/{id}/download',
  action: 'download',
  summary: 'Get a download link for the differences as CSV',
  description:
    'The link is temporary. The file has one line per figure that differs, in the order of the compared file. A worker writes it when the comparison is done, also after `npm run reconcile`; until then the answer is 404.',
  status: 200,
  transaction: 'read',
  carries: 'anything',
  security_event: 'export',
  reply: bureauFileLink.meta({ id: 'ReconciliationDownload' }),
  run: async (call: Call) => {
    const { work, params } = call;
    const { id } = await findOrThrow(work, stored.reconciliations, params['id']);
    const run = await stored.readReconciliation(work.tx, id);
    if (run === null || run.differences_key === null)
      throw new NotFound('The file is not ready yet. Try again shortly.');
    const storage_key = run.differences_key;
    const filename = 'differences.csv';
    return linkToStoredFile(call, { storage_key, filename, content_type: 'text/csv' });
  },
};

export const reconciliationRoutes: Route[] = [
  ...reconciliations.routes,
  createRoute,
  changesRoute,
  downloadRoute,
  signOffRoute,
];
