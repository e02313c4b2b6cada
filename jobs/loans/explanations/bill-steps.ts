import type { ExplanationKey } from '../../../templates/explanations.ts';
import { addDays } from '../../dates.ts';
import { money, parseMoney, isZero } from '../../money.ts';
import { sumParts, type AmountPart } from '../engine/amount-parts.ts';
import { billParts, type BillParts } from '../engine/bills.ts';
import type { Installment } from '../engine/coverage.ts';
import { replay } from '../engine/fold.ts';
import type { Fee } from '../engine/fee.ts';
import { isAgreedId } from '../engine/projection/agreed-steps.ts';
import type { BilledLoan } from '../history/billed-loan.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { newStep, type Calculation, type WordedStep } from './explanation.ts';

/** The steps of the amounts and days that a loan's bill asks for. */
export function explainBill(
  { state, folded, nextBill = null }: OpenLoan & Partial<BilledLoan>,
  figure: BillFigure,
): Calculation {
  const { position } = folded.run ?? replay(folded.input);
  const parts = billParts(position, state.as_of, nextBill);
  const [amount, days] =
    figure === 'days_past_due'
      ? [null, state.days_past_due]
      : [figure === 'amount_due' ? state.bill.amount_due : state.past_due_amount, null];
  const due_date = parts.matured_on ?? parts.next.due_date;
  const values = { date: state.as_of, amount, days, due_date };
  const summary = { key: summaryKey(figure, parts, { amount, days }), values };
  if (figure === 'days_past_due') return { amount, days, steps: dayStepsOf(parts), summary };
  const late = partSteps(parts.past_due, { date: state.as_of });
  const next = figure === 'amount_due' ? nextSteps(parts) : [];
  return { amount, days, steps: [...late, ...next], summary };
}

type BillFigure = 'amount_due' | 'past_due_amount' | 'days_past_due';

function summaryKey(
  figure: BillFigure,
  { matured_on, next }: BillParts,
  { amount, days }: Pick<Calculation, 'amount' | 'days'>,
): ExplanationKey {
  const isSome = amount === null ? days !== 0 : parseMoney(amount).gt(0);
  if (!isSome) return `${figure}.none`;
  if (figure === 'days_past_due') return 'days_past_due.some';
  if (matured_on !== null) return `${figure}.matured`;
  return figure === 'amount_due' && next.due_date === null ? 'amount_due.now' : `${figure}.some`;
}

function nextSteps({ next, fees }: BillParts): WordedStep[] {
  const date = next.due_date;
  if (date === null) return [];
  return [...partSteps(next.parts, { date, isFinal: true }), ...partSteps(fees, { date })];
}

const dayStepsOf = ({ days: parts }: BillParts): WordedStep[] =>
  parts.map(({ rule, days, from, to }) =>
    newStep(rule, { days, from, to }, rule, { days: Math.abs(days), from, to }),
  );

/** The day of the amounts. `isFinal`: the whole debt is due on that day. */
type PartsOn = { date: string; isFinal?: boolean };

/** The steps of an amount, without zero steps. Empty if a later bill asks for the open fees. */
export function partSteps(parts: readonly AmountPart[], on: PartsOn): WordedStep[] {
  const isOfFees = parts.some(({ fee }) => fee !== undefined);
  if (isOfFees && isZero(sumParts(parts))) return [];
  return parts.filter(({ amount }) => !isZero(amount)).map((part) => partStep(part, on));
}

function partStep(part: AmountPart, on: PartsOn): WordedStep {
  const amount = money(part.amount);
  if (part.installment !== undefined) return installmentStep(part.installment, amount);
  if (part.fee !== undefined) return feeStep(part.fee, amount);
  const { rule } = part;
  if (rule === 'installment' || rule === 'fee') throw new Error(`A part of ${rule} has no facts.`);
  const { date, isFinal = false } = on;
  const values = { due_date: date, through: addDays(date, -1) };
  if (rule === 'past_due') return newStep(rule, { amount }, 'final.past_due', values);
  const asked = isFinal ? FINAL[rule] : undefined;
  if (asked !== undefined) return newStep(rule, { amount }, asked, values);
  const explained_by = rule === 'interest' ? 'accrued_interest' : null;
  return newStep(rule, { amount, explained_by }, rule, values);
}

const FINAL: Partial<Record<AmountPart['rule'], ExplanationKey>> = {
  principal: 'final.principal',
  interest: 'final.interest',
  fees: 'final.fees',
  prepaid_interest: 'final.prepaid_interest',
};

function installmentStep({ row, covered }: Installment, amount: string): WordedStep {
  const { period_number: number, due_date, payment_amount } = row;
  const paid_amount = money(covered);
  return newStep(
    'installment',
    { amount, installment: { number, due_date, payment_amount, paid_amount } },
    isZero(covered) ? 'installment.unpaid' : 'installment.partly_paid',
    { number, due_date, asked: payment_amount, paid: paid_amount },
  );
}

const feeStep = ({ fee_type, assessed_date, ...fee }: Fee, amount: string): WordedStep => {
  const fee_id = isAgreedId(fee.fee_id) ? null : fee.fee_id;
  return newStep(
    'fee',
    { amount, fee: { fee_id, fee_type, assessed_date, amount: money(fee.amount) } },
    'fee',
    { fee: fee_type, assessed: assessed_date },
  );
};
