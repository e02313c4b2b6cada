import type { Big } from 'big.js';
import { daysBetween, earliest, latest } from '../../dates.ts';
import { atLeastZero, max, min, money, parseMoney, parseRate, sum, toCents } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { interestFor } from '../arithmetic/day-count.ts';
import type { MinimumPayment, Terms } from '../arithmetic/terms.ts';
import type { AgreementOf } from './agreement.ts';
import { isUnpaid, type CoveredRow, type ScheduleBasis } from './schedule-basis.ts';

/**
 * The minimum payment of a cycle, from the line's state at its end. Unpaid older minimum payments stay
 * open, so the new one excludes them. Empty if the line owes nothing or is accelerated.
 */
export function buildMinimumPayment(
  { number, begins, due_date }: AgreementOf<'minimum'>,
  basis: ScheduleBasis,
  { minimum_payment: rule, day_count }: Terms,
): ScheduleRow[] {
  if (rule === null || basis.is_accelerated) return [];
  const owed = partsOwed(basis);
  const balance = sum(Object.values(owed));
  const billedParts = partsDue(basis.installments.filter((row) => row.period_number < number));
  const left = atLeastZero(balance.minus(sum(Object.values(billedParts))));
  const interest = atLeastZero(owed.interest.minus(billedParts.interest));
  const fees = atLeastZero(owed.fees.minus(billedParts.fees));
  // 50 USC 3937(a)(3): the payment by the agreed rate, less the forgiven interest.
  const forgiven = forgivenSince(begins, basis, day_count);
  const ofCycle = interest.plus(fees).plus(forgiven);
  const agreed = minimumAmount(rule, balance.plus(forgiven), ofCycle);
  const amount = min(left, agreed.minus(forgiven));
  if (amount.lte(0)) return [];
  const ofFees = min(amount, fees);
  const ofInterest = min(amount.minus(ofFees), interest);
  const ofPrincipal = amount.minus(ofFees).minus(ofInterest);
  return [
    {
      period_number: number,
      due_date,
      payment_amount: money(amount),
      principal_amount: money(ofPrincipal),
      interest_amount: money(ofInterest),
      fees_amount: money(ofFees),
      beginning_balance: money(owed.principal),
      ending_balance: money(atLeastZero(owed.principal.minus(ofPrincipal))),
      days_in_period: daysBetween(begins, basis.as_of),
    },
  ];
}

/** The interest since a day above a legal cap of the rate, in cents. */
const forgivenSince = (
  begins: string,
  { interest_segments, as_of }: ScheduleBasis,
  day_count: Terms['day_count'],
): Big =>
  toCents(
    sum(
      interest_segments
        .filter(({ rule, to }) => rule === 'accrued' && to > begins)
        .map(({ balance, rate, agreed_rate = rate, from, to }) => {
          const above = parseRate(agreed_rate).minus(rate);
          const end = earliest(to, as_of);
          return interestFor(parseMoney(balance), above, day_count, latest(from, begins), end);
        }),
    ),
  );

/** The rule's amount for a balance. The balance includes `ofCycle`, the cycle's interest and fees. */
export function minimumAmount(rule: MinimumPayment, balance: Big, ofCycle: Big): Big {
  const share = toCents(balance.times(parseRate(rule.percentage)));
  const wanted = rule.plus_interest_and_fees ? share.plus(ofCycle) : share;
  return max(parseMoney(rule.floor_amount), wanted);
}

type Parts = { principal: Big; interest: Big; fees: Big };

const partsOwed = ({ principal_balance, accrued_interest, fees }: ScheduleBasis): Parts => ({
  principal: parseMoney(principal_balance),
  interest: parseMoney(accrued_interest),
  fees: sum(fees.map(({ outstanding_amount }) => parseMoney(outstanding_amount))),
});

const partsDue = (rows: readonly CoveredRow[]): Parts =>
  openAmountByComponent(
    rows
      .filter((row) => isUnpaid(row) && row.status !== 'canceled')
      .map((row) => {
        const rest = atLeastZero(parseMoney(row.payment_amount).minus(row.paid_amount));
        return { row, rest };
      }),
  );

/** The unpaid parts of rows. Payments cover a row's fees first, then interest, then principal. */
export function openAmountByComponent(open: readonly { row: ScheduleRow; rest: Big }[]): Parts {
  const parts = open.map(({ row, rest }) => {
    const principal = min(rest, parseMoney(row.principal_amount));
    const interest = min(rest.minus(principal), parseMoney(row.interest_amount));
    return { principal, interest, fees: rest.minus(principal).minus(interest) };
  });
  return {
    principal: sum(parts.map(({ principal }) => principal)),
    interest: sum(parts.map(({ interest }) => interest)),
    fees: sum(parts.map(({ fees }) => fees)),
  };
}
