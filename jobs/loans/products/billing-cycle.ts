import { programType } from '../../../sql/loans/programs.ts';
import type { Values } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { parseMoney, parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';

const FIELDS = ['minimum_payment', 'cycle_day', 'payment_due_days', 'grace_on_purchases'] as const;

/**
 * Days that a consumer has from the statement to the due date (12 CFR 1026.5(b)(2)(ii)). It is made on the
 * morning from which they are counted.
 */
const CONSUMER_DAYS_MIN = 21;

/** What a product says of its billing cycles makes sense together, or it says nothing of them. */
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
  if (rule && !rule.plus_interest_and_fees && asksNothing(rule))
    throw refuse('minimum_payment', 'Asks for nothing: give a percentage or a floor_amount.');
  if (!isGiven(days)) throw refuse('payment_due_days', 'Is required with a minimum_payment.');
  const program_id = product['program_id'] as string | null | undefined;
  const type = isGiven(program_id) ? await programType(tx, program_id) : null;
  if (days < CONSUMER_DAYS_MIN && type !== 'small_business') {
    const reason = `Must be at least ${CONSUMER_DAYS_MIN}, except in a program of the type small_business.`;
    throw refuse('payment_due_days', reason);
  }
}

const asksNothing = ({ percentage, floor_amount }: NonNullable<Terms['minimum_payment']>) =>
  parseRate(percentage).eq(0) && parseMoney(floor_amount).eq(0);

const isGiven = <Value>(value: Value | false | null | undefined): value is Value =>
  value !== null && value !== undefined && value !== false;
