import path from 'node:path';
import { parseArgs } from 'node:util';
import { openFiles } from '../jobs/files/open-files.ts';
import { openPool } from '../sql/database/db.ts';
import { checkInvariants } from '../sql/invariants/invariants.ts';
import { restoreBackup, type RestoredBackup } from './backups/restore-backup.ts';
import { parseCause } from './ops/cause.ts';

/**
 * `npm run restore -- FOLDER --into DATA_DIR [--at MOMENT] --reason TEXT` restores a backup as of a moment
 * into a new folder and checks the books. Nothing leaves the copy until you run `npm run ops -- restored
 * release`. Exits with 1 if an invariant is violated.
 */
const USAGE =
  'Usage: npm run restore -- FOLDER --into NEW_FOLDER [--at MOMENT] --reason TEXT [--by NAME]';
const CHECK_MS = 600_000;

async function runRestore(given: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: given,
    options: {
      into: { type: 'string' },
      at: { type: 'string' },
      reason: { type: 'string' },
      by: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [from, ...more] = positionals;
  if (from === undefined || more.length > 0 || values.into === undefined) throw new Error(USAGE);
  const into = path.resolve(values.into);
  const restored = await restoreBackup({
    from: path.resolve(from),
    into,
    at: values.at,
    by: parseCause(values),
    say: (sentence) => console.error(`  ${sentence}`),
  });
  try {
    const violations = await violationsIn(restored, path.join(into, 'files'));
    for (const { rule, message } of violations) console.log(`${rule}: ${message}`);
    console.log(
      `${values.into} holds what ${from} held at ${restored.at}. ` +
        `${violations.length === 0 ? 'Every invariant holds.' : `${violations.length} violations.`}\n` +
        `SECRET must hold the keys: ${restored.manifest.secret_keys.join(', ') || 'none yet'}.\n` +
        `Start it with DATA_DIR=${values.into} npm start. It sends nothing and closes no day: ` +
        'npm run ops -- restored look says what waits, npm run ops -- restored release --reason TEXT lets it work.',
    );
    return violations.length === 0 ? 0 : 1;
  } finally {
    await restored.postgres.stop();
  }
}

async function violationsIn({ postgres, manifest }: RestoredBackup, folder: string) {
  const role = 'servicing_auditor';
  const auditor = await openPool(postgres.url, { role, size: 1, statementTimeoutMs: CHECK_MS });
  try {
    if (manifest.files_in === 'bucket') return await checkInvariants(auditor, {});
    // This command creates no links, so any secret works.
    const files = await openFiles(undefined, { folder, secret: ''.padEnd(32, '-') });
    return await checkInvariants(auditor, { describeFile: (key) => files.describe(key) });
  } finally {
    await auditor.end();
  }
}

try {
  process.exitCode = await runRestore(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
