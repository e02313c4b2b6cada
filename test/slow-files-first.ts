import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files with long tests. */
export const SLOW_FILES = ['test/api/guide-commands.test.ts', 'test/attack/attack.test.ts'];

/**
 * Starts slow files first. On a machine without results of an earlier run, vitest starts the largest files
 * first, so a short file with long tests would run alone at the end.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      SLOW_FILES.some((file) => moduleId.endsWith(`/${file}`));
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(isSlow(other)) - Number(isSlow(one)));
  }
}
