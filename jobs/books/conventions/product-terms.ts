import { readProduct } from '../../../sql/loans/products/products.ts';
import { listBoardableProducts } from '../../../sql/loans/boarding/tape.ts';
import type { Terms } from '../../loans/arithmetic/terms.ts';
import { copyTerms, readTerms, type LoanTerms } from '../../loans/products/loan-terms.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';

/** The terms of the tenant's products by code, the oldest first, as loans copy them. */
export async function readProductTerms(
  work: Work,
): Promise<ReadonlyMap<string, Terms & LoanTerms>> {
  const { delinquency, accounting } = await settingsOf(work.tx);
  const { satisfied_tolerance: installment_tolerance } = delinquency;
  const { accrual_relief } = accounting;
  const found = new Map<string, Terms & LoanTerms>();
  for (const { id, code } of await listBoardableProducts(work.tx)) {
    const product = await readProduct(work.tx, id);
    if (product === null) continue;
    const terms = copyTerms(product, { installment_tolerance, accrual_relief });
    const loan_type = String(product['loan_type']);
    const own = { loan_type, interest_rate: '0', term_months: 12, payment_day: null };
    found.set(code, readTerms({ ...own, terms }));
  }
  return found;
}
