import { RE2JS } from 're2js';
import { expect, test, vi } from 'vitest';
import { expandedSize } from '../../jobs/communications/inbound/pattern-size.ts';
import { matchesPattern, findPatternProblem } from '../../jobs/communications/inbound/patterns.ts';
import { cpuTimeMs } from '../setup/cpu-time.ts';

test.each([
  ['x{1000}'.repeat(28), 28_000],
  ['((a{10}){10}){10,}', 1_000],
  ['(?:a|b{2,30}){4}', 124],
  [String.raw`(?P<name>[^]{3}]{5}\pL{4})+x\Q{9}\E`, 16],
  ['((((', 0],
  ['a){5}', 5],
])('the size of %s is known before it is compiled', (pattern, size) => {
  expect(expandedSize(pattern)).toBe(size);
});

test('a pattern that is far too large is not compiled', () => {
  const compile = vi.spyOn(RE2JS, 'compile');

  const problem = findPatternProblem('x{1000}'.repeat(28));
  matchesPattern('(x{1000}){1000}', 'xxx');

  expect(problem).toMatch(/too large/);
  expect(compile).not.toHaveBeenCalled();
});

test('the slowest pattern that can be saved reads the longest message quickly', () => {
  const dear = ['.{1,145}z', '(a?){40}a{40}', '(a+)+$', '(.*)*x', String.raw`(\pL+\s?)+\d`];
  const text = 'a'.repeat(100_000);

  for (const pattern of dear) {
    expect(findPatternProblem(pattern), pattern).toBeNull();
    expect(
      cpuTimeMs(() => matchesPattern(pattern, text)),
      pattern,
    ).toBeLessThan(500);
  }
});
