import * as facts from '../../sql/loans/compliance.ts';
import { insert } from '../../sql/write.ts';
import { addMonths } from '../dates.ts';
import { settingsOf } from '../users/settings.ts';
import type { Work } from '../work.ts';

export type Check = {
  code: string;
  name: string;
  status: 'pass' | 'fail' | 'warn' | 'skipped';
  message: string;
};

type Facts = NonNullable<Awaited<ReturnType<typeof facts.ofLoan>>>;
type Rule = { code: string; name: string; check: (loan: Facts, today: string) => string | null };

/** Each rule answers what is wrong, or null. */
const RULES: readonly Rule[] = [
  {
    code: 'borrower_archived',
    name: 'Borrower is served',
    check: (loan) => (loan.borrower_is_archived ? 'The borrower is archived.' : null),
  },
  {
    code: 'age_minimum',
    name: 'Borrower is of age',
    check: ({ date_of_birth }, today) =>
      date_of_birth !== null && date_of_birth > addMonths(today, -18 * 12)
        ? 'The borrower is younger than 18.'
        : null,
  },
  {
    // Military Lending Act, 32 CFR 232.4: 36 percent for covered members.
    code: 'mla_36_percent',
    name: 'Military Lending Act',
    check: (loan) =>
      loan.military_status === 'covered' && Number(loan.interest_rate) > 0.36
        ? 'The rate is above 36 percent for a covered borrower.'
        : null,
  },
  {
    code: 'state_license',
    name: 'Licensed state',
    check: ({ jurisdictions, state }) =>
      jurisdictions.length > 0 && state !== null && !jurisdictions.includes(state)
        ? `The program is not licensed in ${state}.`
        : null,
  },
  {
    code: 'duplicate_application',
    name: 'No second application',
    check: (loan) =>
      loan.has_twin ? 'The borrower has another open application for the same amount.' : null,
  },
  {
    code: 'tila_disclosure_ready',
    name: 'Disclosure can be computed',
    check: (loan) => (loan.term_months > 0 ? null : 'The loan has no term.'),
  },
];

/** Runs the tenant's checks on a loan and keeps the result; switched-off ones are skipped. */
export async function runComplianceChecks(work: Work, loanId: string) {
  const loan = await facts.ofLoan(work.tx, loanId);
  const { compliance } = await settingsOf(work.tx);
  const checks = RULES.map(({ code, name, check }): Check => {
    const level = compliance.checks[code] ?? 'warn';
    if (level === 'off') return { code, name, status: 'skipped', message: 'Switched off.' };
    const problem = check(loan, work.today);
    return {
      code,
      name,
      status: problem === null ? 'pass' : 'fail',
      message: problem ?? 'Passed.',
    };
  });
  const passed = checks.every(({ status }) => status !== 'fail');
  const run_at = new Date().toISOString();
  await insert(work.tx, 'compliance_runs', { loan_id: loanId, passed, checks });
  return { loan_id: loanId, passed, run_at, checks };
}
