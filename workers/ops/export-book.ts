import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bookEntries } from '../../jobs/books/exports/write-book.ts';
import { recordAudit } from '../../jobs/audit.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { countLoans } from '../../sql/books/export-rows.ts';
import { uuid } from '../../sql/types.ts';
import { startProgressBar } from '../processes/progress-bar.ts';
import { findTenant } from './find-tenant.ts';
import { UsageError, type Operation } from './operation.ts';

/**
 * Writes a tenant's book as a folder, which `npm run board` reads. One snapshot of the database is read, in constant
 * memory. The folder must be empty, so that no file of an older book stays in it.
 */
export const exportBook: Operation = {
  name: 'export-book',
  usage:
    'FOLDER --tenant SLUG [--portfolio ID | --transfer ID] [--personal-numbers yes] [--internal-records yes]',
  summary:
    'Exports all loans of a tenant, or of a portfolio or servicing transfer, in the format of imports',
  words: 1,
  options: ['tenant', 'portfolio', 'transfer', 'personal-numbers', 'internal-records'],
  run: async ({ app, words, options, installation, readSecret, openFiles }) => {
    const [folder] = words;
    if (folder === undefined) throw new UsageError('Name an empty folder.');
    const scope = {
      portfolio_id: options['portfolio'] ?? null,
      servicing_transfer_id: options['transfer'] ?? null,
    };
    if (Object.values(scope).some((id) => id !== null && !uuid.safeParse(id).success))
      throw new UsageError('--portfolio and --transfer take an id.');
    const with_personal_numbers = options['personal-numbers'] === 'yes';
    const with_internal_records = options['internal-records'] === 'yes';
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty.`);
    if (openFiles === undefined) throw new UsageError('The document store cannot be opened.');
    const files = await openFiles();
    const { id: tenantId, slug } = await findTenant(app, options['tenant']);
    const within = createWithin(app, SYSTEM, {
      ...installation,
      ...(with_personal_numbers && readSecret && { keys: deriveKeys(readSecret()) }),
    });
    const rows = new Map<string, number>();
    const loans = await within(
      tenantId,
      async (work) => {
        const count = await countLoans(work.tx, scope);
        const bar = startProgressBar('Exporting', count, process.stderr);
        const note = (file: string, written: number) => {
          rows.set(file, written);
          if (file === 'loans') bar.at(written, 'loans');
        };
        const request = { scope, with_personal_numbers, with_internal_records };
        for await (const { path: name, content } of bookEntries(work, files, request, note)) {
          const target = path.join(folder, name);
          await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
          const chunks = content instanceof Uint8Array ? [content] : content;
          await pipeline(chunks, createWriteStream(target, { mode: 0o600 }));
        }
        bar.end(`${count} loans of ${slug}, as of ${work.today},`);
        return count;
      },
      { snapshot: true },
    );
    await within(tenantId, (work) =>
      recordAudit(work, { type: 'tenants', id: tenantId }, 'export-book', {
        loans: { old: null, new: loans },
        with_personal_numbers: { old: null, new: with_personal_numbers },
      }),
    );
    return { rows: [...rows].map(([file, count]) => ({ file: `${file}.csv`, rows: count })) };
  },
};
