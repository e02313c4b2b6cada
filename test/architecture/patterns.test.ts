import { expect, test } from 'vitest';
import { slowInputCandidates, slowPatternCauses, patternsIn } from '../setup/patterns.ts';
import { repositoryTexts, sourcesIn } from '../setup/sources.ts';
import { cpuTimeMs } from '../setup/cpu-time.ts';

const ours = sourcesIn(repositoryTexts()).filter(({ folder }) => folder !== 'test');
const { patterns, made } = patternsIn(ours);

const CHARACTERS = 50_000;
const LIMIT_MS = 50;

test('patterns are written as literals, where the tests below find them', () => {
  expect(patterns.length).toBeGreaterThan(150);
  // Tries the patterns of declared fields on the values of the examples in the API documentation.
  expect(made).toEqual(['api/endpoints/examples.ts']);
});

test('every pattern takes linear time on any input', () => {
  const slow = patterns.flatMap((pattern) =>
    slowPatternCauses(pattern).map(
      (cause) => `${pattern.file}: ${pattern.as_written} ${cause.slice(0, 80)}`,
    ),
  );

  expect(slow).toEqual([]);
});

test('no pattern is slow on a long text that keeps matching partially', { timeout: 60_000 }, () => {
  const slow = patterns.flatMap((pattern) =>
    slowInputCandidates(pattern).flatMap((word) => {
      const text = word.repeat(CHARACTERS / word.length);
      const ms = cpuTimeMs(() => text.replace(new RegExp(pattern.source, pattern.flags), ''));
      return ms < LIMIT_MS ? [] : [`${pattern.file}: ${pattern.as_written} ${word} ${ms} ms`];
    }),
  );

  expect(slow).toEqual([]);
});
