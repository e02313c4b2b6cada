import type { Big } from 'big.js';
import { atLeastZero, min, money, parseMoney, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { AgreementOf } from './agreement.ts';
import { isUnpaid, type CoveredRow, type ScheduleBasis } from './schedule-basis.ts';

/** Installments that are lowered for a while. A later installment asks for the whole difference. */

type Amounts = { principal: Big; interest: Big; fees: Big };

const NOTHING: Amounts = { principal: ZERO, interest: ZERO, fees: ZERO };

type LowerAgreement = AgreementOf<'lowered'>;

/**
 * Lowers installments and adds the difference to a later one. Returns the rows from the first changed one
 * on.
 */
export function lowerInstallments(
  agreement: LowerAgreement,
  { installments }: ScheduleBasis,
): ScheduleRow[] {
  const isLowered = (row: CoveredRow) =>
    agreement.numbers.includes(row.period_number) && isUnpaid(row);
  const numbers = installments.filter(isLowered).map(({ period_number }) => period_number);
  if (numbers.length === 0) return [];
  const changed = installments.filter(({ period_number }) => period_number >= Math.min(...numbers));
  const after = changed.findLastIndex(isLowered) + 1;
  const target = agreement.shortfall === 'last' ? changed.length - 1 : after;
  const to = Math.min(target, changed.length - 1);
  // If no later installment exists, the last one keeps asking for the remaining debt.
  let missing = NOTHING;
  const asked = changed.map((row, index) => {
    const whole = amountsOf(row);
    if (!isLowered(row) || index === to) return whole;
    const wanted = wantedOf(row, agreement.to);
    const interest = min(wanted, whole.interest);
    const fees = min(wanted.minus(interest), whole.fees);
    const principal = min(wanted.minus(interest).minus(fees), whole.principal);
    const less = { principal, interest, fees };
    missing = combined(missing, whole, less);
    return less;
  });
  const receiver = asked[to];
  if (receiver !== undefined) asked[to] = combined(receiver, missing, NOTHING);
  return balanced(changed, asked);
}

function wantedOf(row: CoveredRow, to: LowerAgreement['to']): Big {
  if (to === 'interest') return parseMoney(row.interest_amount);
  return parseMoney(to === 'paid' ? row.paid_amount : to);
}

/** Returns one + other − less. */
const combined = (one: Amounts, other: Amounts, less: Amounts): Amounts => ({
  principal: one.principal.plus(other.principal).minus(less.principal),
  interest: one.interest.plus(other.interest).minus(less.interest),
  fees: one.fees.plus(other.fees).minus(less.fees),
});

const amountsOf = (row: ScheduleRow): Amounts => ({
  principal: parseMoney(row.principal_amount),
  interest: parseMoney(row.interest_amount),
  fees: parseMoney(row.fees_amount),
});

/** Rows with these amounts and recalculated balances. */
function balanced(rows: readonly ScheduleRow[], amounts: readonly Amounts[]): ScheduleRow[] {
  let balance = parseMoney(rows[0]?.beginning_balance ?? '0.00');
  return rows.map((row, index) => {
    const { principal, interest, fees } = amounts[index] ?? amountsOf(row);
    const before = balance;
    balance = atLeastZero(balance.minus(principal));
    return {
      period_number: row.period_number,
      due_date: row.due_date,
      payment_amount: money(principal.plus(interest).plus(fees)),
      principal_amount: money(principal),
      interest_amount: money(interest),
      fees_amount: money(fees),
      beginning_balance: money(before),
      ending_balance: money(balance),
      days_in_period: row.days_in_period,
    };
  });
}
