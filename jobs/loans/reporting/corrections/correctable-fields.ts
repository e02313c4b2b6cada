import { z } from 'zod';
import { date, jsonObject } from '../../../../sql/types.ts';

/**
 * The fields that a corrected record may change. The borrower and the account number are not among them.
 */
export const CORRECTABLE_FIELDS: readonly string[] = [
  'date_opened',
  'date_closed',
  'date_of_account_information',
  'date_last_payment',
  'date_first_delinquency',
  'credit_limit',
  'highest_credit',
  'original_charge_off_amount',
  'terms_duration',
  'terms_frequency',
  'scheduled_monthly_payment',
  'actual_payment_amount',
  'current_balance',
  'amount_past_due',
  'account_status',
  'payment_rating',
  'payment_history_profile',
  'special_comment',
  'consumer_information_indicator',
  'ecoa_code',
];

/** Values for some of these fields, in Metro 2 form: whole dollars, codes and dates. */
export const correctedValues = jsonObject
  .refine(
    (values) => Object.keys(values).every((name) => CORRECTABLE_FIELDS.includes(name)),
    `May name ${CORRECTABLE_FIELDS.join(', ')}.`,
  )
  .refine(
    (values) => Object.entries(values).every(([name, value]) => isValidCorrection(name, value)),
    { message: 'Contains a value that the field does not allow.' },
  );

function isValidCorrection(name: string, value: unknown): boolean {
  if (name.startsWith('date_'))
    return (value === null && !REQUIRED_DATES.has(name)) || date.safeParse(value).success;
  if (name === 'payment_history_profile')
    return typeof value === 'string' && /^[0-6BDEGHJKLZ]{24}$/.test(value);
  if (CODES_THAT_MAY_BE_EMPTY.has(name) && value === null) return true;
  if (/^(terms_|account_status|payment_rating|special_|consumer_|ecoa_)/.test(name))
    return typeof value === 'string' && /^[A-Z0-9]{1,3}$/.test(value);
  if (AMOUNTS_THAT_MAY_BE_EMPTY.has(name) && value === null) return true;
  return z.int().min(0).max(2_147_483_647).safeParse(value).success;
}

const REQUIRED_DATES: ReadonlySet<string> = new Set(['date_opened', 'date_of_account_information']);
const CODES_THAT_MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  'payment_rating',
  'special_comment',
  'consumer_information_indicator',
]);
const AMOUNTS_THAT_MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  'credit_limit',
  'original_charge_off_amount',
]);
