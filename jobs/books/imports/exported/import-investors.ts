import * as records from '../../../../sql/books/import-records.ts';
import * as parents from '../../../../sql/books/parents.ts';
import { investors as investorTable } from '../../../../sql/portfolios/investors.ts';
import { portfolios } from '../../../../sql/portfolios/portfolios.ts';
import { insert } from '../../../../sql/write.ts';
import { auditChange } from '../../../audit.ts';
import type { Work } from '../../../work.ts';
import { ChunkRefused } from '../chunk-refused.ts';
import type { BookFinding } from '../finding.ts';
import type { Placed } from '../staged-rows.ts';

/** The import that adds something, and the reason that its history gives. Null: a check adds it and undoes that. */
export type Bringing = { id: string | null; reason: string };

/** Adds the investors whose names and external ids the tenant does not have. The others stay as they are. */
export async function importInvestors(
  work: Work,
  { id: importId, reason }: Bringing,
  rows: readonly Placed<'investors'>[],
) {
  const { tx } = work;
  if (rows.length === 0) return;
  const { byName, byExternalId } = await parents.listInvestorIds(tx);
  const found: records.ImportedRecord[] = [];
  for (const { values } of rows) {
    const { investor_id, ...investor } = values;
    const id =
      (investor.external_id && byExternalId.get(investor.external_id)) ??
      byName.get(investor.name) ??
      (
        await auditChange(
          work,
          investorTable,
          'create',
          null,
          () => insert(tx, 'investors', investor),
          reason,
        )
      ).id;
    if (investor_id) found.push({ file: 'investors', key: investor_id, record_id: id });
    byName.set(investor.name, id);
    if (investor.external_id) byExternalId.set(investor.external_id, id);
  }
  if (importId !== null) await records.addImportedRecords(tx, importId, found);
}

/**
 * Adds the static portfolios whose names the tenant does not have. Throws `ChunkRefused` with the lines that name an
 * investor who does not exist.
 */
export async function importPortfolios(
  work: Work,
  { reason }: Bringing,
  rows: readonly Placed<'portfolios'>[],
) {
  const { tx } = work;
  if (rows.length === 0) return;
  const known = await parents.listPortfolioNames(tx);
  const { byName: investors } = await parents.listInvestorIds(tx);
  const unknown = rows.filter(
    ({ values: { investor_name } }) => investor_name !== undefined && !investors.has(investor_name),
  );
  if (unknown.length > 0) throw new ChunkRefused(unknown.map(unknownInvestor));
  for (const { values } of rows) {
    const { investor_name, ...portfolio } = values;
    if (known.has(portfolio.name)) continue;
    const investor_id = investor_name ? investors.get(investor_name) : undefined;
    await auditChange(
      work,
      portfolios,
      'create',
      null,
      () => insert(tx, 'portfolios', { ...portfolio, investor_id }),
      reason,
    );
    known.add(portfolio.name);
  }
}

const unknownInvestor = ({ source, line }: Placed<'portfolios'>): BookFinding => ({
  file: source,
  line,
  column: 'investor_name',
  code: 'unknown_reference',
  severity: 'error',
  reason: 'There is no investor with this name. Add it to investors.csv, or correct this field.',
});
