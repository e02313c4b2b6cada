import { z } from 'zod';
import { DatabaseUrl, readEnvironment } from './database/environment.ts';
import { migrate } from './database/migrate.ts';

/**
 * `npm run migrate`: brings DATABASE_URL to the newest schema. Run it during a deployment; no process
 * migrates when it starts.
 */
const Environment = z.object({ DATABASE_URL: DatabaseUrl });

try {
  const { DATABASE_URL: url } = readEnvironment(Environment, process.env);
  const applied = await migrate(url);
  for (const name of applied) console.log(`applied ${name}`);
  console.log(applied.length === 0 ? 'The schema is up to date.' : 'The schema is now up to date.');
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
