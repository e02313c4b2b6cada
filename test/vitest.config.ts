import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: ['test/faults/**', 'test/bench/**'],
    setupFiles: [new URL('setup/properties.ts', import.meta.url).pathname],
    globalSetup: [new URL('setup/template.ts', import.meta.url).pathname],
    // One more than the cores that a small machine has: each waits for Postgres much of the time.
    maxWorkers: 3,
    // Files share what they import, and nothing else: each has a database of its own.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
