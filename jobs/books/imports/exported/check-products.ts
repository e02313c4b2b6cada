import * as parents from '../../../../sql/books/parents.ts';
import { readProduct } from '../../../../sql/loans/products/products.ts';
import { differingTerms } from '../../../loans/products/compare-terms.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';
import type { CheckedRow } from '../../format/checks/check-book.ts';
import type { BookFinding } from '../finding.ts';

/**
 * Reports products of the book whose code the tenant already has with other rules: the loans would silently get the
 * rules of the product here. Columns that the row leaves out are not compared, unless they mean "none".
 */
export async function checkProducts({ tx }: Work, rows: readonly CheckedRow[]) {
  const findings: BookFinding[] = [];
  if (rows.length === 0) return findings;
  const known = await parents.listProductIds(tx);
  const accounts = await parents.listAccountIds(tx);
  for (const { source, line, labelOf, values } of rows) {
    const { gl_map, ...row } = values as BookRow<'products'>;
    const id = known.get(row.code);
    const product = id === undefined ? null : await readProduct(tx, id);
    if (product === null) continue;
    const mapped = gl_map && {
      gl_map: Object.fromEntries(
        Object.entries(gl_map).map(([role, code]) => [role, accounts.get(code)]),
      ),
    };
    const fields = differingTerms({ ...row, ...mapped }, product);
    if (fields.length === 0) continue;
    findings.push({
      file: source,
      line,
      column: labelOf('code'),
      code: 'contradiction',
      severity: 'error',
      reason: `A product with this code exists here with another ${fields.join(', ')}. Give the product of the book another code, also in loans.csv, or remove this line to use the product that exists here.`,
    });
  }
  return findings;
}
