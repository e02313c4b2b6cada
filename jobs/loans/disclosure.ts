import type { RawLoan } from '../../sql/loans/loans.ts';
import { money, parseMoney, sum } from '../money.ts';
import { aprOfSchedule } from './apr.ts';
import { feeAmount, feeRulesOf } from './origination-fees.ts';
import { planOf } from './plan.ts';
import { termsOf } from './terms-of.ts';

/**
 * The annual percentage rate of a loan that would be funded on a day: its plan against what the
 * borrower has of it, which is the amount less the fees for making the loan (12 CFR 1026.18(b)).
 * Null where there is no such rate.
 */
export function disclosedApr(loan: RawLoan, on: string): string | null {
  const { principal_amount } = loan;
  const rules = feeRulesOf(loan).filter(({ trigger }) => trigger === 'disbursement');
  const fees = sum(rules.map((rule) => feeAmount(rule, principal_amount)));
  const amount_financed = parseMoney(principal_amount).minus(fees);
  const schedule = planOf(loan, { amount: principal_amount, on });
  if (amount_financed.lte(0) || schedule.length === 0) return null;
  const { payment_frequency } = termsOf(loan);
  const input = { amount_financed: money(amount_financed), payment_frequency, schedule };
  return aprOfSchedule({ ...input, start_date: on });
}
