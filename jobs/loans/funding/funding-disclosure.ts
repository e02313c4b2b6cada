import { Big } from 'big.js';
import {
  readLastDisclosedCost,
  type DisclosedCost,
} from '../../../sql/loans/origination/disclosures.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { Conflict } from '../../errors.ts';
import { recordAudit } from '../../audit.ts';
import { parseMoney } from '../../money.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { refusalDetails } from '../products/refusals.ts';
import { computeRemainingCost, computeCost, type Cost, type Funding } from '../origination/cost.ts';
import { discloseCost, matchesDisclosure } from '../origination/disclosure.ts';
import {
  discloseOpening,
  isLineOfCredit,
  checkOpeningDisclosure,
} from '../origination/opening-disclosure.ts';
import { setRescissionEnd } from '../origination/rescission.ts';
import { fundingFees } from '../products/fee-amounts.ts';
import { readTerms } from '../products/loan-terms.ts';

/** How far the disclosed rate may differ from the actual rate: 12 CFR 1026.22(a)(2) and (3). */
const REGULAR = '0.00125';
const IRREGULAR = '0.0025';

/**
 * Blocks a disbursement under hard enforcement if the disclosed rate is too far from the actual one. The
 * corrected disclosure must reach the borrower before the money (1026.17(f)(2)). This function therefore
 * orders the disclosure and returns the refusal instead of throwing it, so the transaction commits. A
 * repeated request with the same facts then succeeds.
 */
export async function findFundingBlocker(
  work: Work,
  row: RawLoan,
  funding: Funding,
): Promise<Conflict | null> {
  const { compliance } = await settingsOf(work.tx);
  if (!compliance.hard_enforcement) return null;
  if (isLineOfCredit(row)) return objectionToOpening(work, row);
  const cost = computeCost(row, funding);
  const lastDisclosed = await readLastDisclosedCost(work.tx, row.id);
  if (cost !== null && lastDisclosed !== null && isAccurate(lastDisclosed, cost, row, funding))
    return null;
  const details = {
    ...refusalDetails(row),
    disclosed: disclosedFigures(lastDisclosed),
    now: cost && figuresOf(cost),
  };
  if (cost === null) {
    const message =
      'The cost of this disbursement cannot be disclosed, because its fees take the whole amount.';
    return new Conflict(message, 'disclosure_outdated', details);
  }
  await discloseCost(work, row, cost, { isEstimate: true });
  await setRescissionEnd(work, row, work.today);
  const about = { type: 'loans', id: row.id, borrower_id: row.borrower_id, loan_id: row.id };
  await recordAudit(work, about, 'disclose', {
    apr: { old: lastDisclosed?.apr ?? null, new: cost.apr },
  });
  return disclosureOutdated(details);
}

export const disclosureOutdated = (details: ReturnType<typeof refusalDetails>) =>
  new Conflict(
    'The cost of the loan differs from its last disclosure. A corrected disclosure has been ordered. ' +
      'Disburse again after the borrower has received it.',
    'disclosure_outdated',
    details,
  );

/** The borrower must receive a line's terms before its first disbursement (12 CFR 1026.5(b)(1)(i)). */
async function objectionToOpening(work: Work, row: RawLoan): Promise<Conflict | null> {
  const { lastDisclosed, isCurrent } = await checkOpeningDisclosure(work, row);
  if (isCurrent) return null;
  await discloseOpening(work, row);
  await setRescissionEnd(work, row, work.today);
  const about = { type: 'loans', id: row.id, borrower_id: row.borrower_id, loan_id: row.id };
  await recordAudit(work, about, 'disclose', {
    disclosed_on: { old: lastDisclosed?.letter_date ?? null, new: work.today },
  });
  const message =
    'The terms of the line differ from its last disclosure. A corrected disclosure has been ordered. ' +
    'Disburse again after the borrower has received it.';
  const disclosed = lastDisclosed && {
    apr: lastDisclosed.apr,
    credit_limit: lastDisclosed.credit_limit,
  };
  return new Conflict(message, 'disclosure_outdated', { ...refusalDetails(row), disclosed });
}

/** Only the rate must be within tolerance. The other terms were disclosed as estimates. */
function isAccurate(
  lastDisclosed: DisclosedCost,
  { apr }: Cost,
  row: RawLoan,
  { amount }: Funding,
): boolean {
  // Multiple advances or unequal payments make an irregular transaction (1026.22(a)(3)).
  const isPart = parseMoney(amount).lt(row.principal_amount);
  const isIrregular = isPart || readTerms(row).amortization === 'level_principal';
  return new Big(apr)
    .minus(lastDisclosed.apr)
    .abs()
    .lte(isIrregular ? IRREGULAR : REGULAR);
}

const figuresOf = ({
  apr,
  finance_charge,
  amount_financed,
  total_of_payments,
}: Omit<Cost, 'schedule' | 'prepaid_finance_charge'>) => ({
  apr,
  finance_charge,
  amount_financed,
  total_of_payments,
});

const disclosedFigures = (lastDisclosed: DisclosedCost | null) =>
  lastDisclosed && { ...figuresOf(lastDisclosed), disclosed_on: lastDisclosed.letter_date };

/** Sends a new disclosure with the money if any figure differs from the last one. */
export async function discloseFunding(work: Work, row: RawLoan, funding: Funding) {
  if (isLineOfCredit(row)) {
    const { isCurrent } = await checkOpeningDisclosure(work, row);
    if (!isCurrent) await discloseOpening(work, row);
    return;
  }
  const cost = computeCost(row, funding);
  const lastDisclosed = await readLastDisclosedCost(work.tx, row.id);
  if (cost === null || (lastDisclosed !== null && matchesDisclosure(lastDisclosed, row, cost)))
    return;
  await discloseCost(work, row, cost, { isEstimate: false });
}

type FurtherFunding = { amount: string; on: string; events: readonly LoanEvent[] };

/**
 * Discloses the cost of the whole loan after a further disbursement, which counts as another advance of a
 * series (1026.17(c)(6)(i)). The amount financed is the current balance plus the advance. Lines of credit
 * disclose this through their statements.
 */
export async function discloseFurtherFunding(
  work: Work,
  { row, schedule, events }: OpenLoan,
  { amount, on, events: more }: FurtherFunding,
) {
  if (isLineOfCredit(row)) return;
  const terms = readTerms(row);
  const owedBefore = fold({ terms, schedule, events, as_of: on }).total_balance;
  // A fee due immediately counts as paid immediately.
  const isPrepaid = (event: LoanEvent) => event.kind === 'fee' && event.is_spread !== true;
  const history = [...events, ...more.filter((event) => !isPrepaid(event))];
  const cost = computeRemainingCost(
    { terms, schedule, events: history, as_of: on },
    {
      advanced: parseMoney(owedBefore).plus(amount),
      fees: fundingFees(row, { amount, isFirst: false }),
    },
  );
  if (cost !== null) await discloseCost(work, row, cost, { isEstimate: false, owedBefore });
}
