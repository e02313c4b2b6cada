import { readdirSync, readFileSync } from 'node:fs';
import { renderMarkdown, type LinkCode, type RenderedMarkdown } from './markdown.ts';

/**
 * The guides in reading order. A name is that of a file in `templates/guides` or of a guide made from code
 * (api/docs/generated-guides.ts). A guide that is not listed stands at the end.
 */
export const GUIDE_ORDER: readonly { title: string; names: readonly string[] }[] = [
  { title: 'Start', names: ['first-loan', 'authentication', 'sandbox', 'using-these-pages'] },
  {
    title: 'Integrate',
    names: [
      'errors-and-retries',
      'lists',
      'money-and-dates',
      'webhooks',
      'events',
      'build-an-admin',
    ],
  },
  { title: 'Service loans', names: ['bounced-payment', 'payoff', 'cases', 'month-end'] },
  { title: 'Go live', names: ['moving-in', 'book-format', 'go-live'] },
];
/** The heading above guides without a place in the order. */
export const UNLISTED = 'More guides';

export type Guide = RenderedMarkdown & { name: string; group: string };

/** A guide whose Markdown is built from declarations in the code. */
export type GeneratedGuide = { name: string; markdown: () => string };

const FOLDER = new URL('../guides/', import.meta.url);
const EXTENSION = '.md';

/** Reads and renders all guides, in reading order. */
export function readGuides(generated: readonly GeneratedGuide[], linkCode: LinkCode): Guide[] {
  const sources = new Map(generated.map(({ name, markdown }) => [name, markdown()]));
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(EXTENSION)))
    sources.set(file.slice(0, -EXTENSION.length), readFileSync(new URL(file, FOLDER), 'utf8'));
  const listed = GUIDE_ORDER.flatMap(({ names }) => names);
  const unlisted = [...sources.keys()].filter((name) => !listed.includes(name)).toSorted();
  return [...GUIDE_ORDER, { title: UNLISTED, names: unlisted }].flatMap(({ title, names }) =>
    names.flatMap((name) => {
      const source = sources.get(name);
      return source === undefined
        ? []
        : [{ name, group: title, ...renderMarkdown(source, linkCode) }];
    }),
  );
}
