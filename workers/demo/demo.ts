import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openFileTree } from '../../jobs/files/file-tree.ts';
import { claimFolder, type Claim } from '../../sql/database/claim.ts';
import { SEED_PASSWORD } from '../processes/configuration.ts';
import { writeLogins } from '../processes/logins.ts';
import { makeParentFolder } from '../processes/output-file.ts';
import { runDays } from './days.ts';
import { readTape, type Refusal, type TapeRow } from './read-tape.ts';
import {
  compareInstallments,
  rewindToOrigination,
  closingPeriod,
  type Comparison,
} from './tape-loans.ts';
import type { DemoOptions } from './options.ts';
import { hasRun, exportFiles, platformFolder, removeEarlierOutput } from './output-folder.ts';
import { startPhases } from './phases.ts';
import { startPlatform, type Platform } from './platform.ts';
import { waitUntilIdle } from './wait-for-quiet.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import type { StopRequest } from './signals.ts';
import { DEMO_EMAILS, createDemoTenant } from './demo-tenant.ts';
import { holdStatements } from './statements.ts';
import { printReport, buildReport, type Report } from './summary.ts';

/** Runs the demo and returns its exit code: 1 if the books do not balance or work was left undone. */
export async function runDemo(options: DemoOptions, asked: StopRequest): Promise<number> {
  await using tree = await openFileTree(options.tape);
  const { rows: all, refusals } = await readTape(tree);
  const comparison = compareInstallments(all);
  printTapeSummary(options.tape, all.length, refusals, comparison);
  if (all.length === 0) return 1;
  const { first, through } = closingPeriod(all, options.through);
  const rows = all.map(rewindToOrigination).filter((row) => row.origination_date <= through);
  if (rows.length === 0) {
    console.error(
      `No loan of the tape begins by ${through}. Its first begins on ${first}: choose a later --through.`,
    );
    return 1;
  }
  if (rows.length < all.length)
    console.log(`${all.length - rows.length} loans begin after ${through} and stay out.`);
  const isAgain = hasRun(options.out);
  const claim = await claimFolder(platformFolder(options.out));
  removeEarlierOutput(options.out);
  if (isAgain) console.log(`Starting clean: what was in ${options.out} is replaced.`);

  const secret = randomBytes(32).toString('hex');
  const receiver = await startReceiver(secret);
  const course = { rows, first, through, secret, receiver };
  try {
    const given = { claim, certificate: receiver.certificate, signal: asked.signal };
    const report = await withPlatform(options, given, (platform) =>
      serviceLoans(platform, options, course, { refusals, comparison }),
    );
    printReport(report, options.out);
    if (options.summary) {
      makeParentFolder(options.summary);
      writeFileSync(options.summary, `${JSON.stringify(report.summary, null, 2)}\n`);
    }
    return isHealthy(report, receiver) ? 0 : 1;
  } finally {
    claim.release();
    receiver.close();
  }
}

function printTapeSummary(
  file: string,
  loans: number,
  refusals: readonly Refusal[],
  { compared, matched, differing }: Comparison,
) {
  console.log(`${path.basename(file)}: ${loans} loans.`);
  printRefusals(refusals);
  console.log(
    `${matched} of ${compared} published installments equal the level payment, rounded up.`,
  );
  for (const line of differing.slice(0, LISTED_MAX)) console.log(`  ${line}`);
  if (differing.length > LISTED_MAX) console.log(`  and ${differing.length - LISTED_MAX} more`);
}

const LISTED_MAX = 200;

function printRefusals(refusals: readonly Refusal[]) {
  for (const { line, column, reason } of refusals.slice(0, LISTED_MAX))
    console.log(`  line ${line}${column ? `, ${column}` : ''}: ${reason}`);
  if (refusals.length > LISTED_MAX)
    console.log(`  and ${refusals.length - LISTED_MAX} more reasons`);
}

type PlatformInputs = { claim: Claim; certificate: string; signal: AbortSignal };

/** Runs the steps with a platform and always stops it, also after an error or a stop request. */
async function withPlatform(
  { out, environment }: DemoOptions,
  { claim, certificate, signal }: PlatformInputs,
  steps: (platform: Platform) => Promise<Report>,
): Promise<Report> {
  console.log('Starting Postgres, the API and three workers …');
  const platform = await startPlatform({
    folder: platformFolder(out),
    claim,
    environment,
    certificate,
    signal,
    onNews: (sentence) => console.log(`\n${sentence}`),
  });
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([steps(platform), stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    await platform.stop();
  }
}

type ServicingInputs = {
  rows: readonly TapeRow[];
  first: string;
  through: string;
  secret: string;
  receiver: Receiver;
};

async function serviceLoans(
  platform: Platform,
  options: DemoOptions,
  { rows, first, through, secret, receiver }: ServicingInputs,
  { refusals, comparison }: { refusals: readonly Refusal[]; comparison: Comparison },
): Promise<Report> {
  const phases = startPhases();
  const password = options.environment['SEED_PASSWORD'] || SEED_PASSWORD;
  const stage = await createDemoTenant(platform, receiver, secret, {
    businessDate: first,
    password,
  });
  writeLogins(platformFolder(options.out), { from: 'demo', emails: DEMO_EMAILS, password });
  await holdStatements(platform, options.statements);
  const { tape, statements } = options;
  const plan = { file: path.basename(tape), rows, first, through, statements };
  const { ids, business_days, refusals: late } = await runDays(platform, stage, plan, phases);
  printRefusals(late);
  await phases.in('finishing jobs', () => waitUntilIdle(platform, stage));
  await phases.in('laying out files', () => exportFiles(options.out, platform, stage, ids));
  await phases.in('finishing jobs', () => waitUntilIdle(platform, stage));
  await phases.in('checking the books', () => platform.stopWorkers());
  return buildReport(options.out, platform, stage, phases, {
    loans_boarded: ids.size,
    loans_refused: new Set([...refusals, ...late].map(({ line }) => line)).size,
    installments_compared: comparison.compared,
    installments_matched: comparison.matched,
    business_days,
  });
}

/** The receiver's own count of deliveries must match, and no delivery may have a wrong signature. */
function isHealthy({ summary, failed }: Report, receiver: Receiver): boolean {
  const { trial_balance_difference, invariant_violations, webhooks_delivered } = summary;
  const isReceived = receiver.received() === webhooks_delivered && receiver.forged() === 0;
  if (!isReceived)
    console.log(`The receiver got ${receiver.received()} events, ${receiver.forged()} forged.`);
  const isBalanced = trial_balance_difference === '0.00' && invariant_violations === 0;
  return isBalanced && isReceived && failed.length === 0;
}
