import path from 'node:path';
import { Big } from 'big.js';
import { localFiles } from '../../jobs/files/local-files.ts';
import { money } from '../../jobs/money.ts';
import { readSecret } from '../../jobs/sealing/secrets.ts';
import { checkInvariants, type Violation } from '../../sql/invariants/invariants.ts';
import { listFailures } from '../../sql/queue/worker-operations.ts';
import {
  loansByBucket,
  jobRunTotals,
  servicingTotals,
} from '../../sql/operations/servicing-totals.ts';
import { platformFolder } from './output-folder.ts';
import { retryWhileUnavailable } from './retry.ts';
import type { Phases } from './phases.ts';
import type { Platform } from './platform.ts';
import type { DemoTenant } from './demo-tenant.ts';

/** The results of a run. `--summary` writes these keys, so do not rename them. */
export type Summary = {
  loans_boarded: number;
  loans_refused: number;
  installments_compared: number;
  installments_matched: number;
  business_days: number;
  payments: number;
  accrued_interest: string;
  statements: number;
  mails: number;
  letters: number;
  webhooks_delivered: number;
  snapshots: number;
  lien_alerts: number;
  jobs: Record<string, { runs: number; seconds: number }>;
  trial_balance_difference: string;
  invariant_violations: number;
};

export type RunProgress = Pick<
  Summary,
  | 'loans_boarded'
  | 'loans_refused'
  | 'installments_compared'
  | 'installments_matched'
  | 'business_days'
>;

export type Report = {
  summary: Summary;
  violations: readonly Violation[];
  failed: readonly { task: string; error: string }[];
  buckets: Awaited<ReturnType<typeof loansByBucket>>;
  jobs: Awaited<ReturnType<typeof jobRunTotals>>;
  phases: Phases;
};

/** Counts the work done and checks the books. */
export async function buildReport(
  out: string,
  { within, owner, auditor }: Platform,
  { tenant_id, officer }: DemoTenant,
  phases: Phases,
  course: RunProgress,
): Promise<Report> {
  const sums = await within(tenant_id, ({ tx }) => servicingTotals(tx));
  const spread = await within(tenant_id, ({ tx }) => loansByBucket(tx));
  const jobs = await retryWhileUnavailable(() => jobRunTotals(owner));
  const failed = await retryWhileUnavailable(() => listFailures(owner, 1_000));
  const trial = await officer.get<{ total_debits: string; total_credits: string }>(
    '/ledger/trial-balance',
  );
  const folder = platformFolder(out);
  const secret = readSecret({ DATA_DIR: folder });
  const files = localFiles({ folder: path.join(folder, 'files'), secret });
  const violations = await phases.in('checking the books', () =>
    retryWhileUnavailable(() =>
      checkInvariants(auditor, { describeFile: (key) => files.describe(key) }),
    ),
  );
  const summary = {
    ...course,
    payments: sums.payments,
    accrued_interest: sums.accrued_interest,
    statements: sums.statements,
    mails: sums.mails,
    letters: sums.letters,
    webhooks_delivered: sums.webhooks_delivered,
    snapshots: sums.snapshots,
    lien_alerts: sums.lien_alerts,
    jobs: Object.fromEntries(
      jobs.map(({ task, runs, seconds }) => [task, { runs, seconds: Number(seconds) }]),
    ),
    trial_balance_difference: money(new Big(trial.total_debits).minus(trial.total_credits)),
    invariant_violations: violations.length,
  };
  return { summary, violations, failed, buckets: spread, jobs, phases };
}

const LISTED = 20;

export function printReport({ summary, violations, failed, phases, ...rest }: Report, out: string) {
  const { buckets: spread, jobs } = rest;
  const line = (label: string, value: string | number) =>
    console.log(`  ${label.padEnd(22)} ${String(value).padStart(16)}`);
  console.log('\nLoans');
  line('boarded', summary.loans_boarded);
  line('refused', summary.loans_refused);
  line(
    'installments matching',
    `${summary.installments_matched} of ${summary.installments_compared}`,
  );
  for (const { bucket, loans, principal } of spread) {
    console.log(`  ${bucket.padEnd(22)} ${String(loans).padStart(16)} ${principal.padStart(18)}`);
  }
  console.log(`\nDone in ${summary.business_days} business days`);
  for (const name of ['payments', 'accrued_interest', 'statements', 'mails', 'letters'] as const)
    line(name.replaceAll('_', ' '), summary[name]);
  for (const name of ['webhooks_delivered', 'snapshots', 'lien_alerts'] as const)
    line(name.replaceAll('_', ' '), summary[name]);
  console.log('\nJobs                             runs    seconds');
  for (const { task, pool, runs, seconds } of jobs) {
    const label = `${pool}: ${task}`.padEnd(36);
    console.log(`  ${label} ${String(runs).padStart(8)} ${seconds.padStart(10)}`);
  }
  console.log('\nTime, in seconds');
  for (const [name, seconds] of Object.entries(phases.seconds())) line(name, seconds.toFixed(1));
  console.log('\nBooks');
  line('trial balance differs', summary.trial_balance_difference);
  line('invariants violated', summary.invariant_violations);
  for (const { rule, message } of violations.slice(0, LISTED)) console.log(`  ${rule}: ${message}`);
  for (const { task, error } of failed.slice(0, LISTED)) console.log(`  failed: ${task}: ${error}`);
  console.log(`\nSee ${out}: statements, mails, letters, loan-tape.csv, snapshots.json`);
}
