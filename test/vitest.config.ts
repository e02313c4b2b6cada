import { defineConfig } from 'vitest/config';
import { SlowFilesFirst } from './slow-files-first.ts';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: ['test/faults/**', 'test/bench/**', 'test/admin/**'],
    setupFiles: [new URL('setup/properties.ts', import.meta.url).pathname],
    globalSetup: [new URL('setup/template.ts', import.meta.url).pathname],
    // One more than the cores of a small machine, because each worker often waits for Postgres.
    maxWorkers: 3,
    // Files share only their imports. Each file has its own database.
    isolate: false,
    sequence: { sequencer: SlowFilesFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
