import * as tape from '../../../sql/loans/tape.ts';
import { readLoanParents, type LoanParents } from '../../loans/origination/create.ts';
import type { Work } from '../../work.ts';
import type { LoanRow } from './book-rows.ts';
import type { ImportOptions } from './import-options.ts';

export type FoundParents = {
  ids: { product_id: string; program_id: string };
  parents: LoanParents;
};

/** Finds the product and program of rows. Reads each product once. Null: the product does not exist. */
export async function createParentFinder(work: Work, { product_code: wanted }: ImportOptions) {
  const offered = await tape.listBoardableProducts(work.tx);
  const program = await tape.firstProgram(work.tx);
  const known = new Map<string, LoanParents>();
  return async ({ product_code = wanted }: LoanRow): Promise<FoundParents | null> => {
    const found = product_code ? offered.find(({ code }) => code === product_code) : offered[0];
    const program_id = found?.program_id ?? program;
    if (!found || !program_id) return null;
    const ids = { product_id: found.id, program_id };
    const parents = known.get(found.id) ?? (await readLoanParents(work, ids));
    known.set(found.id, parents);
    return { ids, parents };
  };
}
