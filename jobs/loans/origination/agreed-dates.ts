import { Invalid } from '../../errors.ts';
import { isFirstPaymentTooLate } from '../arithmetic/due-dates.ts';

export const AGREED_DATES = ['expected_disbursement_date', 'first_payment_date'] as const;
type AgreedDates = { [Name in (typeof AGREED_DATES)[number]]?: string | null | undefined };

/** Throws `Invalid` unless the agreed disbursement date and first payment date are possible from today. */
export function assertAgreedDates(
  given: AgreedDates,
  { expected_disbursement_date: expected, first_payment_date: first }: AgreedDates,
  today: string,
) {
  const errors: Record<string, string> = {};
  if (given.expected_disbursement_date && given.expected_disbursement_date < today)
    errors['expected_disbursement_date'] = 'Must not be in the past.';
  if (
    given.expected_disbursement_date &&
    isFirstPaymentTooLate(given.expected_disbursement_date, today)
  )
    errors['expected_disbursement_date'] = 'Must be within 40 years.';
  const from = expected && expected > today ? expected : today;
  if (first && first <= from)
    errors['first_payment_date'] = `Must be after the disbursement, which is expected on ${from}.`;
  if (first && isFirstPaymentTooLate(first, from))
    errors['first_payment_date'] = 'Must be within 40 years of the disbursement.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}
