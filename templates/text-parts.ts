/** Returns the text between <name> and </name>. Our template files contain several texts. */
export function extractPart(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : text.slice(start + name.length + 2, end).trim();
}
