import { dictionary } from '../../../sql/dictionary.ts';
import { loans, type RawLoan } from '../../../sql/loans/loans.ts';
import { find } from '../../../sql/table.ts';
import { orderDocument } from '../../documents/order.ts';
import { money, parseMoney, sum } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { aprOfSchedule } from '../arithmetic/apr.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { firstPlan } from '../plans/first-plan.ts';
import { comeTo, feeRulesOf, fundingFees } from '../products/fee-amounts.ts';
import { termsOf } from '../products/terms-of.ts';

/**
 * What a loan that would be funded on a day costs: its plan against what the borrower has of it, which
 * is the amount less the fees for making the loan (12 CFR 1026.18(b)). Null where it has no rate.
 */
function costOf(loan: RawLoan, on: string) {
  const { principal_amount } = loan;
  const asked = fundingFees(loan, { amount: principal_amount, isFirst: true });
  // What the instalments ask for is paid in time; what is added to the principal is part of the plan.
  const fees = comeTo(asked, 'upfront', 'deducted', 'capitalized');
  const lent = parseMoney(principal_amount).plus(comeTo(asked, 'capitalized'));
  const financed = lent.minus(fees);
  const terms = termsOf(loan);
  const spread_fees = comeTo(asked, 'amortized');
  const schedule = firstPlan(terms, { principal: lent, on, first_payment_date: null, spread_fees });
  if (financed.lte(0) || schedule.length === 0) return null;
  const { payment_frequency } = terms;
  const amount_financed = money(financed);
  const input = { amount_financed, payment_frequency, schedule, start_date: on };
  const total = sum(schedule.map(({ payment_amount }) => parseMoney(payment_amount)));
  return {
    apr: aprOfSchedule(input),
    amount_financed,
    finance_charge: money(total.minus(financed)),
    total_of_payments: money(total),
    prepaid_finance_charge: money(fees),
    schedule,
  };
}

/**
 * The annual percentage rate that would be disclosed today. That of a line which is billed by cycle is its
 * interest rate (12 CFR 1026.14(b)), and there are no payments to disclose.
 */
export const disclosedApr = (loan: RawLoan, on: string): string | null =>
  isBilledByCycle(termsOf(loan)) ? loan.interest_rate : (costOf(loan, on)?.apr ?? null);

/** Orders the disclosure that Regulation Z asks for before the borrower is bound. */
export async function orderDisclosure(work: Work, loan: RawLoan) {
  const cost = costOf(loan, work.today);
  if (cost === null) return;
  const { schedule, prepaid_finance_charge, ...figures } = cost;
  const { interest_rate, payment_frequency, prepayment_penalty } = termsOf(loan);
  const isSecured = (await find(work.tx, loans, loan.id))?.['is_secured'] === true;
  await orderDocument(work, {
    template: 'tila_disclosure',
    document_type: 'tila_disclosure',
    filename: 'tila-disclosure.pdf',
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    data: {
      ...figures,
      payment_schedule: inLines(schedule, payment_frequency),
      itemization: {
        paid_to_borrower: figures.amount_financed,
        paid_to_others: [],
        prepaid_finance_charge,
      },
      late_charge: lateCharge(loan),
      prepayment: prepayment_penalty
        ? 'If you pay off early, you may have to pay a penalty.'
        : 'If you pay off early, you will not have to pay a penalty.',
      security_interest: isSecured
        ? 'You are giving a security interest in the property described in your agreement.'
        : 'This loan is not secured.',
      is_estimate: true,
      interest_rate,
      principal_amount: loan.principal_amount,
    },
  });
}

const EVERY = dictionary<string>({
  monthly: 'Monthly',
  quarterly: 'Quarterly',
  semi_monthly: 'Twice a month',
  biweekly: 'Every two weeks',
  weekly: 'Weekly',
  single: 'Once',
});

/** Equal payments in a row make one line. */
function inLines(schedule: readonly ScheduleRow[], frequency: string) {
  const lines: { number: number; amount: string; first_due: string; every: string }[] = [];
  for (const { payment_amount: amount, due_date } of schedule) {
    const last = lines.at(-1);
    if (last?.amount === amount) last.number += 1;
    else lines.push({ number: 1, amount, first_due: due_date, every: EVERY[frequency] ?? '' });
  }
  return lines;
}

function lateCharge(loan: RawLoan): string {
  const rule = feeRulesOf(loan).find(({ trigger }) => trigger === 'past_due');
  if (!rule) return 'You will not be charged for a late payment.';
  const days = rule.grace_days ?? termsOf(loan).late_fee_grace_days;
  return `If a payment is more than ${days} days late, you will be charged a late fee.`;
}
