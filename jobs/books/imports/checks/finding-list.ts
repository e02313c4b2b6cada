import { BOOK_FILE_NAMES } from '../../format/book-files.ts';
import type { Severity } from '../../format/findings.ts';
import type { Book } from '../../format/reading/book.ts';
import { FINDINGS_MAX, type BookFinding } from '../finding.ts';

/** Collects what a check finds. All findings are counted, and as many are kept as an import stores. */
export function createFindingList({ sources }: Pick<Book, 'sources'>) {
  const kept: Record<Severity, BookFinding[]> = { error: [], warning: [] };
  const counts = { error: 0, warning: 0 };
  const errorPlaces = new Set<string>();
  const order = new Map(
    BOOK_FILE_NAMES.flatMap((name) => sources.filter(({ feeds }) => feeds.includes(name)))
      .map(({ path }) => path)
      .map((path, at) => [path, at]),
  );
  return {
    add(findings: readonly BookFinding[]) {
      for (const finding of findings) {
        const { severity } = finding;
        counts[severity] += 1;
        if (kept[severity].length >= FINDINGS_MAX) continue;
        kept[severity].push(finding);
        if (severity === 'error') errorPlaces.add(placeOf(finding));
      }
    },
    hasErrorAt: (finding: BookFinding) => errorPlaces.has(placeOf(finding)),
    count: (severity: Severity) => counts[severity],
    /** Ordered by file, line and column. The files are in the order in which a book is read. */
    list(): BookFinding[] {
      const chosen = selectFindings([...kept.error, ...kept.warning], FINDINGS_MAX);
      const fileAt = ({ file }: BookFinding) => order.get(file) ?? order.size;
      return chosen.toSorted(
        (one, other) =>
          fileAt(one) - fileAt(other) ||
          compare(one.file, other.file) ||
          one.line - other.line ||
          compare(one.column ?? '', other.column ?? ''),
      );
    },
  };
}

/** Some of the findings, in their order. Errors come first, so that many warnings never hide one. */
function selectFindings(findings: readonly BookFinding[], limit: number): readonly BookFinding[] {
  if (findings.length <= limit) return findings;
  const errors = findings.filter(({ severity }) => severity === 'error').slice(0, limit);
  const chosen = new Set([
    ...errors,
    ...findings.filter(({ severity }) => severity === 'warning').slice(0, limit - errors.length),
  ]);
  return findings.filter((finding) => chosen.has(finding));
}

const placeOf = ({ file, line, column }: BookFinding) =>
  `${file}\u001f${line}\u001f${column ?? ''}`;

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
