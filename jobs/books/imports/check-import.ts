import * as stored from '../../../sql/books/imports.ts';
import { update } from '../../../sql/write.ts';
import { NotFound } from '../../errors.ts';
import type { Within } from '../../work.ts';
import type { Book } from '../format/reading/book.ts';
import { checkBook } from './check-book.ts';
import { storable } from './finding.ts';
import { ImportOptions } from './import-options.ts';

/**
 * Checks the file of an import and stores what it found. Afterwards the import is `checked`, or `refused` if there is an
 * error. Safe to repeat: an interrupted check starts again.
 */
export async function checkImport(
  within: Within,
  tenantId: string,
  id: string,
  book: Book,
  onProgress?: (loans: number) => void,
): Promise<void> {
  const options = await within(tenantId, async ({ tx }) => {
    const row = await stored.lockImport(tx, id);
    if (row === null) throw new NotFound();
    if (row.status !== 'uploaded' && row.status !== 'checking') return null;
    await stored.removeFindings(tx, id);
    await update(tx, 'imports', id, { status: 'checking', loans_checked: 0 });
    return ImportOptions.parse(row.options);
  });
  if (options === null) return;
  let position = 0;
  const checked = await checkBook(within, tenantId, book, options, {
    onFindings: async (findings) => {
      const kept = storable(findings, position);
      position += kept.length;
      if (kept.length > 0) await within(tenantId, ({ tx }) => stored.addFindings(tx, id, kept));
    },
    onProgress: async (loans_checked) => {
      await within(tenantId, ({ tx }) => update(tx, 'imports', id, { loans_checked }));
      onProgress?.(loans_checked);
    },
  });
  const { totals, ...counts } = checked;
  await within(tenantId, async ({ tx }) => {
    const row = await stored.lockImport(tx, id);
    if (row?.status !== 'checking') return;
    await update(tx, 'imports', id, {
      ...counts,
      control_totals: totals,
      status: checked.error_count > 0 ? 'refused' : 'checked',
      failure_reason: null,
    });
  });
}
