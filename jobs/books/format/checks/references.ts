import { columnsOf, type BookFileName } from '../book-files.ts';
import type { Referred } from '../columns.ts';
import type { Finding } from '../findings.ts';
import type { BookLine } from '../reading/book.ts';
import type { RecordsIndex } from './known-records.ts';

/** Of these keys, those that the tenant has. */
export type FindKnown = (
  file: 'borrowers' | 'programs' | 'products',
  keys: readonly string[],
) => Promise<ReadonlySet<string>>;

type Shared = {
  options: { findKnown?: FindKnown };
  index: RecordsIndex;
  hasFile: (name: BookFileName) => boolean;
};
type Open = { refers_to: Referred; key: string; finding: Finding };
type Line = Pick<BookLine<'loans'>, 'file' | 'line' | 'values' | 'labelOf'>;

/** References that wait to be looked up with one statement. */
const BATCH = 1_000;

const isOfTenant = (file: Referred): file is 'borrowers' | 'programs' | 'products' =>
  file === 'borrowers' || file === 'programs' || file === 'products';

/** Finds references to records that neither the book nor the tenant has. */
export function createReferenceCheck(name: BookFileName, { options, index, hasFile }: Shared) {
  const references = Object.entries(columnsOf(name)).filter(
    ([, { refers_to }]) =>
      refers_to !== null &&
      // In the short form, the line of a loan is itself the record of its borrower.
      !(name === 'loans' && refers_to === 'borrowers' && !hasFile('borrowers')),
  );
  let open: Open[] = [];

  async function resolve(): Promise<Finding[]> {
    const waiting = open;
    open = [];
    const known = new Map<Referred, ReadonlySet<string>>();
    for (const file of new Set(waiting.map(({ refers_to }) => refers_to))) {
      if (!isOfTenant(file) || !options.findKnown) continue;
      const keys = waiting.filter((one) => one.refers_to === file).map(({ key }) => key);
      known.set(file, await options.findKnown(file, [...new Set(keys)]));
    }
    return waiting
      .filter(({ refers_to, key }) => !known.get(refers_to)?.has(key))
      .map(({ finding }) => finding);
  }

  return {
    async add(line: Line): Promise<Finding[]> {
      for (const [column, { refers_to }] of references) {
        const key = line.values[column];
        if (typeof key !== 'string' || refers_to === null) continue;
        if (index.find(refers_to, key) !== undefined) continue;
        // Without a tenant, its settings are not known.
        const isUnknowable = refers_to === 'programs' || refers_to === 'products';
        if (isUnknowable && !options.findKnown) continue;
        open.push({ refers_to, key, finding: unknownReference(line, column, refers_to, hasFile) });
      }
      return open.length >= BATCH ? resolve() : [];
    },
    end: resolve,
  };
}

const unknownReference = (
  { file, line, labelOf }: Line,
  column: string,
  refers_to: Referred,
  hasFile: Shared['hasFile'],
): Finding => ({
  file,
  line,
  column: labelOf(column),
  code: 'unknown_reference',
  severity: 'error',
  reason:
    hasFile(refers_to) || !isOfTenant(refers_to)
      ? `Does not exist in ${refers_to}.csv. Add it there, or correct this field.`
      : `Does not exist. Add it, or a file ${refers_to}.csv.`,
});
