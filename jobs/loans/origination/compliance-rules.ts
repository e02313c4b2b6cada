import { Big } from 'big.js';
import type { LoanFacts } from '../../../sql/loans/origination/compliance.ts';
import type { ComplianceCheck } from '../../users/settings/compliance-checks.ts';
import type { Settings } from '../../users/settings/settings.ts';
import {
  checkAge,
  checkArchived,
  checkElectronicConsent,
  checkIdentity,
  checkMilitaryApr,
  checkMilitaryRate,
} from './compliance-obligors.ts';
import { percent, wrongIf, type Finding } from './compliance-finding.ts';
import { checkSanctions, type LoanScreening } from './screening.ts';
import { USURY_CAPS } from './usury.ts';

export type ComplianceFacts = LoanFacts & { screening: LoanScreening; settings: Settings };

export type ComplianceRule = {
  code: ComplianceCheck;
  name: string;
  /** The severity if the tenant does not set one. Default: depends on the tenant's enforcement setting. */
  level?: 'warn';
  check: (loan: ComplianceFacts, today: string) => Finding;
};

/** The rules of COMPLIANCE_CHECKS, in the same order. */
export const COMPLIANCE_RULES: readonly ComplianceRule[] = [
  { code: 'usury_rate_cap', name: 'State rate cap', level: 'warn', check: checkUsury },
  { code: 'mla_36_percent', name: 'Military Lending Act', check: checkMilitaryApr },
  { code: 'scra_rate_cap', name: 'Servicemembers Civil Relief Act', check: checkMilitaryRate },
  { code: 'ofac_screening', name: 'Sanctions screening', check: checkSanctions },
  { code: 'identity_verified', name: 'Identity verified', check: checkIdentity },
  { code: 'age_minimum', name: 'Borrower is of age', check: checkAge },
  { code: 'esign_consent', name: 'Consent to electronic records', check: checkElectronicConsent },
  {
    code: 'tila_disclosure_ready',
    name: 'Disclosure can be computed',
    check: ({ disclosed_apr }) =>
      wrongIf(disclosed_apr === null, 'The annual percentage rate cannot be computed.'),
  },
  { code: 'product_limits', name: 'Within the limits of the product', check: checkLimits },
  {
    code: 'duplicate_application',
    name: 'No second application',
    check: ({ has_twin }) =>
      wrongIf(has_twin, 'The borrower has another open application for the same amount.'),
  },
  { code: 'borrower_archived', name: 'Borrower is served', check: checkArchived },
  {
    code: 'state_license',
    name: 'Licensed state',
    check: ({ jurisdictions, state }) => {
      if (jurisdictions.length === 0) return { notApplicable: 'The program names no states.' };
      if (state === null) return { unable: STATE_UNKNOWN };
      return wrongIf(!jurisdictions.includes(state), `The program is not licensed in ${state}.`);
    },
  },
];

const STATE_UNKNOWN =
  'The state of the borrower is not known. Add a primary mailing address to the borrower.';

function checkUsury({ state, interest_rate }: LoanFacts): Finding {
  if (state === null) return { unable: STATE_UNKNOWN };
  const found = USURY_CAPS[state];
  if (found === undefined) return { unable: `No single cap is known for ${state}.` };
  const { cap, source } = found;
  return wrongIf(
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
  return wrongIf(outside.length > 0, `The ${names} is outside the limits of the product.`);
}
