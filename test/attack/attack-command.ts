import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { attack, type Finding } from './attack.ts';
import { printFinding, problemsIn } from './findings.ts';
import { measureSlowClients } from './slow-clients.ts';

/**
 * `npm run test:attack -- --requests 50000 --seed 7` sends hostile requests to a fresh API, more than a
 * test has time for. `--only 12,345` sends only these requests of the seed. Exits with 1 if a problem was
 * found.
 *
 * `npm run test:attack -- --slow-clients` measures what slow clients and expensive bodies cost another
 * tenant. Exits with 1 if that tenant's 99th percentile doubles.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    'slow-clients': { type: 'boolean', default: false },
  },
});

async function runAttack(url: string): Promise<Finding> {
  const seed = Number(values.seed);
  const only = values.only ? { only: values.only.split(',').map(Number) } : {};
  console.log(`npm run test:attack -- --requests ${values.requests} --seed ${seed}`);
  return attack({ url, requests: Number(values.requests), seed, ...only }, console.log);
}

const folder = mkdtempSync(path.join(tmpdir(), 'attack-'));
const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
try {
  await migrate(postgres.url);
  if (values['slow-clients']) {
    process.exitCode = (await measureSlowClients(postgres.url, console.log)) ? 0 : 1;
  } else {
    const found = await runAttack(postgres.url);
    printFinding(found);
    process.exitCode = problemsIn(found).length === 0 ? 0 : 1;
  }
} finally {
  await postgres.stop('immediate');
  rmSync(folder, { recursive: true, force: true });
}
// Exits without waiting for open connections.
process.exit();
