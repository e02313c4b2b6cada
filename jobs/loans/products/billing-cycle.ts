import { programType } from '../../../sql/loans/products/programs.ts';
import type { Values } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { parseMoney, parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';

const FIELDS = ['minimum_payment', 'cycle_day', 'payment_due_days', 'grace_on_purchases'] as const;

/**
 * Minimum days between a consumer's statement and its due date (12 CFR 1026.5(b)(2)(ii)). The statement is
 * created on the morning from which the days count.
 */
const CONSUMER_DAYS_MIN = 21;

/**
 * Throws `Invalid` unless the product's billing cycle fields are consistent with each other and with its
 * loan type. A product without such fields passes.
 */
export async function checkCycle({ tx }: Work, product: Values) {
  const terms = product as Pick<Terms, (typeof FIELDS)[number] | 'loan_type'> & Values;
  const refuse = (field: string, reason: string) => new Invalid({ [field]: reason });
  const [given] = FIELDS.filter((name) => isGiven(product[name]));
  if (given === undefined) return;
  if (!isBilledByCycle({ ...terms, minimum_payment: terms.minimum_payment ?? null }))
    throw refuse(given, 'Needs a line_of_credit with a minimum_payment.');
  if (!['simple_daily', undefined].includes(product['interest_method'] as string | undefined))
    throw refuse('interest_method', 'Must be simple_daily for a line with billing cycles.');
  if (!['monthly', undefined].includes(product['payment_frequency'] as string | undefined))
    throw refuse('payment_frequency', 'Must be monthly for a line with billing cycles.');
  const { minimum_payment: rule, payment_due_days: days } = terms;
  if (rule && !rule.plus_interest_and_fees && isWithoutMinimum(rule))
    throw refuse('minimum_payment', 'Never bills anything. Give a percentage or a floor_amount.');
  if (!isGiven(days)) throw refuse('payment_due_days', 'Is required with a minimum_payment.');
  const program_id = product['program_id'] as string | null | undefined;
  const type = isGiven(program_id) ? await programType(tx, program_id) : null;
  if (days < CONSUMER_DAYS_MIN && type !== 'small_business') {
    const reason = `Must be at least ${CONSUMER_DAYS_MIN}, except in a program of the type small_business.`;
    throw refuse('payment_due_days', reason);
  }
}

const isWithoutMinimum = ({ percentage, floor_amount }: NonNullable<Terms['minimum_payment']>) =>
  parseRate(percentage).eq(0) && parseMoney(floor_amount).eq(0);

const isGiven = <Value>(value: Value | false | null | undefined): value is Value =>
  value !== null && value !== undefined && value !== false;
