import { z } from 'zod';
import * as parents from '../../../../sql/books/parents.ts';
import { Invalid } from '../../../errors.ts';
import { FeeRules } from '../../../loans/products/fee-rules.ts';
import { addProduct } from '../../../loans/products/product.ts';
import {
  allocationOrder,
  minimumPayment,
  prepaymentPenalty,
} from '../../../loans/products/product-rules.ts';
import { insert } from '../../../../sql/write.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';
import { ChunkRefused } from '../chunk-refused.ts';
import type { Placed } from '../staged-rows.ts';

/**
 * Adds the programs and products of a book whose codes the tenant does not have. Those that it has stay as they are, so
 * that an import cannot change the terms of other loans. Throws `ChunkRefused` with the places of what cannot be added.
 */
export async function importSettings(
  work: Work,
  programs: readonly Placed<'programs'>[],
  products: readonly Placed<'products'>[],
): Promise<void> {
  const programIds = await addPrograms(work, programs);
  const productIds = await addProducts(work, products, programIds.known);
  for (const { values } of programs) {
    const { code, default_product_code } = values;
    const id = programIds.added.get(code);
    const default_product_id = default_product_code && productIds.get(default_product_code);
    if (id && default_product_id) await parents.setDefaultProduct(work.tx, id, default_product_id);
  }
}

/** The rules that the format keeps as JSON. */
const Rules = z.object({
  allocation_order: allocationOrder.optional(),
  fee_rules: FeeRules.optional(),
  prepayment_penalty: prepaymentPenalty.optional(),
  minimum_payment: minimumPayment.optional(),
});

function checkedRules(product: Omit<BookRow<'products'>, 'gl_map' | 'program_code'>) {
  const checked = Rules.safeParse(product);
  if (checked.success) return checked.data;
  throw new Invalid(
    Object.fromEntries(
      checked.error.issues.map(({ path, message }) => [path.map(String).join('.'), message]),
    ),
  );
}

async function addPrograms({ tx }: Work, rows: readonly Placed<'programs'>[]) {
  const known = await parents.listProgramIds(tx);
  const added = new Map<string, string>();
  for (const { values } of rows) {
    const { default_product_code: _, ...program } = values;
    if (known.has(program.code)) continue;
    const id = await insert(tx, 'programs', program);
    known.set(program.code, id);
    added.set(program.code, id);
  }
  return { known, added };
}

async function addProducts(
  work: Work,
  rows: readonly Placed<'products'>[],
  programs: ReadonlyMap<string, string>,
) {
  const known = await parents.listProductIds(work.tx);
  const accounts = await parents.listAccountIds(work.tx);
  for (const placed of rows) {
    const { program_code, gl_map, ...product } = placed.values;
    if (known.has(product.code)) continue;
    const program_id = program_code === undefined ? undefined : programs.get(program_code);
    if (program_code !== undefined && program_id === undefined)
      throw refused(placed, { program_code: 'There is no such program.' });
    const mapped = Object.entries(gl_map ?? {}).map(([role, code]) => {
      const account = accounts.get(code);
      if (account === undefined) throw refused(placed, { gl_map: `There is no account ${code}.` });
      return [role, account];
    });
    try {
      const fields = { ...product, ...checkedRules(product), gl_map: Object.fromEntries(mapped) };
      const { loan_type = 'installment' } = product;
      known.set(product.code, await addProduct(work, { ...fields, loan_type, program_id }));
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      throw refused(placed, error.errors);
    }
  }
  return known;
}

const refused = ({ source, line }: Placed<'products'>, errors: Record<string, string>) =>
  new ChunkRefused(
    Object.entries(errors).map(([column, reason]) => ({
      file: source,
      line,
      column,
      code: 'refused',
      severity: 'error',
      reason,
    })),
  );
