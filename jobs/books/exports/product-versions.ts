import * as exported from '../../../sql/books/export-rows.ts';
import { listProducts } from '../../../sql/books/export-settings.ts';
import { canonicalTerm } from '../../loans/products/compare-terms.ts';
import { copyTerms } from '../../loans/products/loan-terms.ts';
import type { Work } from '../../work.ts';

export type ProductVersions = {
  /** The rows of `products.csv`: the products, and for loans with earlier terms one more row each. */
  rows: exported.ExportedRow[];
  /** The code of the row with a loan's terms. */
  codeOf: (productId: unknown, termsKey: unknown) => string;
};

/**
 * A loan keeps the terms that its product had when it was made. Terms that the product no longer has become a product of
 * their own, with a number behind the code, so that an import gives the loan the same terms.
 */
export async function readProductVersions(
  { tx }: Pick<Work, 'tx'>,
  scope: exported.BookScope,
): Promise<ProductVersions> {
  const products = await listProducts(tx, scope);
  const rows: exported.ExportedRow[] = [...products];
  const codes = new Map<string, string>();
  const counts = new Map<string, number>();
  const byId = new Map(products.map((product) => [String(product['id']), product]));
  for (const { product_id, loan_type, terms_key, terms } of await exported.listLoanTerms(
    tx,
    scope,
  )) {
    const product = byId.get(product_id);
    if (product === undefined) continue;
    const code = String(product['code']);
    const place = `${product_id} ${terms_key}`;
    if (loan_type === product['loan_type'] && sameTerms(terms, product)) {
      codes.set(place, code);
      continue;
    }
    const number = (counts.get(code) ?? 1) + 1;
    counts.set(code, number);
    const version = `${code.slice(0, 46)}~${number}`;
    codes.set(place, version);
    rows.push({
      ...product,
      ...terms,
      loan_type,
      allocation_order: terms['allocation_order'] ?? 'standard',
      gl_map: product['gl_map'],
      code: version,
      name: `${String(product['name']).slice(0, 180)} (${version})`,
      public_name: product['public_name'] ?? product['name'],
      is_active: true,
    });
  }
  return {
    rows,
    codeOf: (productId, termsKey) =>
      codes.get(`${String(productId)} ${String(termsKey)}`) ??
      String(byId.get(String(productId))?.['code']),
  };
}

/** Terms that come from the tenant's settings, or are written when something happens to the loan. */
const NOT_OF_PRODUCT: readonly string[] = [
  ...(['installment_tolerance', 'accrual_relief', 'gl_map'] as const),
  ...(['original_rate', 'sold_on', 'previous_gl_maps'] as const),
];

function sameTerms(terms: Record<string, unknown>, product: Record<string, unknown>): boolean {
  const copied = copyTerms(product, { installment_tolerance: '0.00', accrual_relief: true });
  const names = new Set([...Object.keys(terms), ...Object.keys(copied)]);
  return [...names].every(
    (name) =>
      NOT_OF_PRODUCT.includes(name) || canonicalTerm(terms[name]) === canonicalTerm(copied[name]),
  );
}
