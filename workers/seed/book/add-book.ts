import type { DatabasePool } from 'slonik';
import { addDays, monthStart } from '../../../jobs/dates.ts';
import { resetToBook } from '../../../jobs/operations/sandbox.ts';
import type { Within } from '../../../jobs/work.ts';
import {
  dropStatementJobs,
  findSandboxBook,
  saveSandboxBook,
} from '../../../sql/operations/sandbox.ts';
import * as operations from '../../../sql/queue/worker-operations.ts';
import { signIn, type Client } from '../../demo/client.ts';
import { waitUntil } from '../../demo/retry.ts';
import { orderStatements } from '../../demo/statements.ts';
import { buildBook } from './build-book.ts';
import { withServers } from './book-servers.ts';

/** The number of statements of the last month that are printed. The others exist without a PDF. */
const PRINTED = 20;

export type BookSettings = {
  owner: DatabasePool;
  within: Within;
  tenant_id: string;
  slug: string;
  loans: number;
  password: string;
  url: string;
  secret: string;
  folder: string;
  variables: Record<string, string | undefined>;
};

/**
 * Fills the sandbox with a book of loans, and saves it as the book that a reset returns to. Adds nothing if
 * the sandbox has one. After an interruption it begins again from the book without these loans.
 */
export async function addBook(settings: BookSettings) {
  const { owner, within, tenant_id, slug } = settings;
  const known = await findSandboxBook(owner, tenant_id);
  if (!known.is_sandbox)
    throw new Error(
      `The tenant ${slug} is not a sandbox, so it takes no book. Use an empty database.`,
    );
  if (known.saved_loans > 0)
    return console.log(`The tenant ${slug} already has a book of ${known.saved_loans} loans.`);
  if (known.loans > 0) await resetToBook(within, tenant_id);
  const held = { task: 'issue-statements', tenant_id };
  const cause = { who: 'seed', why: 'The book prints only some of its statements.' };
  await operations.pauseWork(owner, held, cause);
  try {
    await withServers(settings, (origin) => fill(settings, origin));
    await dropStatementJobs(owner, tenant_id);
  } finally {
    await operations.resumeWork(owner, held, cause);
  }
  const today = await within(tenant_id, (work) => Promise.resolve(work.today));
  await orderStatements({ within }, { tenant_id }, PRINTED, monthStart(today));
  await saveSandboxBook(owner, tenant_id);
}

async function fill(settings: BookSettings, origin: string) {
  const { within, tenant_id, slug, loans, password } = settings;
  const [officer, admin] = await Promise.all([
    signIn(origin, `officer@${slug}.test`, password),
    signIn(origin, `admin@${slug}.test`, password),
  ]);
  const advanceTo = (date: string) => advance(admin, date);
  await buildBook({ tenant_id, within, officer, admin, advanceTo }, loans);
}

async function advance(admin: Client, to_date: string) {
  await admin.post('/sandbox/advance', { to_date }, `advance-${to_date}`);
  await waitUntil(`the close of ${addDays(to_date, -1)}`, async () => {
    const { status, failure_reason } = await admin.get<{
      status: string;
      failure_reason: string | null;
    }>('/sandbox');
    if (status === 'failed') throw new Error(failure_reason ?? 'A close failed.');
    return status === 'ready';
  });
}
