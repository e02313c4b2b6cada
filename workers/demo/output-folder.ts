import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { findDocumentStorageKey } from '../../sql/documents/documents.ts';
import { startProgressBar } from '../processes/progress-bar.ts';
import { waitUntil } from './retry.ts';
import type { Platform } from './platform.ts';
import type { DemoTenant } from './demo-tenant.ts';
import { fetchAllPages } from './concurrency.ts';

/** The results in the output folder. A run never touches other files there. */
const RESULT_NAMES = ['statements', 'mails', 'letters', 'loan-tape.csv', 'snapshots.json'] as const;

export const platformFolder = (out: string) => path.join(out, 'platform');

/** Says whether an earlier run left results. */
export const hasRun = (out: string): boolean =>
  ['platform', ...RESULT_NAMES].some((name) => existsSync(path.join(out, name)));

/** Removes the results of an earlier run. */
export function removeEarlierOutput(out: string) {
  const platform = platformFolder(out);
  for (const name of RESULT_NAMES) rmSync(path.join(out, name), { recursive: true, force: true });
  // The database's folder stays, because the server that owns it empties it.
  for (const name of ['files', 'outbox', 'log.txt', 'receiver.pem', 'database-url', 'logins.json'])
    rmSync(path.join(platform, name), { recursive: true, force: true });
  mkdirSync(platform, { recursive: true });
}

/**
 * Copies the results into the output folder: statements, mails, letters, the loan tape and the snapshots.
 */
export async function exportFiles(
  out: string,
  platform: Platform,
  stage: DemoTenant,
  ids: ReadonlyMap<string, string>,
) {
  const { slug, portfolios } = stage;
  const folder = platformFolder(out);
  const numbers = new Map([...ids].map(([number, id]) => [id, number]));
  const files = path.join(folder, 'files', slug);
  for (const loan of entriesIn(files)) {
    const number = numbers.get(loan);
    if (number)
      copyResults(
        path.join(files, loan, 'monthly_statement'),
        path.join(out, 'statements'),
        number,
      );
  }
  copyResults(path.join(folder, 'outbox'), path.join(out, 'mails'));
  copyResults(path.join(files, 'outbox', 'letters'), path.join(out, 'letters'));
  const key = await orderLoanTape(platform, stage);
  copyFileSync(path.join(folder, 'files', key), path.join(out, 'loan-tape.csv'));
  const snapshots: unknown[] = [];
  for (const id of portfolios) snapshots.push(...(await snapshotsOf(stage, id)));
  writeFileSync(path.join(out, 'snapshots.json'), `${JSON.stringify(snapshots, null, 2)}\n`);
}

const entriesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

function copyResults(from: string, to: string, prefix?: string) {
  mkdirSync(to, { recursive: true });
  for (const name of entriesIn(from)) {
    const [source, target] = [
      path.join(from, name),
      path.join(to, prefix ? `${prefix}-${name}` : name),
    ];
    try {
      linkSync(source, target);
    } catch {
      copyFileSync(source, target);
    }
  }
}

const TAPE_COLUMNS = [
  'loan_number',
  'borrower_name',
  'borrower_state',
  'product',
  'status',
  'origination_date',
  'maturity_date',
  'original_principal',
  'principal_balance',
  'accrued_interest',
  'outstanding_fees',
  'total_balance',
  'interest_rate',
  'term_months',
  'remaining_term',
  'payment_amount',
  'next_payment_date',
  'next_payment_amount',
  'last_payment_date',
  'total_paid',
  'days_past_due',
  'delinquency_bucket',
  'past_due_amount',
];

type Tape = { id: string; document_id: string | null; row_count: number | null };

/**
 * Orders an investor's loan tape through the API and returns its path. For a large tape, the workers create
 * the file after the API has answered.
 */
export async function orderLoanTape(
  { within }: Pick<Platform, 'within'>,
  { admin, tenant_id }: Pick<DemoTenant, 'admin' | 'tenant_id'>,
): Promise<string> {
  const config = { name: 'All loans', format: 'csv', columns: TAPE_COLUMNS };
  const { id } = await admin.post<{ id: string }>('/loan-tape-configs', config, 'tape-config');
  const bar = startProgressBar('Loan tape', 1);
  let tape = await admin.post<Tape>(`/loan-tape-configs/${id}/generate`, {}, 'tape');
  await waitUntil('the loan tape', async () => {
    if (tape.document_id === null) tape = await admin.get<Tape>(`/loan-tapes/${tape.id}`);
    bar.at(0, 'waiting for the workers to write it');
    return tape.document_id !== null;
  });
  bar.end(`${tape.row_count} loans written`);
  const { document_id } = tape;
  const key =
    document_id && (await within(tenant_id, ({ tx }) => findDocumentStorageKey(tx, document_id)));
  if (!key) throw new Error(`The loan tape ${tape.id} has no file.`);
  return key;
}

const snapshotsOf = ({ admin }: DemoTenant, portfolio: string): Promise<unknown[]> =>
  fetchAllPages((range) => {
    const query = new URLSearchParams({ sort: '["snapshot_date","ASC"]', range });
    return admin.get<unknown[]>(`/portfolios/${portfolio}/snapshots?${query}`);
  });
