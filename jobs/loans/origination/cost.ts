import { Big } from 'big.js';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { latest } from '../../dates.ts';
import { Conflict } from '../../errors.ts';
import { money, parseMoney, parseRate, sum, ZERO } from '../../money.ts';
import { computeScheduleApr, isDisclosableApr, openEndRates } from '../arithmetic/apr.ts';
import { isBilledByCycle, accruesBySchedule, type Terms } from '../arithmetic/terms.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold, type FoldInput } from '../engine/fold.ts';
import { projectSchedule } from '../engine/projection/project.ts';
import { newEvent } from '../history/new-event.ts';
import { refusalDetails } from '../products/refusals.ts';
import { firstSchedule } from '../schedule/first-schedule.ts';
import {
  sumFeesByTreatment,
  feeAmount,
  loanFeeRules,
  fundingFees,
} from '../products/fee-amounts.ts';
import { readTerms } from '../products/loan-terms.ts';

/** The facts of a first disbursement that determine a loan's cost. */
export type Funding = { amount: string; on: string; first_payment_date: string | null };

type Fees = ReturnType<typeof fundingFees>;
export type Cost = NonNullable<ReturnType<typeof computeRemainingCost>>;

/** The expected or actual funding of a loan: the full amount on the agreed dates. */
export const expectedFunding = (loan: RawLoan, today: string): Funding => ({
  amount: loan.principal_amount,
  on: loan.disbursement_date ?? latest(today, loan.expected_disbursement_date ?? ''),
  first_payment_date: loan.first_payment_date,
});

/**
 * The cost of a loan for a borrower who pays as agreed. Null if the fees take all of the money, or if the
 * first payment is not after the disbursement. `otherCharges` is the sum of further charges paid
 * immediately. It reduces the amount financed, as the disbursement's fees do.
 */
export function computeCost(loan: RawLoan, funding: Funding, otherCharges = ZERO): Cost | null {
  const { amount, on, first_payment_date } = funding;
  if (first_payment_date !== null && first_payment_date <= on) return null;
  const fees = fundingFees(loan, { amount, isFirst: true });
  const terms = readTerms(loan);
  const schedule = firstSchedule(terms, {
    principal: parseMoney(amount).plus(sumFeesByTreatment(fees, 'capitalized')),
    on,
    first_payment_date,
    spread_fees: sumFeesByTreatment(fees, 'amortized'),
  });
  const advanced = parseMoney(amount).minus(otherCharges);
  const question = JSON.stringify({ terms, schedule, fees, amount, on, advanced });
  return memoizeCost(question, () =>
    computeRemainingCost(
      { terms, schedule, events: fundingEvents(fees, amount, on), as_of: on },
      { advanced, fees },
    ),
  );
}

/**
 * Size of the cache of recent costs. An approval, its compliance checks and its disclosures need the same
 * cost within seconds, and each calculation folds the whole loan.
 */
const CACHED_COSTS_MAX = 50;
const costCache = new Map<string, Cost | null>();

function memoizeCost(question: string, workOut: () => Cost | null): Cost | null {
  const found = costCache.get(question);
  if (found !== undefined) return found;
  const cost = workOut();
  for (const oldest of costCache.keys()) {
    if (costCache.size < CACHED_COSTS_MAX) break;
    costCache.delete(oldest);
  }
  costCache.set(question, cost);
  return cost;
}

/**
 * The cost of a loan from a day on: the amount financed against all later payments, as the fold projects
 * them (12 CFR 1026.18). Fees due on the day of a disbursement, deducted from it or added to the principal
 * are prepaid finance charges (1026.2(a)(23)). They count as paid that day, so `input` must not contain
 * events for them.
 */
export function computeRemainingCost(
  input: FoldInput & { terms: Terms },
  { advanced, fees }: { advanced: Big; fees: Fees },
) {
  const financed = advanced.minus(sumFeesByTreatment(fees, 'upfront', 'deducted'));
  const prepaid = sumFeesByTreatment(fees, 'upfront', 'deducted', 'capitalized');
  const schedule = futurePayments(input);
  if (financed.lte(0) || schedule.length === 0) return null;
  const amount_financed = money(financed);
  const { payment_frequency } = input.terms;
  const plan = { amount_financed, payment_frequency, schedule, start_date: input.as_of };
  const total = sum(schedule.map(({ payment_amount }) => parseMoney(payment_amount)));
  return {
    apr: computeScheduleApr(plan),
    amount_financed,
    finance_charge: money(total.minus(financed)),
    total_of_payments: money(total),
    prepaid_finance_charge: money(prepaid),
    schedule,
  };
}

