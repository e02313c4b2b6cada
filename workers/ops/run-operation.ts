import path from 'node:path';
import { parseArgs } from 'node:util';
import type { DatabasePool } from 'slonik';
import { openFiles } from '../../jobs/files/open-files.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { hintAt, quote } from '../../jobs/nearest-word.ts';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { readSecret } from '../../jobs/sealing/secrets.ts';
import { openPool } from '../../sql/database/db.ts';
import type { Variables } from '../../sql/database/environment.ts';
import { checkTenant } from './check-tenant.ts';
import { exportBook } from './export-book.ts';
import { closeDays } from './close.ts';
import { createTenant } from './create-tenant.ts';
import { createUser } from './create-user.ts';
import { listFailedJobs, retryFailedJobs } from './failed-jobs.ts';
import { changeJobs, listFailureCauses, showJob, listJobs } from './jobs.ts';
import {
  UsageError,
  type OperationResult,
  type Operation,
  type OwnerOperation,
} from './operation.ts';
import { pauseJobs, listPauses, resumeJobs } from './pause.ts';
import { listCloses, setOperators, listSchedules, listReceivers } from './platform.ts';
import { listPools, showRunsToday } from './pools.ts';
import { refoldLoans } from './refold-loans.ts';
import { recountRecords } from './recount.ts';
import { resetFactors } from './reset-second-factors.ts';
import { manageRestoredCopy } from './restored-copy.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { listQuarantinedLoans } from './quarantined-loans.ts';
import { manageSanctionsList } from './sanctions-list.ts';
import { showOrChangeSettings } from './settings.ts';
import { listChanges, setSlots, setSubPools } from './slots.ts';
import { showQueueStatus } from './status.ts';
import { moveTenant } from './move-tenant.ts';
import { openForCommand } from '../processes/command.ts';
import {
  findDatabase,
  readCommandConfiguration,
  type CommandConfiguration,
} from '../processes/configuration.ts';

/** Every operation of `npm run ops`. */
export const OPERATIONS: readonly (Operation | OwnerOperation)[] = [
  showQueueStatus,
  listPools,
  showRunsToday,
  pauseJobs,
  resumeJobs,
  listPauses,
  setSlots,
  setSubPools,
  listChanges,
  listFailedJobs,
  retryFailedJobs,
  listJobs,
  showJob,
  listFailureCauses,
  changeJobs,
  listSchedules,
  listReceivers,
  listCloses,
  setOperators,
  closeDays,
  listQuarantinedLoans,
  createTenant,
  checkTenant,
  createUser,
  resetFactors,
  showOrChangeSettings,
  resealSecrets,
  refoldLoans,
  recountRecords,
  manageSanctionsList,
  exportBook,
  moveTenant,
  manageRestoredCopy,
];

function helpText(): string {
  const lines = OPERATIONS.map(
    (operation) =>
      `  ${`${operation.name} ${operation.usage}`.trim().padEnd(40)} ${operation.summary}` +
      ('login' in operation ? ` (login ${operation.login})` : ''),
  );
  return (
    `npm run ops -- NAME … [--json]\n\n${lines.join('\n')}\n\n` +
    'In production, DATABASE_URL names the login "worker" of workers/deployment/logins.sql unless another is given.'
  );
}

function unknownOperation(name: string): string {
  const names = OPERATIONS.map((operation) => operation.name);
  return `There is no operation ${quote(name)}.${hintAt(name, names)}`;
}

/**
 * Escapes control characters, which a terminal would obey, and characters that change the reading
 * direction. Tenants write some of the printed text. The escapes are valid in JSON.
 */
export const escapeForTerminal = (text: string) =>
  text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (sign) =>
    sign === '\n' || sign === '\t'
      ? sign
      : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function printResult({ say, rows }: OperationResult, asJson: boolean) {
  if (asJson) {
    console.log(escapeForTerminal(JSON.stringify(rows ?? [])));
    return;
  }
  if (say) console.log(escapeForTerminal(say));
  else if (rows) console.table(rows);
}

/**
 * Runs the operation that the command line names. Returns the exit code: 0, 1, or 2 for invalid arguments.
 */
export async function runOperation(
  name: string | undefined,
  rest: string[],
  variables: Variables,
): Promise<number> {
  const operation = OPERATIONS.find((known) => known.name === name);
  if (!operation) {
    const isAsked = name === undefined || name === 'help';
    console.error(isAsked ? helpText() : `${unknownOperation(name)}\n\n${helpText()}`);
    return isAsked ? 0 : 2;
  }
  const configuration = readCommandConfiguration(variables);
  const fromEnvironment = argumentsFrom(configuration);
  try {
    const { json, ...line } = parseLine(operation, rest);
    const given = { ...line, ...fromEnvironment };
    const answer = await ('login' in operation
      ? operation.run(given)
      : withConnections(configuration, (connections) =>
          operation.run({ ...given, ...connections }),
        ));
    printResult(answer, json);
    return answer.code ?? 0;
  } catch (error) {
    const isMisuse =
      error instanceof UsageError ||
      (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
    if (!isMisuse) throw error;
    console.error(`${(error as Error).message}\nUsage: ${operation.name} ${operation.usage}`);
    return 2;
  }
}

/** The words and options of the command line. Throws if the operation does not expect them. */
function parseLine(operation: Operation | OwnerOperation, args: string[]) {
  const taken = Object.fromEntries(
    (operation.options ?? []).map((option) => [option, { type: 'string' as const }]),
  );
  const { values, positionals: words } = parseArgs({
    args,
    options: { ...taken, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const { json = false, ...options } = values;
  const [extra] = words.slice(operation.words ?? 0);
  if (extra !== undefined) throw new UsageError(`"${extra}" is not expected here.`);
  return { words, options, json };
}

/** The arguments of an operation that come from the environment. */
function argumentsFrom(configuration: CommandConfiguration) {
  const { NEW_PASSWORD: newPassword, SECRET: secret, DATA_DIR, STORAGE_URL } = configuration;
  const isProduction = configuration.NODE_ENV === 'production';
  return {
    url: findDatabase(configuration),
    newPassword,
    secret,
    installation: {
      ...DEFAULT_INSTALLATION,
      networks: parseNetworks(configuration.PRIVATE_NETWORKS, { isProduction }),
      may_close_future: !isProduction,
      local_port: isProduction ? null : configuration.LOCAL_PORT,
    },
    readSecret: () => readSecret(configuration),
    openFiles: () =>
      openFiles(STORAGE_URL, {
        folder: path.resolve(DATA_DIR, 'files'),
        secret: readSecret(configuration),
      }),
    say: (sentence: string) => void process.stderr.write(`  ${sentence}\n`),
  };
}

type Connections = { owner: DatabasePool; app: DatabasePool };

/** Opens the connections that the login `worker` may use, and closes them afterwards. */
async function withConnections<Result>(
  configuration: CommandConfiguration,
  use: (connections: Connections) => Promise<Result>,
): Promise<Result> {
  const app = await openForCommand(configuration, { size: 4 });
  try {
    const owner = await openPool(findDatabase(configuration), {
      role: 'servicing_worker',
      size: 2,
    });
    try {
      return await use({ owner, app });
    } finally {
      await owner.end();
    }
  } finally {
    await app.end();
  }
}
