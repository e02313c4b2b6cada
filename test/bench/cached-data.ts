import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openLog } from '../../jobs/monitoring/log.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate, schemaChecksum } from '../../sql/database/migrate.ts';
import { supervisePostgres } from '../../workers/processes/supervise-postgres.ts';
import { printProgress } from './figures.ts';

const CACHE_FOLDER = fileURLToPath(new URL('../../.bench', import.meta.url));

export type DatabaseCopy = {
  url: string;
  /** DATA_DIR of the processes that use the copy. */
  folder: string;
  close(): Promise<void>;
};

/**
 * A fresh copy of a prepared database, on a server as durable as in production. The original is created
 * once and kept in .bench until the schema changes. Each run works on its own copy, which is removed
 * afterwards.
 */
export async function copyCachedData(
  name: string,
  make: (url: string) => Promise<void>,
): Promise<DatabaseCopy> {
  const folder = path.join(CACHE_FOLDER, name);
  const mark = path.join(folder, 'made-for');
  const schema = schemaChecksum();
  const isMade = existsSync(mark) && readFileSync(mark, 'utf8') === schema;
  if (!isMade) rmSync(folder, { recursive: true, force: true });
  const postgres = await startEmbeddedPostgres(folder);
  const urlOf = (database: string) => postgres.url.replace(/[^/]+$/, database);
  // Stops the server even if the benchmark is aborted. Postgres copies a database only while it has no
  // connections.
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
