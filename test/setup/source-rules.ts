import { expect, test } from 'vitest';
import type { Source } from './sources.ts';

/** What every rule answers: a sentence for each place that breaks it. */
export function testSourceRule(name: string, broken: () => string[]) {
  // oxlint-disable-next-line vitest/valid-title -- the sentence stands where the rule does
  test(name, () => expect(broken()).toEqual([]));
}

/** A sentence for each file in which the pattern is found, with what was found. */
export const filesMatching = (files: readonly Source[], pattern: RegExp, what: string) =>
  files.flatMap(({ file, code }) => {
    const found = pattern.exec(code);
    return found ? [`${file} ${what}: ${found[0].trim().slice(0, 80)}`] : [];
  });
