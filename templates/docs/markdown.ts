import Handlebars from 'handlebars';
import { Marked, type Token, type Tokens } from 'marked';

const escape = (text: string) => Handlebars.escapeExpression(text);

/** A heading of level 2 or 3 and the plain text below it, for the table of contents and the search. */
export type Section = { id: string; level: number; title: string; text: string };

export type RenderedMarkdown = {
  html: string;
  /** The text of the first line, `# Title`. */
  title: string;
  /** `description:` in the front matter, otherwise the first paragraph. */
  description: string;
  sections: Section[];
};

/** Returns the address of what a piece of code names, such as `POST /loans`, or null. */
export type LinkCode = (code: string) => string | null;

const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n/;
const DESCRIPTION = /^description: (.*)$/m;
/** A link to another guide by its file, as it works in a code viewer too: `webhooks.md#retries`. */
const GUIDE_LINK = /^(?:\.\/)?([a-z0-9-]+)\.md(#[a-z0-9-]+)?$/;

/**
 * Renders GitHub-flavored Markdown. HTML in the text is shown as text. The title is not part of the HTML,
 * because the page prints it.
 */
export function renderMarkdown(source: string, linkCode: LinkCode = () => null): RenderedMarkdown {
  const [whole = '', matter = ''] = FRONT_MATTER.exec(source) ?? [];
  const marked = newRenderer(linkCode);
  const tokens = marked.lexer(source.slice(whole.length));
  const heading = tokens.find(isHeading);
  const rest = tokens.filter((token) => token !== heading);
  const first = rest.find(({ type }) => type === 'paragraph');
  return {
    title: heading ? plainText(heading) : '',
    description: DESCRIPTION.exec(matter)?.[1] ?? (first ? wholeSentences(plainText(first)) : ''),
    sections: sectionsOf(rest),
    html: marked.parser(rest),
  };
}

/** Omits a last sentence that leads to what follows: "Send two headers:". */
const wholeSentences = (text: string) =>
  text.endsWith(':') ? text.slice(0, text.lastIndexOf('. ') + 1) || text : text;

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

function newRenderer(linkCode: LinkCode) {
  const ids = newIds();
  return new Marked({
    gfm: true,
    renderer: {
      heading(token) {
        const id = ids(plainText(token));
        const text = this.parser.parseInline(token.tokens);
        return `<h${token.depth} id="${id}">${text} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${token.depth}>\n`;
      },
      code({ text, lang = '' }) {
        const [language = '', file] = lang.split(' ');
        const name = escape(language || 'text');
        return `<figure class="code"><figcaption>${escape(file ?? name)}</figcaption><pre tabindex="0"><code class="language-${name}">${escape(text)}</code></pre></figure>\n`;
      },
      codespan({ text }) {
        const code = `<code>${escape(text)}</code>`;
        const address = linkCode(text);
        return address === null ? code : `<a href="${escape(address)}">${code}</a>`;
      },
      link({ href, tokens }) {
        const [, guide, part = ''] = GUIDE_LINK.exec(href) ?? [];
        const address = guide === undefined ? href : `/api/v1/docs/guides/${guide}${part}`;
        return `<a href="${escape(address)}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead>\n<tbody>${rows}</tbody></table></div>\n`;
      },
      html: ({ text }) => escape(text),
    },
  });
}

/** Returns the ids that GitHub gives to headings: "What it does" is what-it-does, a second one ends in -1. */
function newIds() {
  const taken = new Map<string, number>();
  return (title: string) => {
    const id = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = taken.get(id) ?? 0;
    taken.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}

/** The sections of the page. What stands before the first heading has an empty id. */
function sectionsOf(tokens: readonly Token[]): Section[] {
  const ids = newIds();
  const sections: Section[] = [{ id: '', level: 1, title: '', text: '' }];
  for (const token of tokens) {
    if (isHeading(token)) {
      const title = plainText(token);
      sections.push({ id: ids(title), level: token.depth, title, text: '' });
      continue;
    }
    const section = sections.at(-1);
    if (section) section.text = `${section.text} ${plainText(token)}`.trim();
  }
  return sections;
}

type Nested = {
  tokens?: readonly Token[];
  items?: readonly Token[];
  header?: readonly Tokens.TableCell[];
  rows?: readonly Tokens.TableCell[][];
};

/** The words of a token without markup. */
function plainText(token: Token): string {
  const { tokens, items, header, rows = [] } = token as Nested;
  const inner = tokens ?? items;
  if (inner) return inner.map(plainText).join(token.type === 'list' ? ' ' : '');
  if (header)
    return [...header, ...rows.flat()].map((cell) => cell.tokens.map(plainText).join('')).join(' ');
  return 'text' in token ? String(token.text).replaceAll('\n', ' ') : ' ';
}
