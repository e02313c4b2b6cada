import type { FigureName } from '../conventions/figures.ts';
import { statedFigures, type FigureOptions } from '../conventions/read-studied-loans.ts';
import type { Book } from '../format/reading/book.ts';
import { ZeroFigures } from './file-properties.ts';

/** The figures that are zero for all loans of the file. Reads it once. */
export async function findFiguresNotKept(
  book: Book,
  options: FigureOptions,
): Promise<ReadonlySet<FigureName>> {
  const zeros = new ZeroFigures();
  for await (const { loan_number, figures } of statedFigures(book, options))
    zeros.add(loan_number, figures);
  return zeros.found();
}
