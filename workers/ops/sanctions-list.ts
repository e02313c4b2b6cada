import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { importSanctionsList } from '../../jobs/borrowers/sanctions/import-list.ts';
import { SdnFileError } from '../../jobs/borrowers/sanctions/read-sdn.ts';
import { isDate } from '../../jobs/dates.ts';
import { listVersions } from '../../sql/borrowers/sanctions-list.ts';
import { connectAsOwner } from '../../sql/moving/owner.ts';
import { UsageError, type OwnerOperation } from './operation.ts';

/** The files of the Treasury in the folder. */
async function readFiles(folder: string) {
  const read = async (name: string) => {
    try {
      return await readFile(path.join(folder, name), 'utf8');
    } catch (error) {
      throw new UsageError(`${folder} must contain sdn.csv, alt.csv and add.csv.`, {
        cause: error,
      });
    }
  };
  return { sdn: await read('sdn.csv'), alt: await read('alt.csv'), add: await read('add.csv') };
}

/** Runs as the owner of the tables, because all tenants share the list. */
export const manageSanctionsList: OwnerOperation = {
  name: 'sanctions-list',
  login: 'migrator',
  usage: '[import FOLDER --published YYYY-MM-DD [--although smaller]]',
  summary:
    'Lists the imported versions of the sanctions list, or imports sdn.csv, alt.csv and add.csv',
  words: 2,
  options: ['published', 'although'],
  run: async ({ url, words, options }) => {
    const [verb, folder] = words;
    const published_on = options['published'] ?? '';
    if (verb !== undefined && (verb !== 'import' || folder === undefined))
      throw new UsageError('Write: sanctions-list import FOLDER --published YYYY-MM-DD');
    if (verb !== undefined && !isDate(published_on))
      throw new UsageError('Give the day on which the list was published: --published 2026-11-20');
    const files = folder === undefined ? null : await readFiles(folder);
    const owner = await connectAsOwner(url);
    try {
      if (files === null) return { rows: await owner.steps('snapshot', (tx) => listVersions(tx)) };
      const imported = await owner.steps('write', (tx) =>
        importSanctionsList(tx, files, { published_on, although: options['although'] }),
      );
      return { rows: [imported] };
    } catch (error) {
      if (error instanceof SdnFileError) throw new UsageError(error.message, { cause: error });
      throw error;
    } finally {
      await owner.end();
    }
  },
};
