import { defineConfig } from 'vitest/config';

/** Kills and restarts take real time, and one at a time so that the figures mean something. A busy machine needs longer. */
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
