import sanitizeHtml from 'sanitize-html';

/**
 * HTML that a tenant wrote, reduced to what a letter needs: known tags with known attributes.
 * Any other tag is taken out, with its content where the content is not text.
 */
export function sanitize(html: string): string {
  // The library ends a tag like XHTML; a sign of its own cannot look like that, being escaped.
  return sanitizeHtml(html, RULES).replaceAll(' />', '>');
}

/**
 * The same for words that stand on a page with words of ours: without pictures, and without a look of their own,
 * by which they could lie upon what the law wants to be read.
 */
export const sanitizeWording = (html: string): string =>
  sanitizeHtml(html, BESIDE).replaceAll(' />', '>');

/** Plain text as paragraphs; HTML stays as it is. */
export function textToHtml(text: string): string {
  if (/<\/?[A-Za-z][^<>]*>/.test(text)) return text;
  return text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}

const TAGS =
  'a b blockquote br code div em h1 h2 h3 h4 hr i img li ol p small span strong sub sup ' +
  'table tbody td tfoot th thead tr u ul';
const CONTENT_TO_DROP =
  'script style iframe object embed svg math template noscript textarea title option';

/** More than the tables of any letter, and little enough for whoever draws them. */
const DEPTH_MAX = 100;

const RULES: sanitizeHtml.IOptions = {
  allowedTags: TAGS.split(' '),
  // Each tag's attributes are chosen below, by their names and values.
  allowedAttributes: false,
  transformTags: { '*': (tagName, given) => ({ tagName, attribs: known(given) }) },
  allowedSchemes: ['https', 'http', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https', 'data'] },
  allowProtocolRelative: false,
  nonTextTags: CONTENT_TO_DROP.split(' '),
  parseStyleAttributes: false,
  nestingLimit: DEPTH_MAX,
  // What the template escaped stays as it was escaped.
  parser: { decodeEntities: false },
};

const BESIDE: sanitizeHtml.IOptions = {
  ...RULES,
  allowedTags: TAGS.split(' ').filter((tag) => tag !== 'img'),
  transformTags: {
    '*': (tagName, given) => {
      const { style: _, width: __, height: ___, ...attribs } = known(given);
      return { tagName, attribs };
    },
  },
};

function known(given: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => isKnown(key, value)));
}

function isKnown(key: string, value: string): boolean {
  if (key === 'href') return /^(https:\/\/|mailto:|tel:)[^\s]+$/i.test(value) || isLocalLink(value);
  if (key === 'src')
    return /^(https:\/\/[^\s]+|data:image\/(png|jpeg|gif);base64,[\w+/=]+)$/i.test(value);
  if (key === 'style') return !/url|expression|[@&\\]|position|behavior/i.test(value);
  return ['align', 'alt', 'colspan', 'rowspan', 'width', 'height', 'title', 'lang'].includes(key);
}

/** Hosts that never leave the machine or the test (RFC 6761), and so are reached over HTTP in development. */
export const isLocalHost = (host: string) =>
  /^(([a-z0-9-]+\.)*(localhost|test)|127\.0\.0\.1)$/i.test(host);

/** Links to other hosts have to be encrypted. */
function isLocalLink(value: string): boolean {
  const [, host = ''] = /^http:\/\/([^/:@\s]+)(:\d{1,5})?\/[^\s]*$/i.exec(value) ?? [];
  return isLocalHost(host);
}

/**
 * HTML for paper: nobody can click there. A link becomes its words, followed by its address where somebody could
 * type that; an address with a key in it is left out.
 */
export const withoutLinks = (html: string): string => {
  const parts = html.split('</a>');
  const last = parts.pop() ?? '';
  return [...parts.map(withoutLink), last].join('');
};

/** A part that ends where its link ends. */
function withoutLink(part: string): string {
  const start = part.lastIndexOf('<a');
  const end = start < 0 ? -1 : part.indexOf('>', start);
  if (end < 0) return part;
  const address = printable(part.slice(start, end));
  const words = part.slice(end + 1);
  const isSaid = address === '' || words.includes(address);
  return `${part.slice(0, start)}${words}${isSaid ? '' : ` (${address})`}`;
}

/** The address of a link's tag, unless it has a query or a fragment. */
function printable(tag: string): string {
  const [, address = ''] = tag.split('href="');
  const [url = ''] = address.split('"', 1);
  return /^https?:\/\/[^?#]+$/.test(url) ? url : '';
}
