import type { RawLoan } from '../../../sql/loans/loans.ts';
import type { FeeLine } from '../../../templates/disclosures.ts';
import { atLeastZero, money, parseMoney } from '../../money.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import {
  feeAmount,
  loanFeeRules,
  lateFeeGraceDays,
  fundingFees,
  sumFeesByTreatment,
  type FeeRule,
} from '../products/fee-amounts.ts';
import { readTerms } from '../products/loan-terms.ts';
import { amountText, feeText, documentLanguage, type TextOptions } from './fee-texts.ts';

/** The section of the 12 CFR 1026.6(b) disclosure that lists a fee. */
type FeeSection = 'opening' | 'transactions' | 'penalties' | 'others';

/** The fees of a line by section, in the order of the product's rules. */
export function listOpeningFees(loan: RawLoan, reader: TextOptions): Record<FeeSection, FeeLine[]> {
  const rules = loanFeeRules(loan).filter((rule) => canBeCharged(rule, loan));
  const linesOf = (place: FeeSection) =>
    rules
      .filter((rule) => sectionOf(rule) === place)
      .map((rule) => ({ name: nameOf(rule, reader), words: describeFee(rule, loan, reader) }));
  return {
    opening: linesOf('opening'),
    transactions: linesOf('transactions'),
    penalties: linesOf('penalties'),
    others: linesOf('others'),
  };
}

/**
 * Fees for the line itself are opening fees ((b)(2)(ii)). Fees for a draw or part of one are transaction
 * fees ((iv), (vii)). Fees for late or returned payments are penalties.
 */
function sectionOf({ trigger, calculation, fee_type }: FeeRule): FeeSection {
  if (trigger === 'past_due' || trigger === 'payment_returned') return 'penalties';
  if (trigger === 'draw') return 'transactions';
  if (trigger === 'disbursement')
    return calculation === 'percent_of_disbursement' ? 'transactions' : 'opening';
  return BY_TYPE[fee_type] ?? 'others';
}

/** The section of fees that staff assess manually. */
const BY_TYPE: Partial<Record<FeeRule['fee_type'], FeeSection>> = {
  annual: 'opening',
  draw: 'transactions',
  late: 'penalties',
  nsf: 'penalties',
  returned_payment: 'penalties',
};

/** A line with billing cycles cannot change its due date. */
const canBeCharged = ({ trigger }: FeeRule, loan: RawLoan): boolean =>
  trigger !== 'due_date_change' || !isBilledByCycle(readTerms(loan));

/** Opening fees show their amount, which is already known: it depends only on the approved amount. */
function describeFee(rule: FeeRule, loan: RawLoan, reader: TextOptions): string {
  const spanish = documentLanguage(reader.language) === 'es';
  if (sectionOf(rule) === 'opening') {
    const amount = amountText(money(feeAmount(rule, loan.principal_amount)), reader);
    if (rule.fee_type !== 'annual' || rule.trigger === 'disbursement') return amount;
    return `${amount} ${spanish ? 'al año' : 'a year'}`;
  }
  const fee = feeText(rule, reader);
  if (rule.trigger !== 'past_due') return fee;
  const days = lateFeeGraceDays(rule, loan);
  return spanish
    ? `${fee}, si un pago se retrasa más de ${days} días`
    : `${fee}, if a payment is more than ${days} days late`;
}

/**
 * The credit left after opening, if capitalized opening fees take 15 percent of the limit or more
 * ((b)(2)(xiii)). Otherwise null.
 */
export function creditAfterOpeningFees(loan: RawLoan, limit: string): string | null {
  const fees = fundingFees(loan, { amount: limit, isFirst: true });
  const charged = sumFeesByTreatment(
    fees.filter(({ rule }) => sectionOf(rule) === 'opening'),
    'capitalized',
  );
  if (charged.lt(parseMoney(limit).times('0.15'))) return null;
  return money(atLeastZero(parseMoney(limit).minus(charged)));
}

function nameOf({ trigger, fee_type }: FeeRule, { language }: TextOptions): string {
  const place = documentLanguage(language) === 'es' ? 1 : 0;
  return (BY_TRIGGER[trigger] ?? NAMES[fee_type])[place] ?? '';
}

/** These triggers determine a fee's name. Other fees are named after their type. */
const BY_TRIGGER: Partial<Record<FeeRule['trigger'], readonly string[]>> = {
  draw: ['Each draw', 'Cada retiro'],
  past_due: ['Late payment', 'Pago atrasado'],
  payment_returned: ['Returned payment', 'Pago devuelto'],
};
const NAMES = {
  origination: ['Opening the line', 'Apertura de la línea'],
  late: ['Late payment', 'Pago atrasado'],
  nsf: ['Insufficient funds', 'Fondos insuficientes'],
  returned_payment: ['Returned payment', 'Pago devuelto'],
  modification: ['Change of terms', 'Cambio de condiciones'],
  due_date_change: ['Change of the due date', 'Cambio de la fecha de pago'],
  convenience: ['Way of payment', 'Forma de pago'],
  annual: ['Annual fee', 'Cargo anual'],
  draw: ['Draw', 'Retiro'],
  payoff: ['Payoff', 'Liquidación'],
  legal: ['Legal costs', 'Costos legales'],
  recovery: ['Recovery', 'Recuperación'],
  prepayment_penalty: ['Early repayment', 'Pago anticipado'],
  adjustment: ['Adjustment', 'Ajuste'],
  other: ['Other fee', 'Otro cargo'],
} satisfies Record<FeeRule['fee_type'], readonly [string, string]>;
