import type { Client, Reply } from './client.ts';

type Part = { name?: string; type?: string; content: string; field?: string };

const BOUNDARY = 'the-end-of-a-part';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A multipart form with files, as a browser sends it. */
export function multipartForm(
  fields: Readonly<Record<string, string>>,
  files: readonly Part[] = [],
) {
  const parts = [
    ...Object.entries(fields).map(
      ([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`,
    ),
    ...files.map(
      ({ field = 'file', name = 'a.pdf', type = 'application/pdf', content }) =>
        `Content-Disposition: form-data; name="${field}"; filename="${name}"\r\n` +
        `Content-Type: ${type}\r\n\r\n${content}`,
    ),
  ];
  return `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`;
}

export const postForm = (
  client: Client,
  path: string,
  raw: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  client.send('POST', path, undefined, { raw, headers: { 'Content-Type': FORM_TYPE, ...headers } });