type Payment = { due_date: string; payment_amount: string };

/** The remaining payments: past due amounts today, each later installment on its due date. */
function futurePayments(input: FoldInput): Payment[] {
  const { as_of } = input;
  const { past_due_amount } = fold(input);
  const late = { due_date: as_of, payment_amount: past_due_amount };
  const rows = projectSchedule(input)
    .filter(({ due_date, status }) => due_date >= as_of && !['paid', 'canceled'].includes(status))
    .map(({ due_date, open_amount }) => ({ due_date, payment_amount: open_amount }));
  return [late, ...rows].filter(({ payment_amount }) => parseMoney(payment_amount).gt(0));
}

/** The events that a planned disbursement would record. */
function fundingEvents(asked: Fees, amount: string, on: string): LoanEvent[] {
  const fees = asked.flatMap(({ rule, amount: fee, treatment }, index) =>
    treatment === 'deducted' || treatment === 'capitalized'
      ? [{ fee_id: `fee ${index}`, fee_type: rule.fee_type, amount: money(fee), treatment }]
      : [],
  );
  const spread = sumFeesByTreatment(asked, 'amortized');
  const fee = { amount: money(spread), fee_id: 'spread', is_spread: true };
  return [
    newEvent({
      kind: 'disbursement',
      effective_date: on,
      amount,
      ...(fees.length > 0 && { fees }),
    }),
    ...(spread.gt(0) ? [newEvent({ kind: 'fee', effective_date: on, ...fee })] : []),
  ];
}

/** The APR of a loan with this funding, or null if it has none. */
export const computeApr = (loan: RawLoan, funding: Funding): string | null =>
  loan.loan_type === 'line_of_credit'
    ? creditLineRates(loan, funding).apr
    : (computeCost(loan, funding)?.apr ?? null);

/** Throws `Conflict` if the APR is too high to disclose and store. */
export function assertAprDisclosable(apr: string, loan: RawLoan) {
  if (isDisclosableApr(apr)) return;
  throw aprTooHigh({ ...refusalDetails(loan), apr });
}

const percentOf = (apr: string) => new Big(apr).times(100).toFixed();

/**
 * The rates of a line of credit, which are disclosed without payments and separately from fees (12 CFR
 * 1026.14(b)). Flat interest does not fall with the balance, so its APR is the one of the payments that
 * repay the whole line.
 */
export function creditLineRates(loan: RawLoan, funding: Funding) {
  const terms = readTerms(loan);
  if (!accruesBySchedule(terms)) return openEndRates(loan.interest_rate, terms.day_count);
  const isFlat = terms.interest_method === 'flat';
  const apr = isFlat
    ? (computeCost(loan, funding)?.apr ?? null)
    : parseRate(loan.interest_rate).toFixed();
  return { apr, daily_rate: null, days_of_year: null };
}

/**
 * The Military APR (MAPR), which the Military Lending Act caps (32 CFR 232.4(c)). It is computed like the
 * APR and also includes participation fees: here, the product's annual fees for the whole term, as if paid
 * at the start. Late fees do not count (232.3(n), 1026.4(c)(2)).
 */
export const computeMapr = (loan: RawLoan, funding: Funding): string | null =>
  isBilledByCycle(readTerms(loan))
    ? computeApr(loan, funding)
    : (computeCost(loan, funding, yearlyFees(loan))?.apr ?? null);

function yearlyFees(loan: RawLoan): Big {
  const years = Math.ceil(loan.term_months / 12);
  const rules = loanFeeRules(loan).filter(
    ({ fee_type, trigger }) => fee_type === 'annual' && trigger === 'manual',
  );
  return sum(rules.map((rule) => feeAmount(rule, loan.principal_amount))).times(years);
}

export const aprTooHigh = (details: Record<string, unknown> & { apr: string }) =>
  new Conflict(
    `The annual percentage rate of these terms is ${details.apr} (${percentOf(details.apr)} percent). ` +
      'A rate of 1,000,000 percent or more cannot be disclosed.',
    'apr_too_high',
    details,
  );
