import { Big } from 'big.js';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { latest } from '../../dates.ts';
import { Conflict } from '../../errors.ts';
import { money, parseMoney, parseRate, sum, ZERO } from '../../money.ts';
import { computeScheduleApr, isDisclosableApr, openEndRates } from '../arithmetic/apr.ts';
import { isBilledByCycle, accruesBySchedule, type Terms } from '../arithmetic/terms.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold, type FoldInput } from '../engine/fold.ts';
import { projectSchedule } from '../engine/project.ts';
import { newEvent } from '../history/new-event.ts';
import { refusalDetails } from '../history/statuses.ts';
import { firstSchedule } from '../schedule/first-schedule.ts';
import {
  sumFeesByTreatment,
  feeAmount,
  loanFeeRules,
  fundingFees,
} from '../products/fee-amounts.ts';
import { readTerms } from '../products/loan-terms.ts';

/** The facts of a first disbursement, on which the cost of a loan depends. */
export type Funding = { amount: string; on: string; first_payment_date: string | null };

type Fees = ReturnType<typeof fundingFees>;
export type Cost = NonNullable<ReturnType<typeof computeRemainingCost>>;

/** How a loan is expected to be funded, or was: all of it, on the days that were agreed. */
export const expectedFunding = (loan: RawLoan, today: string): Funding => ({
  amount: loan.principal_amount,
  on: loan.disbursement_date ?? latest(today, loan.expected_disbursement_date ?? ''),
  first_payment_date: loan.first_payment_date,
});

/**
 * What a loan that is funded so costs whoever pays it as agreed, or null where that cannot be said: the
 * fees take all of the money, or the first payment would come before it. Charges that are paid at once
 * beside the fees of the disbursement lessen what the borrower has of it as well.
 */
export function computeCost(loan: RawLoan, funding: Funding, beside = ZERO): Cost | null {
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
  const advanced = parseMoney(amount).minus(beside);
  const question = JSON.stringify({ terms, schedule, fees, amount, on, advanced });
  return known(question, () =>
    computeRemainingCost(
      { terms, schedule, events: fundingEvents(fees, amount, on), as_of: on },
      { advanced, fees },
    ),
  );
}

/**
 * Costs that were worked out last, by all that they follow from. An approval, its compliance and its
 * disclosures ask the same within seconds, and each answer is a fold of the whole loan.
 */
const KNOWN_MOST = 50;
const costs = new Map<string, Cost | null>();

function known(question: string, workOut: () => Cost | null): Cost | null {
  const found = costs.get(question);
  if (found !== undefined) return found;
  const cost = workOut();
  for (const oldest of costs.keys()) {
    if (costs.size < KNOWN_MOST) break;
    costs.delete(oldest);
  }
  costs.set(question, cost);
  return cost;
}

/**
 * What a loan costs from a day on: what the borrower has of it then, against what is paid from then on,
 * as the fold says (12 CFR 1026.18). Fees that are owed from the day of a disbursement, or that its
 * proceeds or the principal pay, are prepaid finance charges (1026.2(a)(23)): they are taken to be paid
 * that day, so the history has no such fee among its events.
 */
export function computeRemainingCost(
  input: FoldInput & { terms: Terms },
  { advanced, fees }: { advanced: Big; fees: Fees },
) {
  const financed = advanced.minus(sumFeesByTreatment(fees, 'upfront', 'deducted'));
  const prepaid = sumFeesByTreatment(fees, 'upfront', 'deducted', 'capitalized');
  const schedule = paymentsAhead(input);
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

/** What is still to be paid, and when: what is past due at once, each instalment on its day. */
function paymentsAhead(input: FoldInput): Payment[] {
  const { as_of } = input;
  const { past_due_amount } = fold(input);
  const late = { due_date: as_of, payment_amount: past_due_amount };
  const rows = projectSchedule(input)
    .filter(({ due_date, status }) => due_date >= as_of && !['paid', 'canceled'].includes(status))
    .map(({ due_date, open_amount }) => ({ due_date, payment_amount: open_amount }));
  return [late, ...rows].filter(({ payment_amount }) => parseMoney(payment_amount).gt(0));
}

/** The events of a disbursement that has not been made, as the history would have them. */
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

/** The annual percentage rate of a loan that is funded so, or null where it has none. */
export const computeApr = (loan: RawLoan, funding: Funding): string | null =>
  loan.loan_type === 'line_of_credit'
    ? creditLineRates(loan, funding).apr
    : (computeCost(loan, funding)?.apr ?? null);

/** What is asked of a rate before a borrower is told of it and the loan keeps it. */
export function assertAprDisclosable(apr: string, loan: RawLoan) {
  if (isDisclosableApr(apr)) return;
  const message =
    `These terms make an annual percentage rate of ${apr}, which is ${percentOf(apr)} percent. ` +
    'One of 1,000,000 percent or more cannot be disclosed.';
  throw new Conflict(message, 'apr_too_high', { ...refusalDetails(loan), apr });
}

const percentOf = (apr: string) => new Big(apr).times(100).toFixed();

/**
 * The rates of a line of credit, which are told without payments (12 CFR 1026.14(b)): fees are told beside
 * them. Interest that is flat stays the same while the balance falls, so its rate is that of the
 * payments which repay the whole line.
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
 * The rate that the Military Lending Act caps (32 CFR 232.4(c)): computed as the annual percentage rate
 * is, with the fees for taking part in a plan as well, here all that the product's rules ask for each
 * year, as if they were paid at the start. Fees for late payment do not count (232.3(n), 1026.4(c)(2)).
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
