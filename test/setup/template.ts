import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection to the migrated database that each test file clones. */
    templateUrl: string;
  }
}

/** One Postgres per run, with one migrated database that every test file gets a copy of. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(path.join(tmpdir(), 'servicing-test-'));
  const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
  await migrate(postgres.url);
  project.provide('templateUrl', postgres.url);
  return async () => {
    await postgres.stop('immediate');
    rmSync(folder, { recursive: true, force: true });
  };
}
