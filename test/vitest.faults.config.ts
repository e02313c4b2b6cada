import { defineConfig } from 'vitest/config';

/**
 * Kills and restarts take real time. The tests run one after another so that the figures are meaningful. A
 * busy machine needs more time.
 */
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/faults/**/*.test.ts'],
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
