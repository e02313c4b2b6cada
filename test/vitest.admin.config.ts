import { defineConfig } from 'vitest/config';

/** Drives the built example admin in a browser. */
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/admin/example-admin.test.ts'],
    globalSetup: [new URL('setup/template.ts', import.meta.url).pathname],
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
