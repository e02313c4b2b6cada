import { parseArgs } from 'node:util';
import { addDays, localDate } from '../jobs/dates.ts';
import { DEFAULT_INSTALLATION } from '../jobs/installation.ts';
import { assertKeysPresent } from '../jobs/sealing/reseal.ts';
import { deriveKeys, readSecret } from '../jobs/sealing/secrets.ts';
import { changeSettings } from '../jobs/users/settings/change-settings.ts';
import { createUser } from '../jobs/users/create-user.ts';
import { initializeTenant } from '../jobs/users/initialize-tenant.ts';
import { addTenant } from '../jobs/users/add-tenant.ts';
import { settingsOf } from '../jobs/users/settings/settings.ts';
import { SYSTEM, createWithin, type Within, type Work } from '../jobs/work.ts';
import type { DatabasePool } from 'slonik';
import { openPool } from '../sql/database/db.ts';
import { findSandboxBook, saveSandboxBook } from '../sql/operations/sandbox.ts';
import { firstProgram } from '../sql/loans/boarding/tape.ts';
import { listActiveTenants, currentTenant } from '../sql/tenants.ts';
import { findActiveByEmail } from '../sql/users/accounts.ts';
import { findDatabase, readCommandConfiguration } from './processes/configuration.ts';
import { addAccount } from './seed/account.ts';
import { addBook } from './seed/book/add-book.ts';
import { BOOK_MAX, BOOK_MIN } from './seed/book/kinds.ts';
import { BOOK_DAYS } from './seed/book/plan-book.ts';
import { seedLetterhead } from './seed/letterhead.ts';
import { addLoans, addBorrowers } from './seed/loans.ts';

/**
 * `npm run seed` creates development data: tenants, users and loans. You may run it again at any time,
 * because it leaves existing data unchanged. `--book 200` also fills the tenant demo with loans in every state.
 */
const TENANTS = [
  { slug: 'demo', name: 'Demo Lending', domains: ['localhost', '127.0.0.1'] },
  { slug: 'acme', name: 'Acme Credit Union', domains: ['acme.localhost'] },
];
const STAFF = [
  { name: 'viewer', tenant_role: 'viewer' },
  { name: 'collector', tenant_role: 'collector' },
  { name: 'officer', tenant_role: 'loan_officer' },
  { name: 'admin', tenant_role: 'admin' },
  { name: 'superadmin', tenant_role: 'superadmin' },
];
const TIME_ZONE = 'America/New_York';

type SeedInputs = {
  url: string;
  secret: string;
  environment: string;
  password: string;
  local_port: number;
  /** The number of loans of the demo tenant's book. */
  book: number | null;
  folder: string;
};

async function seedInstallation(inputs: SeedInputs) {
  const { url, password, local_port, book, folder, ...keys } = inputs;
  const app = await openPool(url, { size: 2 });
  const owner = await openPool(url, { role: 'servicing_owner', size: 1 });
  const within = createWithin(app, SYSTEM, {
    ...DEFAULT_INSTALLATION,
    keys: deriveKeys(keys.secret),
    local_port,
  });
  try {
    await assertKeysPresent(app, keys, console.warn);
    const known = new Map((await listActiveTenants(app)).map(({ slug, id }) => [slug, id]));
    for (const tenant of TENANTS) {
      const wantsBook = book !== null && tenant.slug === 'demo';
      const today = localDate(new Date(), TIME_ZONE);
      const business_date = wantsBook ? addDays(today, -BOOK_DAYS) : today;
      const created = { ...tenant, business_date, is_sandbox: true };
      const id = known.get(tenant.slug) ?? (await addTenant(owner, within, created));
      await fillTenant(within, id, tenant.slug, password);
      await saveFirstBook(owner, id);
      const target = { owner, within, tenant_id: id, slug: tenant.slug, password, url, folder };
      if (wantsBook)
        await addBook({ ...target, loans: book, secret: keys.secret, variables: process.env });
    }
  } finally {
    await Promise.all([app.end(), owner.end()]);
  }
}

/** Saves what POST /sandbox/reset returns to, unless it was saved before. */
async function saveFirstBook(owner: DatabasePool, id: string) {
  const { is_sandbox, has_book } = await findSandboxBook(owner, id);
  if (is_sandbox && !has_book) await saveSandboxBook(owner, id);
}

/** Users and loans are created in one transaction, so a tenant has both or neither. */
const fillTenant = (within: Within, id: string, slug: string, password: string) =>
  within(id, async (work) => {
    // An interrupted run may have left a tenant without its first program.
    if ((await firstProgram(work.tx)) === null) await initializeTenant(work);
    await addBank(work);
    await addLetterhead(work, slug);
    const known = await findActiveByEmail(work.tx, `borrower@${slug}.test`);
    if (known?.borrower_id) return addAccount(work, known.borrower_id);
    const borrowers = await addBorrowers(work, slug);
    const [first = ''] = borrowers;
    await addUsers(work, slug, password, first);
    await addAccount(work, first);
    await addLoans(work, borrowers);
  });

/** Adds a fictitious bank, so that payments can use payment instruments. */
async function addBank(work: Work) {
  const { nacha: set } = await settingsOf(work.tx);
  if (set.immediate_destination !== '') return;
  const { name } = await currentTenant(work.tx);
  const nacha = {
    immediate_destination: '091000019',
    immediate_destination_name: 'Example Bank',
    immediate_origin: '1234567890',
    immediate_origin_name: name,
    company_name: name.slice(0, 16),
    company_id: '1234567890',
    odfi_routing_number: '091000019',
  };
  await changeSettings(work, { nacha });
}

async function addLetterhead(work: Work, slug: string) {
  const { branding: set } = await settingsOf(work.tx);
  if (set.address_line_1 !== '') return;
  await changeSettings(work, seedLetterhead(slug, (await currentTenant(work.tx)).name));
}

async function addUsers(work: Work, slug: string, password: string, borrower_id: string) {
  for (const { name, tenant_role } of STAFF) {
    const person = { first_name: name, last_name: 'User', email: `${name}@${slug}.test` };
    // The demo creates the same users.
    if ((await findActiveByEmail(work.tx, person.email)) !== null) continue;
    await createUser(work, { ...person, tenant_role, password });
  }
  const person = { first_name: 'Nora', last_name: 'Whitfield', email: `borrower@${slug}.test` };
  await createUser(work, { ...person, tenant_role: null, borrower_id, password });
}

/** The number after --book, or null without it. */
function readBook(words: readonly string[]): number | null {
  const { values } = parseArgs({ args: [...words], options: { book: { type: 'string' } } });
  if (values.book === undefined) return null;
  const loans = Number(values.book);
  if (Number.isInteger(loans) && loans >= BOOK_MIN && loans <= BOOK_MAX) return loans;
  throw new Error(
    `--book takes the number of loans, from ${BOOK_MIN} to ${BOOK_MAX}, such as --book 200.`,
  );
}

try {
  const book = readBook(process.argv.slice(2));
  const configuration = readCommandConfiguration(process.env);
  if (configuration.NODE_ENV === 'production')
    throw new Error('The seed is for development only, because its passwords are public.');
  const url = findDatabase(configuration);
  const secret = readSecret(configuration);
  const { NODE_ENV: environment, SEED_PASSWORD: password, LOCAL_PORT: local_port } = configuration;
  const folder = configuration.DATA_DIR;
  await seedInstallation({ url, secret, environment, password, local_port, book, folder });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
