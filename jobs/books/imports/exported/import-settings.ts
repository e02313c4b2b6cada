import { z } from 'zod';
import * as records from '../../../../sql/books/import-records.ts';
import * as parents from '../../../../sql/books/parents.ts';
import { products as productTable } from '../../../../sql/loans/products/products.ts';
import { programs as programTable } from '../../../../sql/loans/products/programs.ts';
import { auditChange, recordAudit } from '../../../audit.ts';
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
import type { BookFinding } from '../finding.ts';
import type { Placed } from '../staged-rows.ts';
import type { Bringing } from './import-investors.ts';

/**
 * Adds the programs and products of a book whose codes the tenant does not have. Those that it has stay as they are, so
 * that an import cannot change the terms of other loans. `accounts`: ids by the codes of the book. Throws `ChunkRefused` with the places of what cannot be added.
 */
export async function importSettings(
  work: Work,
  { id: importId, reason }: Bringing,
  programs: readonly Placed<'programs'>[],
  products: readonly Placed<'products'>[],
  accounts: ReadonlyMap<string, string>,
): Promise<void> {
  const programIds = await addPrograms(work, programs, reason);
  const addedProducts: records.ImportedRecord[] = [];
  const known = { programs: programIds.known, accounts, reason };
  const { productIds, findings } = await addProducts(work, products, known, addedProducts);
  if (importId !== null)
    await records.addImportedRecords(work.tx, importId, [
      ...[...programIds.added].map(([key, record_id]) => ({ file: 'programs', key, record_id })),
      ...addedProducts,
    ]);
  for (const { values } of programs) {
    const { code, default_product_code } = values;
    const id = programIds.added.get(code);
    const default_product_id = default_product_code && productIds.get(default_product_code);
    if (!id || !default_product_id) continue;
    await parents.setDefaultProduct(work.tx, id, default_product_id);
    const changes = { default_product_id: { old: null, new: default_product_id } };
    await recordAudit(work, { type: 'programs', id }, 'update', changes, reason);
  }
  if (findings.length > 0) throw new ChunkRefused(findings);
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

async function addPrograms(work: Work, rows: readonly Placed<'programs'>[], reason: string) {
  const { tx } = work;
  const known = await parents.listProgramIds(tx);
  const added = new Map<string, string>();
  for (const { values } of rows) {
    const { default_product_code: _, ...program } = values;
    if (known.has(program.code)) continue;
    const add = () => insert(tx, 'programs', { ...program, is_active: true });
    const { id } = await auditChange(work, programTable, 'create', null, add, reason);
    known.set(program.code, id);
    added.set(program.code, id);
  }
  return { known, added };
}

async function addProducts(
  work: Work,
  rows: readonly Placed<'products'>[],
  {
    programs,
    accounts,
    reason,
  }: {
    programs: ReadonlyMap<string, string>;
    accounts: ReadonlyMap<string, string>;
    reason: string;
  },
  added: records.ImportedRecord[],
) {
  const productIds = await parents.listProductIds(work.tx);
  const findings: BookFinding[] = [];
  for (const placed of rows) {
    const { program_code, gl_map, ...product } = placed.values;
    if (productIds.has(product.code)) continue;
    try {
      const program_id = program_code === undefined ? undefined : programs.get(program_code);
      if (program_code !== undefined && program_id === undefined)
        throw new Invalid({ program_code: 'There is no such program.' });
      const fields = {
        ...product,
        ...checkedRules(product),
        gl_map: mapAccounts(gl_map, accounts),
      };
      const { loan_type = 'installment' } = product;
      const given = { ...fields, is_active: true, loan_type, program_id };
      const add = () => addProduct(work, given);
      const row = await auditChange(work, productTable, 'create', null, add, reason);
      const record_id = row.id;
      productIds.set(product.code, record_id);
      added.push({ file: 'products', key: product.code, record_id });
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      findings.push(...refusals(placed, error.errors));
    }
  }
  return { productIds, findings };
}

function mapAccounts(
  gl_map: BookRow<'products'>['gl_map'],
  accounts: ReadonlyMap<string, string>,
): Record<string, string> {
  const mapped = Object.entries(gl_map ?? {}).map(([role, code]) => {
    const account = accounts.get(code);
    if (account === undefined)
      throw new Invalid({
        gl_map: `There is no account ${code} to which entries can be posted. Add it, or correct the code.`,
      });
    return [role, account];
  });
  return Object.fromEntries(mapped) as Record<string, string>;
}

const refusals = (
  { source, line }: Placed<'products'>,
  errors: Record<string, string>,
): BookFinding[] =>
  Object.entries(errors).map(([field, reason]) => ({
    file: source,
    line,
    // A rule of a JSON column is named by its path, such as `gl_map.cash`.
    column: field.split('.')[0] ?? field,
    code: 'refused',
    severity: 'error',
    reason: field.includes('.') ? `${field}: ${reason}` : reason,
  }));
