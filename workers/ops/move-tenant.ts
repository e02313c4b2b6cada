import { existsSync } from 'node:fs';
import * as tenantAccess from '../../sql/moving/tenant-access.ts';
import { connectAsOwner, type MoveConnection } from '../../sql/moving/owner.ts';
import { UnusableArchive } from '../moving/archive.ts';
import { closeTenant, TenantBusy } from '../moving/close-tenant.ts';
import { exportTenant } from '../moving/export.ts';
import { importTenant } from '../moving/import.ts';
import type { Manifest } from '../moving/manifest.ts';
import { UsageError, type OperationResult, type OwnerOperation } from './operation.ts';

type OperationInput = Parameters<OwnerOperation['run']>[0];

const noProgress = () => {};

export const moveTenant: OwnerOperation = {
  name: 'tenant',
  login: 'migrator',
  usage: 'close|open SLUG | export SLUG FILE | import FILE  [--although exported]',
  summary: 'Closes or opens a tenant, or moves it to another database',
  words: 3,
  options: ['although'],
  run: async (given) => {
    const [what = '', ...words] = given.words;
    const wanted = what === 'export' ? 2 : 1;
    const act = new Map([
      ['close', closeForMove],
      ['open', reopenTenant],
      ['export', exportToFile],
      ['import', importFromFile],
    ]).get(what);
    if (!act || words.length !== wanted) throw new UsageError('Name an action and a tenant.');
    const owner = await connectAsOwner(given.url);
    try {
      return await act(given, owner, words);
    } catch (error) {
      if (error instanceof UnusableArchive || error instanceof TenantBusy)
        return { say: error.message, rows: [{ error: error.message }], code: 1 };
      throw error;
    } finally {
      await owner.end();
    }
  },
};

async function findMovedTenant(owner: MoveConnection, slug = '') {
  const found = await owner.steps('snapshot', (tx) => tenantAccess.findTenantBySlug(tx, slug));
  if (!found) throw new UsageError(`There is no tenant "${slug}".`);
  return found;
}

/** Refuses an inactive tenant, because opening it again would also reactivate it. */
function assertActive({ access: state, is_active, slug }: tenantAccess.TenantAccess) {
  if (state === 'open' && !is_active) throw new UsageError(`The tenant ${slug} is not active.`);
}

async function closeForMove(
  { say = noProgress }: OperationInput,
  owner: MoveConnection,
  [slug]: string[],
): Promise<OperationResult> {
  const found = await findMovedTenant(owner, slug);
  assertActive(found);
  await closeTenant(owner, found, { say });
  return {
    say: `${found.slug} is closed. Requests are refused and jobs wait. To open it: npm run ops -- tenant open ${found.slug}`,
    rows: [{ tenant: found.slug, access: 'closed' }],
  };
}

async function reopenTenant(
  { options }: OperationInput,
  owner: MoveConnection,
  [slug]: string[],
): Promise<OperationResult> {
  const found = await findMovedTenant(owner, slug);
  assertActive(found);
  if (found.access === 'exported' && options['although'] !== 'exported')
    throw new UsageError(
      `${found.slug} was exported and may be open elsewhere, where it would be charged and paid twice. ` +
        'If it is not open elsewhere, add --although exported.',
    );
  if (found.access !== 'open')
    await owner.steps('write', (tx) => tenantAccess.setAccess(tx, found.id, 'open'));
  return {
    say: `${found.slug} is open. Requests work within seconds, and waiting jobs start within 15 minutes.`,
    rows: [{ tenant: found.slug, access: 'open' }],
  };
}

async function exportToFile(
  given: OperationInput,
  owner: MoveConnection,
  words: string[],
): Promise<OperationResult> {
  const [slug, path = ''] = words;
  const { say = noProgress } = given;
  const found = await findMovedTenant(owner, slug);
  assertActive(found);
  if (existsSync(path)) throw new UsageError(`${path} already exists. Choose another file.`);
  const files = await storeOf(given);
  await closeTenant(owner, found, { say });
  await owner.steps('write', (tx) => tenantAccess.setAccess(tx, found.id, 'closed'));
  const manifest = await exportTenant({ owner, files, say }, found, path);
  await owner.steps('write', (tx) => tenantAccess.setAccess(tx, found.id, 'exported'));
  return {
    say:
      `${found.slug} is in ${path}, and stays closed here. The file holds personal data: keep it as you ` +
      'keep a backup. Where it is to be: npm run ops -- tenant import FILE.',
    rows: [summaryOf(manifest)],
  };
}

async function importFromFile(
  given: OperationInput,
  owner: MoveConnection,
  [path = '']: string[],
): Promise<OperationResult> {
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  const { secret, say = noProgress } = given;
  if (!secret) throw new UsageError('Set SECRET to the value that the API and the workers use.');
  const files = await storeOf(given);
  const manifest = await importTenant({ owner, files, secret, say }, path);
  const { slug } = manifest.tenant;
  return {
    say:
      `${slug} is here, and closed. Run npm run invariants, have its domains lead here, and then ` +
      `npm run ops -- tenant open ${slug}.`,
    rows: [summaryOf(manifest)],
  };
}

async function storeOf({ openFiles }: OperationInput) {
  if (!openFiles) throw new UsageError('This process was handed no files.');
  return openFiles();
}

const summaryOf = ({ tenant: { slug }, tables, jobs, files }: Manifest) => ({
  tenant: slug,
  tables: tables.length,
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  jobs,
  files: files.length,
});
