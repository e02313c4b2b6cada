import sanitizeHtml from 'sanitize-html';

/**
 * Reduces a tenant's HTML to known tags with known attributes. Other tags are removed. Their text stays,
 * but the contents of tags such as `script` and `style` are removed.
 */
export function sanitize(html: string): string {
  // The library closes void tags as in XHTML. A ">" in the text is escaped, so this replaces only tags.
  return sanitizeHtml(html, RULES).replaceAll(' />', '>');
}

/**
 * Sanitizes wording that appears on a page with our own text. It allows no pictures and no styles, which
 * could cover text that the law requires.
 */
export const sanitizeWording = (html: string): string =>
  sanitizeHtml(html, WORDING_RULES).replaceAll(' />', '>');

/** Converts plain text to paragraphs. HTML stays unchanged. */
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

/** More than any letter's tables need, and few enough for the browser to lay out. */
const DEPTH_MAX = 100;

const RULES: sanitizeHtml.IOptions = {
  allowedTags: TAGS.split(' '),
  // `known` below selects the attributes.
  allowedAttributes: false,
  transformTags: { '*': (tagName, given) => ({ tagName, attribs: knownAttributes(given) }) },
  allowedSchemes: ['https', 'http', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https', 'data'] },
  allowProtocolRelative: false,
  nonTextTags: CONTENT_TO_DROP.split(' '),
  parseStyleAttributes: false,
  nestingLimit: DEPTH_MAX,
  // Keeps the escapes that the template wrote.
  parser: { decodeEntities: false },
};

const WORDING_RULES: sanitizeHtml.IOptions = {
  ...RULES,
  allowedTags: TAGS.split(' ').filter((tag) => tag !== 'img'),
  transformTags: {
    '*': (tagName, given) => {
      const { style: _, width: __, height: ___, ...attribs } = knownAttributes(given);
      return { tagName, attribs };
    },
  },
};

function knownAttributes(given: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  return Object.fromEntries(
    Object.entries(given).filter(([key, value]) => isKnownAttribute(key, value)),
  );
}

function isKnownAttribute(key: string, value: string): boolean {
  if (key === 'href') return /^(https:\/\/|mailto:|tel:)[^\s]+$/i.test(value) || isLocalLink(value);
  if (key === 'src')
    return /^(https:\/\/[^\s]+|data:image\/(png|jpeg|gif);base64,[\w+/=]+)$/i.test(value);
  if (key === 'style') return !/url|expression|[@&\\]|position|behavior/i.test(value);
  return ['align', 'alt', 'colspan', 'rowspan', 'width', 'height', 'title', 'lang'].includes(key);
}

/** Host names that never leave the machine or the test (RFC 6761). Development reaches them over HTTP. */
export const isLocalHost = (host: string) =>
  /^(([a-z0-9-]+\.)*(localhost|test)|127\.0\.0\.1)$/i.test(host);

/** Only links to local hosts may be unencrypted. */
function isLocalLink(value: string): boolean {
  const [, host = ''] = /^http:\/\/([^/:@\s]+)(:\d{1,5})?\/[^\s]*$/i.exec(value) ?? [];
  return isLocalHost(host);
}

/**
 * Replaces links for print: the text is followed by the address, if a reader could type it. Addresses that
 * contain a key are left out.
 */
export const withoutLinks = (html: string): string => {
  const parts = html.split('</a>');
  const last = parts.pop() ?? '';
  return [...parts.map(withoutLink), last].join('');
};

/** `part` ends where its link ends. */
function withoutLink(part: string): string {
  const start = part.lastIndexOf('<a');
  const end = start < 0 ? -1 : part.indexOf('>', start);
  if (end < 0) return part;
  const address = printableAddress(part.slice(start, end));
  const words = part.slice(end + 1);
  const isSaid = address === '' || words.includes(address);
  return `${part.slice(0, start)}${words}${isSaid ? '' : ` (${address})`}`;
}

/** The link's address, or nothing if it has a query or a fragment. */
function printableAddress(tag: string): string {
  const [, address = ''] = tag.split('href="');
  const [url = ''] = address.split('"', 1);
  return /^https?:\/\/[^?#]+$/.test(url) ? url : '';
}
