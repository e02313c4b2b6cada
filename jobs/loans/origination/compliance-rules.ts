import { Big } from 'big.js';
import type { LoanFacts } from '../../../sql/loans/compliance.ts';
import { addMonths } from '../../dates.ts';
import type { ComplianceCheck } from '../../users/settings/compliance-checks.ts';
import { USURY_CAPS } from './usury.ts';

/** The result of a rule: null if it passes, the problem, or why the rule cannot run. */
export type Finding = null | { wrong: string } | { skipped: string };
export type ComplianceRule = {
  code: ComplianceCheck;
  name: string;
  /** The severity if the tenant does not set one. Default: depends on the tenant's enforcement setting. */
  level?: 'warn';
  check: (loan: LoanFacts, today: string) => Finding;
};

const findingIf = (isWrong: boolean, wrong: string): Finding => (isWrong ? { wrong } : null);
const percent = (rate: string) => `${new Big(rate).times(100).toFixed()} percent`;

/** The rules of COMPLIANCE_CHECKS, in the same order. */
export const COMPLIANCE_RULES: readonly ComplianceRule[] = [
  { code: 'usury_rate_cap', name: 'State rate cap', level: 'warn', check: checkUsury },
  {
    // Military Lending Act, 32 CFR 232.4(b): 36 percent for covered members and their dependents.
    code: 'mla_36_percent',
    name: 'Military Lending Act',
    check: ({ military_status, mapr }) =>
      findingIf(
        military_status === 'covered' && (mapr === null || new Big(mapr).gt('0.36')),
        mapr === null
          ? 'The military annual percentage rate of a covered borrower cannot be computed.'
          : `The military annual percentage rate of ${percent(mapr)} is above 36 percent.`,
      ),
  },
  {
    // Servicemembers Civil Relief Act, 50 USC 3937: 6 percent on debts from before the service.
    code: 'scra_rate_cap',
    name: 'Servicemembers Civil Relief Act',
    check: ({ military_status, current_rate, is_funded }) =>
      findingIf(
        is_funded && military_status === 'active_duty' && new Big(current_rate).gt('0.06'),
        'The rate is above 6 percent while the borrower is on active duty.',
      ),
  },
  {
    code: 'ofac_screening',
    name: 'Sanctions screening',
    check: () => ({ skipped: 'No screening provider is connected.' }),
  },
  {
    code: 'identity_verified',
    name: 'Identity verified',
    check: () => ({ skipped: 'No evidence of identity is kept.' }),
  },
  {
    code: 'age_minimum',
    name: 'Borrower is of age',
    check: ({ date_of_birth }, today) =>
      date_of_birth === null
        ? { skipped: 'The date of birth is not known.' }
        : findingIf(date_of_birth > addMonths(today, -18 * 12), 'The borrower is younger than 18.'),
  },
  {
    code: 'esign_consent',
    name: 'Consent to electronic records',
    check: () => ({ skipped: 'No consents are kept.' }),
  },
  {
    code: 'tila_disclosure_ready',
    name: 'Disclosure can be computed',
    check: ({ disclosed_apr }) =>
      findingIf(disclosed_apr === null, 'The annual percentage rate cannot be computed.'),
  },
  { code: 'product_limits', name: 'Within the limits of the product', check: checkLimits },
  {
    code: 'duplicate_application',
    name: 'No second application',
    check: ({ has_twin }) =>
      findingIf(has_twin, 'The borrower has another open application for the same amount.'),
  },
  {
    code: 'borrower_archived',
    name: 'Borrower is served',
    check: ({ borrower_is_archived }) =>
      findingIf(borrower_is_archived, 'The borrower is archived.'),
  },
  {
    code: 'state_license',
    name: 'Licensed state',
    check: ({ jurisdictions, state }) => {
      if (jurisdictions.length === 0) return { skipped: 'The program names no states.' };
      if (state === null) return { skipped: 'The state of the borrower is not known.' };
      return findingIf(!jurisdictions.includes(state), `The program is not licensed in ${state}.`);
    },
  },
];

function checkUsury({ state, interest_rate }: LoanFacts): Finding {
  if (state === null) return { skipped: 'The state of the borrower is not known.' };
  const found = USURY_CAPS[state];
  if (found === undefined) return { skipped: `No single cap is known for ${state}.` };
  const { cap, source } = found;
  return findingIf(
    new Big(interest_rate).gt(cap),
    `The rate of ${percent(interest_rate)} is above ${percent(cap)} (${source}).`,
  );
}

function checkLimits(loan: LoanFacts): Finding {
  const { min_amount, max_amount, min_rate, max_rate, min_term_months, max_term_months } = loan;
  const bounds = [
    ['amount', loan.principal_amount, min_amount, max_amount],
    ['rate', loan.interest_rate, min_rate, max_rate],
    ['term', loan.term_months, min_term_months, max_term_months],
  ] as const;
  const outside = bounds.filter(
    ([, value, least, most]) =>
      (least !== null && new Big(value).lt(least)) || (most !== null && new Big(value).gt(most)),
  );
  const names = outside.map(([name]) => name).join(' and ');
  return findingIf(outside.length > 0, `The ${names} is outside the limits of the product.`);
}
