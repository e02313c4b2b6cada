import type { DocumentData, DocumentName } from './documents.ts';

/** The parts that a document must not be printed without. Each name has its value, if the part applies. */
type Parts = Record<string, unknown>;

const letterhead = ({ tenant, recipient }: DocumentData[DocumentName]): Parts => ({
  'tenant.name': tenant.name,
  'recipient.name': recipient.name,
});

const REQUIRED: { [Name in DocumentName]: (data: DocumentData[Name]) => Parts } = {
  // Lines of credit: 12 CFR 1026.7(b).
  monthly_statement: ({ period_start, period_end, summary, due, loan, pay_to, line }) => ({
    period_start,
    period_end,
    ...valuesOf('summary', summary, [
      'previous_balance',
      'new_balance',
      'payments',
      'interest',
      'fees',
    ]),
    ...valuesOf('due', due, ['amount_due', 'regular_payment', 'past_due', 'fees']),
    ...valuesOf('loan', loan, ['interest_rate', 'principal_balance']),
    ...valuesOf('pay_to', pay_to, ['name']),
    ...optionalValues('line', line, [
      ...(['days', 'credit_limit', 'available_credit', 'interest_charge'] as const),
      'balance_subject_to_interest',
    ]),
  }),
  // 12 CFR 1026.18.
  tila_disclosure: (data) => ({
    ...valuesOf('', data, ['apr', 'finance_charge', 'amount_financed', 'total_of_payments']),
    ...valuesOf('', data, ['payment_schedule', 'prepayment']),
  }),
  // 12 CFR 1026.6(b).
  account_opening_disclosure: ({ apr, credit_limit, tenant }) => ({
    apr,
    credit_limit,
    'tenant.address_lines': tenant.address_lines,
  }),
  // 12 CFR 1002.9(a)(2) and (b). For credit reports and scores: FCRA, section 615(a).
  adverse_action_notice: ({ tenant, agency, credit_bureau, credit_score, ...data }) => ({
    'tenant.address_lines': tenant.address_lines,
    ...valuesOf('agency', agency, ['name', 'address']),
    ...optionalValues('counteroffer', data.counteroffer, ['terms', 'respond_by']),
    ...optionalValues('incomplete', data.incomplete, ['information_needed', 'respond_by']),
    ...(data.reasons_on_request
      ? { 'tenant.branding.support_phone': tenant.branding.support_phone }
      : data.incomplete
        ? {}
        : { reasons: data.reasons }),
    ...optionalValues('credit_bureau', credit_bureau, ['name', 'address', 'phone']),
    ...optionalValues('credit_score', credit_score, ['score', 'date', 'range_low', 'range_high']),
    ...optionalValues('credit_score', credit_score, ['source', 'key_factors']),
  }),
  payoff_letter: ({ tenant, pay_to, ...data }) => ({
    ...valuesOf('', data, [
      'good_through',
      'payoff_amount',
      'per_diem',
      'principal',
      'interest',
      'fees',
    ]),
    ...(pay_to
      ? valuesOf('pay_to', pay_to, ['name', 'address_lines'])
      : { 'tenant.address_lines': tenant.address_lines }),
  }),
  // IRS, instructions for form 1099-C and general instructions, part M.
  form_1099c: (data) => ({
    ...valuesOf('', data, ['tax_year', 'creditor_name', 'creditor_address', 'creditor_tin']),
    ...valuesOf('', data, ['creditor_phone', 'debtor_name', 'account_number', 'amount_discharged']),
    ...valuesOf('', data, [
      'identifiable_event_date',
      'identifiable_event_code',
      'debt_description',
    ]),
  }),
  letter: ({ body_html }) => ({ body_html }),
};

/** The values of a part that every document of this kind has. */
const valuesOf = <Part extends object>(
  name: string,
  part: Part | null | undefined,
  keys: readonly (keyof Part & string)[],
): Parts =>
  Object.fromEntries(keys.map((key) => [name === '' ? key : `${name}.${key}`, part?.[key]]));

/** The values of an optional part. */
const optionalValues: typeof valuesOf = (name, part, keys) =>
  part ? valuesOf(name, part, keys) : {};

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.every(isEmpty));

/** Returns the required parts that the document lacks. */
export function missingParts<Name extends DocumentName>(
  name: Name,
  data: DocumentData[Name],
): string[] {
  const parts = { ...letterhead(data), ...REQUIRED[name](data) };
  return Object.keys(parts).filter((part) => isEmpty(parts[part]));
}
