import { findCurrentList, replaceList } from '../../../sql/borrowers/sanctions-list.ts';
import type { Transaction } from '../../../sql/database/db.ts';
import { readSdnList, SdnFileError, type SdnFiles } from './read-sdn.ts';

export type ImportedList = {
  published_on: string;
  entries: number;
  names: number;
  /** Zero if this list was imported before. */
  new_names: number;
};

/**
 * Imports the list as the owner of the tables, in one transaction. Close of business then screens the
 * borrowers of each tenant. Importing the same files again changes nothing.
 */
export async function importSanctionsList(
  tx: Transaction,
  files: SdnFiles,
  { published_on, although }: { published_on: string; although?: string | undefined },
): Promise<ImportedList> {
  const { sha256, entries, names } = readSdnList(files);
  const sizes = { published_on, entries: entries.length, names: names.length };
  const current = await findCurrentList(tx);
  if (current?.sha256 === sha256) return { ...sizes, new_names: 0 };
  if (current !== null && published_on < current.published_on)
    throw new SdnFileError(`A list of ${current.published_on} is already imported.`);
  if (current !== null && entries.length * 2 < current.entries && although !== 'smaller') {
    throw new SdnFileError(
      `The list has ${entries.length} entries, and the current one ${current.entries}. The download may be incomplete. ` +
        'If it is complete, add --although smaller.',
    );
  }
  const new_names = await replaceList(tx, { published_on, sha256, entries, names });
  return { ...sizes, new_names };
}
