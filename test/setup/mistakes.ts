import { expect } from 'vitest';
import type { Client, Reply } from './client.ts';
import { FORM_TYPE, multipartForm } from './forms.ts';

type Request = readonly [method: string, path: string, body?: unknown, headers?: object];
export type Mistake = { what: string; request: Request; client?: Client; raw?: string };

export const get = (path: string): Request => ['GET', path];
export const post = (path: string, body: unknown): Request => ['POST', path, body];

/** A form with one file, or without. */
export const form = (
  path: string,
  fields: Readonly<Record<string, string>>,
  ...files: { name: string; type: string; content: string }[]
) => ({
  request: ['POST', path, null, { 'Content-Type': FORM_TYPE }] as const,
  raw: multipartForm(fields, files),
});

async function answerTo({ request, raw, client }: Mistake, usual: Client): Promise<Reply> {
  const [method, path, body, headers = {}] = request;
  const address = path.replaceAll(/[^\w/?&=.-]/g, encodeURIComponent);
  return (client ?? usual).send(method, address, body ?? undefined, {
    headers: { ...headers },
    ...(raw && { raw }),
  });
}

/** One mistake with its answer. */
function describeAnswer(
  { what, request: [method, path] }: Mistake,
  { status, body, headers }: Reply,
) {
  const {
    message,
    code,
    errors = {},
  } = body as {
    message: string;
    code: string;
    errors?: Record<string, string>;
  };
  const ignored = headers['x-ignored-fields'];
  const lines = [
    what,
    `  ${method} ${path}`,
    `  ${status} ${code}: ${message}`,
    ...Object.entries(errors).map(([field, sentence]) => `    ${field}: ${sentence}`),
    ...(ignored === undefined ? [] : [`    X-Ignored-Fields: ${String(ignored)}`]),
  ];
  return lines.join('\n');
}

/**
 * Makes each mistake and prints its answer. `named` replaces the ids of this run. Fails if a mistake is not
 * refused.
 */
export async function answersTo(
  mistakes: readonly Mistake[],
  client: Client,
  named: Readonly<Record<string, string>>,
) {
  const answers: string[] = [];
  for (const mistake of mistakes) {
    const reply = await answerTo(mistake, client);

    expect([reply.status, mistake.what]).toEqual([expect.toSatisfy(isRefusal), mistake.what]);
    answers.push(describeAnswer(mistake, reply));
  }
  const text = answers.map((answer, at) => `${at + 1}. ${answer}\n`).join('\n');
  return Object.entries(named).reduce((all, [name, id]) => all.replaceAll(id, `{${name}}`), text);
}

const isRefusal = (status: number) => status >= 400 && status < 500;
