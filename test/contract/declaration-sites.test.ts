import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { repositoryTexts } from '../setup/sources.ts';

type Printed = { method: string; path: string; role: string; file: string; line: number };

const texts = repositoryTexts();
const printed = execFileSync(process.execPath, ['api/print-routes.ts', '--json'], {
  encoding: 'utf8',
})
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Printed);

const textAt = ({ file, line }: Printed) => texts.get(file)?.split('\n')[line - 1] ?? '';

/** The words of a path that may be in the line that declares it: all, the last, or the first. */
const wordsOf = (path: string) => [
  path,
  ...path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('{'))
    .toReversed(),
];

test('each endpoint is printed with a file that exists and a line that names its path', () => {
  const lost = printed
    .filter((endpoint) => !wordsOf(endpoint.path).some((word) => textAt(endpoint).includes(word)))
    .map(({ method, path, file, line }) => `${method} ${path}: ${file}:${line}`);

  expect(printed.length).toBeGreaterThan(250);
  expect(lost).toEqual([]);
});

test('a value declared next to a resource is located there', () => {
  const fileOf = (method: string, path: string) =>
    printed.find((endpoint) => endpoint.method === method && endpoint.path === path)?.file;

  expect(fileOf('POST', '/loans/{id}/freeze')).toBe('api/loans/actions.ts');
  expect(fileOf('POST', '/loans/{id}/fees')).toBe('api/loans/records.ts');
  expect(fileOf('GET', '/loans/{id}/history')).toBe('api/loans/loans.ts');
  expect(fileOf('POST', '/communications/webhooks/inbound/sms')).toBe(
    'api/communications/callbacks.ts',
  );
});

test('two endpoints with one path are each located at their own line', () => {
  const [listed, made] = printed.filter(({ path }) => path === '/nacha-files');

  expect(textAt(listed as Printed)).toContain("path: 'nacha-files'");
  expect(textAt(made as Printed)).toContain("path: '/nacha-files'");
});
