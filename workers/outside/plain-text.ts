import { compile, type HtmlToTextOptions } from 'html-to-text';

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  // Larger than any message of ours. Deeper HTML is left out.
  limits: { maxInputLength: 2 * 1024 * 1024, maxDepth: 200 },
  selectors: [
    { selector: 'title', format: 'skip' },
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { linkBrackets: ['(', ')'], hideLinkHrefIfSameAsText: true } },
    { selector: 'h1', options: { uppercase: false } },
    { selector: 'h2', options: { uppercase: false } },
    { selector: 'h3', options: { uppercase: false } },
    { selector: 'h4', options: { uppercase: false } },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
  ],
};

/** Compiled once, because reading the options takes longer than converting a message. */
const convert = compile(OPTIONS);

/** Converts HTML to plain text for mail programs that show no HTML. Links keep their address. */
export function plainText(html: string): string {
  return convert(html).trim();
}
