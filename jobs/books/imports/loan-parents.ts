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

export type FindParents = (row: LoanRow) => Promise<FoundParents>;

/**
 * Finds the product, program, portfolio and investor that rows name, as they are here now. Reads each product once:
 * before the first row with `readsAll`, so that rows can be looked up after the transaction. The function that it returns
 * throws `Invalid` for a name that does not exist or takes no loans.
 */
export async function createParentFinder(
  work: Work,
  { product_code: wanted }: ImportOptions,
  { readsAll = false } = {},
): Promise<FindParents> {
  const offered = await tape.listBoardableProducts(work.tx);
  const oldest = await tape.firstProgram(work.tx);
  const named = await brought.listAssignable(work.tx);
  // Loans are boarded concurrently, so each product is remembered before it is read.
  const known = new Map<string, Promise<LoanParents>>();
  const programs = new Set(named.flatMap(({ kind, id }) => (kind === 'program' ? [id] : [])));
  const read = (product_id: string, program_id: string) => {
    const parents = known.get(product_id) ?? readLoanParents(work, { product_id, program_id });
    known.set(product_id, parents);
    return parents;
  };
  if (readsAll)
    for (const { id, program_id } of offered) await read(id, program_id ?? oldest ?? id);
  const find = (kind: brought.AssignableKind, name: string | undefined, field: string) => {
    if (name === undefined) return null;
    const [found, other] = named.filter((one) => one.kind === kind && one.names.includes(name));
    if (found && other === undefined) return found.id;
    throw new Invalid({
      [field]: found
        ? `Several ${kind}s have this name. Rename one of them here.`
        : `This ${kind} does not exist here, or takes no loans. Create it, or correct the name.`,
    });
  };
  return async (row) => {
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
    const parents = await read(product.id, program_id);
    return { ids, parents: { ...parents, has_program: programs.has(program_id) } };
  };
}
