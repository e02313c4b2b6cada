/** The words of a letter, for readers that show no HTML: links keep their address. */
export function plainText(html: string): string {
  return html
    .replace(/<(style|script|head|title)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<a\b[^>]*?href="([^"]*)"[^>]*>([^<]*)<\/a>/gi, withAddress)
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/<(br|\/p|\/div|\/tr|\/li|\/h[1-6])\b[^>]*>/gi, (_, tag: string) =>
      /^\/(p|h)/i.test(tag) ? '\n\n' : '\n',
    )
    .replace(/<[^<>]*>/g, '')
    .replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, entity)
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function withAddress(_link: string, address: string, words: string): string {
  return words.trim() === address || words.trim() === '' ? address : `${words} (${address})`;
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

function entity(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES.get(name.toLowerCase()) ?? whole;
  const isHex = name[1]?.toLowerCase() === 'x';
  const point = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  return point > 31 && point <= 0x10ffff ? String.fromCodePoint(point) : '';
}
