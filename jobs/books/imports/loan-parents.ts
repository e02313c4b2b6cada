import * as brought from '../../../sql/books/brought-records.ts';
import * as tape from '../../../sql/loans/boarding/tape.ts';
import { Invalid } from '../../errors.ts';
import type { Boarding } from '../../loans/boarding/boarding-input.ts';
import { readLoanParents, type LoanParents } from '../../loans/origination/create.ts';
import type { Work } from '../../work.ts';
import type { LoanRow } from './book-rows.ts';
import type { ImportOptions } from './import-options.ts';

export type FoundParents = {
  ids: Pick<Boarding, 'product_id' | 'program_id' | 'portfolio_id' | 'investor_id'>;
  parents: LoanParents;
};

/** The names of what a book itself brings and the tenant does not have yet. */
export type BookParents = Readonly<
  Record<'products' | 'programs' | 'portfolios' | 'investors', ReadonlySet<string>>
>;
const NONE: ReadonlySet<string> = new Set();
const NO_PARENTS: BookParents = {
  products: NONE,
  programs: NONE,
  portfolios: NONE,
  investors: NONE,
};

/**
 * Finds the product, program, portfolio and investor that rows name. Reads each product once. Throws `Invalid` for a name
 * that does not exist.
 */
export async function createParentFinder(
  work: Work,
  { product_code: wanted }: ImportOptions,
  ofBook: BookParents = NO_PARENTS,
) {
  const offered = await tape.listBoardableProducts(work.tx);
  const oldest = await tape.firstProgram(work.tx);
  const named = await brought.listAssignable(work.tx);
  // Loans are boarded concurrently, so each product is remembered before it is read.
  const known = new Map<string, Promise<LoanParents>>();
  const find = (kind: brought.AssignableKind, name: string | undefined, field: string) => {
    if (name === undefined) return null;
    const [found, other] = named.filter((one) => one.kind === kind && one.names.includes(name));
    if (found && other === undefined) return found.id;
    if (!found && ofBook[`${kind}s`].has(name)) return null;
    throw new Invalid({
      [field]: found
        ? `Several ${kind}s have this name. Rename one of them here.`
        : `This ${kind} does not exist here, or takes no loans. Create it, or correct the name.`,
    });
  };
  return async (row: LoanRow): Promise<FoundParents> => {
    const { product_code = wanted } = row;
    const product = product_code ? offered.find(({ code }) => code === product_code) : offered[0];
    if (product === undefined)
      throw new Invalid({
        product_code:
          'This product does not exist here, or is not active. Create it, or correct the code.',
      });
    const program_id =
      find('program', row.program_code, 'program_code') ?? product.program_id ?? oldest;
    if (program_id === null)
      throw new Invalid({ program_code: 'There is no active program. Create one.' });
    const ids = {
      product_id: product.id,
      program_id,
      portfolio_id: find('portfolio', row.portfolio_code, 'portfolio_code'),
      investor_id: find('investor', row.investor_code, 'investor_code'),
    };
    const key = `${product.id} ${program_id}`;
    const parents = known.get(key) ?? readLoanParents(work, ids);
    known.set(key, parents);
    return { ids, parents: await parents };
  };
}
