import { expect, test } from 'vitest';
import type { Source } from './sources.ts';

/** A rule returns one sentence for each place that breaks it. */
export function testSourceRule(name: string, broken: () => string[]) {
  // oxlint-disable-next-line vitest/valid-title -- each rule defines its own title
  test(name, () => expect(broken()).toEqual([]));
}

/** One sentence for each file that contains the pattern. */
export const filesMatching = (files: readonly Source[], pattern: RegExp, what: string) =>
  files.flatMap(({ file, code }) => {
    const found = pattern.exec(code);
    return found ? [`${file} ${what}: ${found[0].trim().slice(0, 80)}`] : [];
  });
