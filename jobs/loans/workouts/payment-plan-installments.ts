import { Big } from 'big.js';
import { Invalid } from '../../errors.ts';
import { money, sum } from '../../money.ts';
import { dueDates } from '../arithmetic/due-dates.ts';
import type { PaymentFrequency } from '../arithmetic/terms.ts';

export const PLAN_INSTALLMENTS_MAX = 120;
export const PLAN_INSTALLMENT_STATUSES = ['pending', 'paid', 'missed'] as const;
export const PAYMENT_PLAN_FREQUENCIES = ['weekly', 'biweekly', 'semi_monthly', 'monthly'] as const;

export type PlanInstallment = { due_date: string; amount: string };

export type PlanScheduleInput = {
  installments: readonly PlanInstallment[];
  start_date?: string | null | undefined;
  frequency?: PaymentFrequency | null | undefined;
  number_of_payments?: number | null | undefined;
  amount?: string | null | undefined;
};

/**
 * The installments of a payment plan: either all named, or equal amounts at a regular frequency. Without an
 * `amount`, the plan divides `whole` (if known) into equal parts, and the last part takes the remaining
 * cents.
 */
export function buildPlanInstallments(
  plan: PlanScheduleInput,
  today: string,
  whole: Big | null,
): PlanInstallment[] {
  const { installments: named, start_date, frequency, number_of_payments, amount } = plan;
  const isRegular = Boolean(start_date || frequency || number_of_payments || amount);
  if (named.length > 0 && isRegular)
    throw new Invalid({ installments: 'Give either these or a frequency, not both.' });
  const parts = named.length > 0 ? [...named] : regular(plan, whole);
  parts.sort((one, other) => (one.due_date < other.due_date ? -1 : 1));
  if (parts.some(({ due_date }) => due_date < today)) {
    const field = named.length > 0 ? 'installments' : 'start_date';
    throw new Invalid({ [field]: 'Must not be before the business date.' });
  }
  return parts;
}

function regular(plan: PlanScheduleInput, whole: Big | null): PlanInstallment[] {
  const { start_date, frequency, number_of_payments } = plan;
  const part = whole?.div(number_of_payments || 1).round(2, 0);
  const amount = plan.amount ?? (part?.gt(0) ? money(part) : null);
  const missing = Object.entries({ start_date, frequency, number_of_payments, amount }).filter(
    ([, value]) => !value,
  );
  if (!start_date || !frequency || !number_of_payments || !amount) {
    throw new Invalid(Object.fromEntries(missing.map(([name]) => [name, 'Is required.'])));
  }
  const parts = dueDates(frequency, start_date, number_of_payments).map((due_date) => ({
    due_date,
    amount,
  }));
  const last = parts.at(-1);
  if (plan.amount || !whole || !last) return parts;
  const rest = whole.minus(new Big(amount).times(parts.length - 1));
  return parts.with(parts.length - 1, { ...last, amount: money(rest) });
}

export const sumInstallments = (parts: readonly PlanInstallment[]): string =>
  money(sum(parts.map(({ amount }) => new Big(amount))));
