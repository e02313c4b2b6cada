import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseList } from '../../api/endpoints/lists.ts';
import { HttpRefusal } from '../../api/http/errors.ts';
import { routes } from '../../api/routes.ts';
import { Invalid } from '../../jobs/errors.ts';
import { CsvSyntaxError, readCsv } from '../../jobs/files/read-csv.ts';
import { checkWebhookUrl } from '../../jobs/networks/host-url.ts';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { isSlow, isSlowAsync } from '../setup/cpu-time.ts';

const CHARACTERS = 50_000;
const LIMIT_MS = 50;
const WORDS = [
  'a',
  '0',
  ' ',
  '-',
  '.',
  '@',
  'a@',
  'a.',
  'a-',
  'a@a.',
  '+1',
  '1-',
  '1 ',
  'https://',
  '//',
  'https://a.',
  '[::',
  '%',
  '\\',
  '"',
  '""',
  '","',
  "'",
  '=',
  '<',
  '<a ',
  '{{',
  '{',
  '[',
  '	',
  '\n',
  '\xA0',
  'é',
  '😀',
  '0.',
  '2026-01-31',
  'ssn ',
  '123-45-',
  '4242 ',
  '4242-',
  '424242',
];
const texts = WORDS.map((word) => word.repeat(CHARACTERS / word.length).slice(0, CHARACTERS));

test('no field of any request takes long to validate, however long its text', () => {
  const fields = new Map<string, z.ZodType>();
  for (const { path, method, body, query } of routes) {
    for (const schema of [body, query]) {
      if (!(schema instanceof z.ZodObject)) continue;
      for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
        fields.set(`${method} ${path} ${name}`, field);
      }
    }
  }

  const slow = [...fields].filter(([, field]) =>
    texts.some((text) =>
      isSlow(LIMIT_MS, () => [text, [text], { key: text }].map((value) => field.safeParse(value))),
    ),
  );

  expect(fields.size).toBeGreaterThan(300);
  expect(slow.map(([name]) => name)).toEqual([]);
});

test('no list takes long to parse its parameters', () => {
  const list = routes.find(({ path, method }) => path === '/borrowers' && method === 'GET')?.list;
  if (!list) throw new Error('There is no list of borrowers.');
  const queries = texts.flatMap((text) => [
    ...['sort', 'range', 'filter', 'ordering', 'limit', 'offset', 'q', 'email', text].map(
      (name) => ({
        [name]: text,
      }),
    ),
    { filter: JSON.stringify({ [text]: text }) },
    { filter: JSON.stringify({ q: text, status: [text] }) },
  ]);

  const slow = queries.filter((query) =>
    isSlow(LIMIT_MS, () => {
      try {
        parseList(list, query);
      } catch (error) {
        if (!(error instanceof Invalid || error instanceof HttpRefusal)) throw error;
      }
    }),
  );

  expect(slow.map((query) => JSON.stringify(query).slice(0, 80))).toEqual([]);
});

test('no webhook URL takes long to parse', () => {
  const slow = texts.filter((text) =>
    isSlow(LIMIT_MS, () => {
      checkWebhookUrl(`https://${text}`.slice(0, 2_000), parseNetworks([]));
      checkWebhookUrl(text, parseNetworks([]));
    }),
  );

  expect(slow.map((text) => text.slice(0, 40))).toEqual([]);
});

test('no tape takes long to parse', async () => {
  const slow: string[] = [];
  for (const text of texts) {
    const read = () =>
      Array.fromAsync(readCsv([Buffer.from(text)])).catch((error: unknown) => {
        if (!(error instanceof CsvSyntaxError)) throw error;
      });
    if (await isSlowAsync(LIMIT_MS, read)) slow.push(text.slice(0, 40));
  }

  expect(slow).toEqual([]);
});
