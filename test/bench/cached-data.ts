import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openLog } from '../../jobs/log.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate, schemaChecksum } from '../../sql/database/migrate.ts';
import { supervisePostgres } from '../../workers/processes/supervise-postgres.ts';
import { printProgress } from './figures.ts';

const KEPT = fileURLToPath(new URL('../../.bench', import.meta.url));

export type DatabaseCopy = {
  url: string;
  /** DATA_DIR of the processes that work on the copy. */
  folder: string;
  close(): Promise<void>;
};

/**
 * A database that is as it was made, on a server with the durability of production. It is made once and
 * kept below .bench until the schema changes; each run works on a copy of its own, which goes with it.
 */
export async function copyCachedData(
  name: string,
  make: (url: string) => Promise<void>,
): Promise<DatabaseCopy> {
  const folder = path.join(KEPT, name);
  const mark = path.join(folder, 'made-for');
  const schema = schemaChecksum();
  const isMade = existsSync(mark) && readFileSync(mark, 'utf8') === schema;
  if (!isMade) rmSync(folder, { recursive: true, force: true });
  const postgres = await startEmbeddedPostgres(folder);
  const urlOf = (database: string) => postgres.url.replace(/[^/]+$/, database);
  // Ends the server too when the measuring is cut short. A database is copied while nobody is in it.
  const watched = { ...postgres, url: urlOf('postgres') };
  const kept = await supervisePostgres(watched, openLog('silent', { service: 'bench' }));
  if (!isMade) {
    printProgress(`Making ${name}, which is kept in .bench …`);
    await migrate(postgres.url);
    await make(postgres.url);
    writeFileSync(mark, schema);
  }
  const server = new pg.Client(urlOf('postgres'));
  server.on('error', () => {});
  await server.connect();
  await server.query('drop database if exists copy with (force)');
  await server.query('create database copy template servicing strategy file_copy');
  await server.query('checkpoint');
  const data = mkdtempSync(path.join(tmpdir(), 'bench-'));
  return {
    url: urlOf('copy'),
    folder: data,
    close: async () => {
      await server.query('drop database if exists copy with (force)');
      await server.end();
      await kept.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
