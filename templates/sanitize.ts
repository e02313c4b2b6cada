/**
 * HTML that a tenant wrote, reduced to what a letter needs: known tags with known attributes.
 * Any other tag is taken out, with its content where the content is not text.
 */
export function sanitize(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(-->|$)/g, '')
    .replace(CONTENT_TO_DROP, '')
    .replace(/<(\/?)([A-Za-z][A-Za-z0-9]*)((?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)>|</g, keepKnown);
}

/** Plain text as paragraphs; HTML stays as it is. */
export function asHtml(text: string): string {
  if (/<\/?[A-Za-z][^<>]*>/.test(text)) return text;
  return text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}

const CONTENT_TO_DROP =
  /<(script|style|iframe|object|embed|svg|math|template|noscript|textarea|title)\b[\s\S]*?(<\/\1\s*>|$)/gi;

const TAGS = new Set(
  (
    'a b blockquote br code div em h1 h2 h3 h4 hr i img li ol p small span strong sub sup ' +
    'table tbody td tfoot th thead tr u ul'
  ).split(' '),
);

const ATTRIBUTE = /([A-Za-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function keepKnown(_tag: string, slash?: string, name?: string, attributes?: string): string {
  const known = name?.toLowerCase();
  if (known === undefined) return '&lt;';
  if (!TAGS.has(known)) return '';
  if (slash === '/') return `</${known}>`;
  const kept = [...(attributes ?? '').matchAll(ATTRIBUTE)]
    .map(([, key = '', double, single]) => ({
      key: key.toLowerCase(),
      value: double ?? single ?? '',
    }))
    .filter(isKnown)
    .map(({ key, value }) => ` ${key}="${value.replaceAll('"', '&quot;')}"`);
  return `<${known}${kept.join('')}>`;
}

function isKnown({ key, value }: { key: string; value: string }): boolean {
  if (key === 'href') return /^(https:\/\/|mailto:|tel:)[^\s]+$/i.test(value);
  if (key === 'src')
    return /^(https:\/\/[^\s]+|data:image\/(png|jpeg|gif);base64,[\w+/=]+)$/i.test(value);
  if (key === 'style') return !/url|expression|[@&\\]|position|behavior/i.test(value);
  return ['align', 'alt', 'colspan', 'rowspan', 'width', 'height', 'title', 'lang'].includes(key);
}
