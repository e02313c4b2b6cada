import type { Guide } from '../../templates/docs/guides.ts';
import { child, type Node } from './describe-schema.ts';
import { DOCS } from './operation-links.ts';
import type { ReferenceGroup } from './operation-page.ts';

/**
 * One place that the search can lead to. `at` is shown below the title, `text` is only searched. An
 * operation has its method.
 */
type SearchEntry = { title: string; at: string; url: string; text: string; method?: string };

const TEXT_MAX = 2_000;

/** The search entries of the docs pages: one for each section of a guide and for each operation. */
export function buildSearchEntries(
  guides: readonly Guide[],
  groups: readonly ReferenceGroup[],
  document: Node,
): SearchEntry[] {
  const sections = guides.flatMap((guide) =>
    guide.sections.map(({ id, title, text }) => ({
      title: id === '' ? guide.title : title,
      at: id === '' ? 'Guide' : `Guide · ${guide.title}`,
      url: `${DOCS}/guides/${guide.name}${id === '' ? '' : `#${id}`}`,
      text: (id === '' ? `${guide.description} ${text}` : text).slice(0, TEXT_MAX),
    })),
  );
  const paths = child(document, 'paths') ?? {};
  const operations = groups.flatMap((group) =>
    group.operations.map(({ id, address, method, path, summary }) => {
      const operation = child(child(paths, `/api/v1${path}`) ?? {}, method.toLowerCase());
      return {
        title: summary,
        at: `${method} ${path}`,
        url: address,
        text: `${id} ${group.title} ${String(operation?.['description'] ?? '')}`.slice(0, TEXT_MAX),
        method,
      };
    }),
  );
  return [...sections, ...operations];
}
