import path from 'node:path';
import { openPool } from '../sql/database/db.ts';
import { listRegisteredKeys } from '../sql/sealed-columns.ts';
import { takeBackup } from './backups/take-backup.ts';
import { findDatabase, readCommandConfiguration } from './processes/configuration.ts';

/**
 * `npm run backup -- FOLDER` copies the embedded database below DATA_DIR and its documents while they are
 * in use. The first backup copies everything, later ones only what is new. If you run your own Postgres,
 * use that server's tools: workers/deployment/backups.md.
 */
async function runBackup([folder, ...more]: string[]) {
  const configuration = readCommandConfiguration(process.env);
  if (folder === undefined || more.length > 0) throw new Error('Usage: npm run backup -- FOLDER');
  if (configuration.DATABASE_URL)
    throw new Error(
      "DATABASE_URL names your own Postgres. Back it up with that server's tools " +
        '(workers/deployment/backups.md). This command backs up the embedded database in the folder DATA_DIR.',
    );
  const url = findDatabase(configuration);
  const worker = await openPool(url, { role: 'servicing_worker', size: 1 });
  const keys = await listRegisteredKeys(worker).finally(() => worker.end());
  const files = configuration.STORAGE_URL
    ? undefined
    : path.resolve(configuration.DATA_DIR, 'files');
  const { from, until, secret_keys } = await takeBackup(path.resolve(folder), {
    url,
    files,
    secret_keys: keys.filter(({ retired }) => !retired).map(({ id }) => id),
    say: (sentence) => console.error(`  ${sentence}`),
  });
  console.log(
    `${folder} can be restored to any moment from ${from} to ${until}.\n` +
      `It does not hold SECRET, of which a copy needs the keys: ${secret_keys.join(', ') || 'none yet'}. ` +
      `Keep that elsewhere${files ? '' : ', and copy the bucket as well'}.`,
  );
}

try {
  await runBackup(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
