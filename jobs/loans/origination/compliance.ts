import { z } from 'zod';
import { readComplianceFacts, readObligors } from '../../../sql/loans/origination/compliance.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { insert } from '../../../sql/write.ts';
import { Invalid, NotFound } from '../../errors.ts';
import { settingsOf, type Settings } from '../../users/settings/settings.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import type { Finding } from './compliance-finding.ts';
import { COMPLIANCE_RULES, type ComplianceFacts, type ComplianceRule } from './compliance-rules.ts';
import { computeApr, expectedFunding, computeMapr } from './cost.ts';
import { screenObligors } from './screening.ts';

export const CHECK_STATUSES = ['pass', 'fail', 'warn', 'skipped'] as const;
export type ComplianceResult = {
  code: string;
  name: string;
  status: (typeof CHECK_STATUSES)[number];
  message: string;
  details: Record<string, unknown>;
};

export const ComplianceCheckRequest = z.object({
  checks: z
    .array(z.string().max(60))
    .max(50)
    .nullish()
    .describe("The checks to run. Default: the checks of the loan's program."),
});

/**
 * Runs compliance checks on a loan: the requested ones, or those of its program, or all. Stores the result
 * and emits `compliance.failed` for failures and warnings.
 */
export async function runComplianceChecks(
  work: Work,
  loanId: string,
  { checks: wanted }: z.output<typeof ComplianceCheckRequest> = {},
) {
  for (const [index, code] of (wanted ?? []).entries()) {
    if (COMPLIANCE_RULES.some((rule) => rule.code === code)) continue;
    throw new Invalid({ [`checks.${index}`]: `There is no check named ${code}.` });
  }
  const loan = await loans.readLoanRow(work.tx, loanId);
  if (loan === null) throw new NotFound();
  const facts = await readComplianceFacts(work.tx, loanId);
  const obligors = await readObligors(work.tx, loanId);
  const settings = await settingsOf(work.tx);
  const { compliance } = settings;
  const funding = expectedFunding(loan, work.today);
  const disclosed_apr = computeApr(loan, funding);
  const ofProgram = facts.compliance_checks.length > 0 ? facts.compliance_checks : null;
  const chosen = wanted ?? ofProgram;
  const rules = COMPLIANCE_RULES.filter(({ code }) => !chosen || chosen.includes(code));
  const isScreened = rules.some(({ code }) => code === 'ofac_screening');
  const about = {
    ...facts,
    obligors,
    settings,
    disclosed_apr,
    mapr: computeMapr(loan, funding),
    screening: isScreened ? await screenObligors(work, obligors, compliance) : null,
  };
  const checks = rules.map((rule) => evaluateRule(rule, about, work.today, compliance));
  const passed = checks.every(({ status }) => status !== 'fail');
  const run_at = new Date().toISOString();
  await insert(work.tx, 'compliance_runs', { loan_id: loanId, passed, checks, run_at });
  await reportResults(work, loanId, checks, compliance.hard_enforcement);
  return { loan_id: loanId, passed, run_at, checks };
}

/**
 * Under hard enforcement, a failed check blocks the approval unless the tenant sets another level for it. A
 * check that cannot be made fails at the level hard. At the level warn it is skipped, with the reason.
 */
function evaluateRule(
  rule: ComplianceRule,
  facts: ComplianceFacts,
  today: string,
  { checks, hard_enforcement }: Settings['compliance'],
): ComplianceResult {
  const { code, name } = rule;
  const level = checks[code] ?? rule.level ?? (hard_enforcement ? 'hard' : 'warn');
  if (level === 'off')
    return { code, name, status: 'skipped', message: 'Switched off.', details: { level } };
  const finding = rule.check(facts, today);
  const { status, message, ...details } = judge(finding, {
    isHard: level === 'hard',
    isChosen: checks[code] !== undefined,
  });
  return { code, name, status, message, details: { level, ...details } };
}

type Judgement = Pick<ComplianceResult, 'status' | 'message'> & {
  reason?: 'not_applicable' | 'not_configured' | 'not_checkable';
  borrower_ids?: readonly string[];
};

/** `isChosen`: the tenant set the level of this check itself. */
function judge(finding: Finding, level: { isHard: boolean; isChosen: boolean }): Judgement {
  if (finding === null) return { status: 'pass', message: 'Passed.' };
  if ('notApplicable' in finding)
    return { status: 'skipped', message: finding.notApplicable, reason: 'not_applicable' };
  if ('notConfigured' in finding) {
    const status = level.isHard && level.isChosen ? 'fail' : 'skipped';
    return { status, message: finding.notConfigured, reason: 'not_configured' };
  }
  const about = finding.borrower_ids && { borrower_ids: finding.borrower_ids };
  if ('wrong' in finding)
    return { status: level.isHard ? 'fail' : 'warn', message: finding.wrong, ...about };
  const message = `Cannot be checked. ${finding.unable}`;
  const status = level.isHard ? 'fail' : 'skipped';
  return { status, message, reason: 'not_checkable', ...about };
}

async function reportResults(
  work: Work,
  loan_id: string,
  checks: readonly ComplianceResult[],
  isEnforced: boolean,
) {
  // Receivers of webhooks may not see screenings.
  const failed = checks.filter(
    ({ code, status }) => (status === 'fail' || status === 'warn') && code !== 'ofac_screening',
  );
  if (failed.length === 0) return;
  await emit(work, 'compliance.failed', {
    loan_id,
    failed_checks: failed.map(({ code, message }) => ({ code, message })),
    enforcement: isEnforced && failed.some(({ status }) => status === 'fail') ? 'hard' : 'soft',
  });
}
