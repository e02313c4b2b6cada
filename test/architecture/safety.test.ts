import { expect, test } from 'vitest';
import { repositoryTexts, sourcesIn, type Source } from '../setup/sources.ts';

const ours = sourcesIn(repositoryTexts()).filter(({ folder }) => folder !== 'test');

/** One sentence for each place that contains the pattern. */
const places = (files: readonly Source[], pattern: RegExp) =>
  files.flatMap(({ file, code }) =>
    [...code.matchAll(pattern)].map(([found]) => `${file}: ${found.trim().slice(0, 80)}`),
  );

test('loggers are created in one place', () => {
  const others = ours.filter(({ file }) => file !== 'jobs/monitoring/log.ts');

  expect(places(others, /^import .*from 'pino'/gm)).toEqual([]);
});

test('the message of a log line is a fixed sentence', () => {
  const logging = /\blog\.(error|warn|info|debug|trace|fatal)\(/g;
  const fixed = /^(\s*'[^'\n]*'|\s*\{[^;]*?\},\s*'[^'\n]*'),?\s*\)/;
  const loose = ours.flatMap(({ file, code }) =>
    [...code.matchAll(logging)]
      .map(({ index, 0: call }) => code.slice(index + call.length))
      .filter((rest) => !fixed.test(rest))
      .map((rest) => `${file}: ${rest.slice(0, 80)}`),
  );

  expect(loose).toEqual([]);
});

test('a table that is looked up by external words is a dictionary without a prototype', () => {
  expect(places(ours, /^(export )?const [A-Z_]+: (Readonly<)?Record<string, .*= \{/gm)).toEqual([]);
  expect(places(ours, /\w\)? in (?!PUPPETEER|DATA_DIR)[A-Z_]{3,}\b/g)).toEqual([]);
});

test('time-sorted ids are created in one place, where they keep their order', () => {
  const others = ours.filter(({ file }) => file !== 'sql/new-id.ts');

  expect(places(others, /\brandomUUIDv7\b/g)).toEqual([]);
});
