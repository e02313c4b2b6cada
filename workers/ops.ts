<<<<<<< HEAD
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openFiles } from '../jobs/files/open-files.ts';
import { BARE } from '../jobs/installation.ts';
import { networksOf } from '../jobs/networks/networks.ts';
import { readSecret } from '../jobs/sealing/secrets.ts';
import { openPool } from '../sql/database/db.ts';
import { checkTenant } from './ops/check-tenant.ts';
import { close } from './ops/close.ts';
import { createTenant } from './ops/create-tenant.ts';
import { createUser } from './ops/create-user.ts';
import { failed, retry } from './ops/failed.ts';
import { changeJobs, failures, job, jobs } from './ops/jobs.ts';
import { nearest } from './ops/nearest.ts';
import { Misused, type Answer, type Operation } from './ops/operation.ts';
import { pause, pauses, resume } from './ops/pause.ts';
import { closes, operators, schedules, webhooks } from './ops/platform.ts';
import { pools, runs } from './ops/pools.ts';
import { reckon } from './ops/reckon.ts';
import { recount } from './ops/recount.ts';
import { resetFactors } from './ops/reset-second-factors.ts';
import { restored } from './ops/restored.ts';
import { secrets } from './ops/secrets.ts';
import { setAside } from './ops/set-aside.ts';
import { settings } from './ops/settings.ts';
import { changes, slots, subPools } from './ops/slots.ts';
import { status } from './ops/status.ts';
import { tenant } from './ops/tenant.ts';
import { openForCommand } from './processes/command.ts';
import { findDatabase, readCommandConfiguration } from './processes/configuration.ts';

/** `npm run ops -- NAME …`: what an operator asks of a running platform. */
const OPERATIONS: readonly Operation[] = [
  ...[status, pools, runs, pause, resume, pauses, slots, subPools, changes, failed, retry],
  ...[jobs, job, failures, changeJobs, schedules, webhooks, closes, operators],
  ...[
    close,
    setAside,
    createTenant,
    checkTenant,
    createUser,
    resetFactors,
    settings,
    secrets,
    reckon,
    recount,
    tenant,
    restored,
  ],
];

function help(): string {
  const lines = OPERATIONS.map(
    ({ name, usage, summary }) => `  ${`${name} ${usage}`.trim().padEnd(40)} ${summary}`,
  );
  return `npm run ops -- NAME … [--json]\n\n${lines.join('\n')}`;
}

function unknownWord(name: string): string {
  const near = nearest(
    name,
    OPERATIONS.map((operation) => operation.name),
  );
  return `There is no operation "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`;
}

function print({ say, rows }: Answer, asJson: boolean) {
  if (asJson) {
    console.log(JSON.stringify(rows ?? []));
    return;
  }
  if (say) console.log(say);
  else if (rows) console.table(rows);
}

async function perform(name: string | undefined, rest: string[]): Promise<number> {
  const operation = OPERATIONS.find((known) => known.name === name);
  if (!operation) {
    const isAsked = name === undefined || name === 'help';
    console.error(isAsked ? help() : `${unknownWord(name)}\n\n${help()}`);
    return isAsked ? 0 : 2;
  }
  const taken = Object.fromEntries(
    (operation.options ?? []).map((option) => [option, { type: 'string' as const }]),
  );
  const configuration = readCommandConfiguration(process.env);
  const url = findDatabase(configuration);
  const app = await openForCommand(configuration, { size: 4 });
  const owner = await openPool(url, { role: 'servicing_worker', size: 2 });
  const isProduction = configuration.NODE_ENV === 'production';
  const installation = {
    ...BARE,
    networks: networksOf(configuration.PRIVATE_NETWORKS, { isProduction }),
    may_close_future: !isProduction,
    local_port: isProduction ? null : configuration.LOCAL_PORT,
  };
  const { NEW_PASSWORD: newPassword, SECRET: secret, DATA_DIR, STORAGE_URL } = configuration;
  const inStore = () =>
    openFiles(STORAGE_URL, {
      folder: path.resolve(DATA_DIR, 'files'),
      secret: readSecret(configuration),
    });
  try {
    const { values, positionals: words } = parseArgs({
      args: rest,
      options: { ...taken, json: { type: 'boolean' } },
      allowPositionals: true,
    });
    const { json = false, ...options } = values;
    const [extra] = words.slice(operation.words ?? 0);
    if (extra !== undefined) throw new Misused(`"${extra}" is one word too many.`);
    const given = {
      ...{ url, owner, app, words, options, newPassword, secret, installation },
      openFiles: inStore,
      say: (sentence: string) => void process.stderr.write(`  ${sentence}\n`),
    };
    const answer = await operation.run(given);
    print(answer, json);
    return answer.code ?? 0;
  } catch (error) {
    const isMisuse =
      error instanceof Misused || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
    if (!isMisuse) throw error;
    console.error(`${(error as Error).message}\nUsage: ${operation.name} ${operation.usage}`);
    return 2;
  } finally {
    await Promise.all([owner.end(), app.end()]);
  }
}

=======
import { perform } from './ops/perform.ts';

/** `npm run ops -- NAME …`: what an operator asks of a running platform. */
>>>>>>> d6c9d9fb (Follow the database's clock, count refused sends as failures, and give every operation a login that works in production)
try {
  const [name, ...rest] = process.argv.slice(2);
  process.exitCode = await perform(name, rest, process.env);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
