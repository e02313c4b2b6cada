import { dictionary } from '../../sql/dictionary.ts';

/** A field that somebody is denied, as a rule names it. */
export type Fact = { resource: string; field: string };
/** Where a fact stands; or, by a name that means the same everywhere, on whatever has such a field. */
type Place = Fact & { is_anywhere: boolean };

/**
 * Names that mean something else on each record. A denied field of another name is taken out of every
 * answer that has one of that name, since it tells the same there.
 */
const AMBIGUOUS = new Set(
  [
    'account account_code account_holder_name account_number_last_four account_type action amount',
    'approved_at attempts balance balance_after balance_before bank_name body cancel_reason',
    'canceled_at changes channel checks code completed_at component consecutive_failures content_type',
    'count created_at credit currency days debit description details due_date effective_date email',
    'end_date entry_date error_code error_message events expiration_date expires_at external_id',
    'failed failed_at failure_reason fees file_size filename first_name format frequency grace_days',
    'installment_number installments instrument_type interest is_active is_archived is_current',
    'is_primary is_verified language last_name lines message metadata method name new notes old',
    'payment_method phone posted_at principal priority processes provider reason reference_number',
    'reference_type rejection_reason return_code reversal_reason reversed_at role routing_number rule',
    'running settled_on settlement_date sha256_hash skipped source start_date state status subject',
    'time_zone title total treatment type updated_at verified_at version waiting',
  ].flatMap((line) => line.split(' ')),
);
/** Whom or what a record belongs to is its own matter; what hides a link, hides it where it is named. */
const LINK = /(^|_)(ids?|by)$/;
const isAmbiguous = (field: string) => AMBIGUOUS.has(field) || LINK.test(field);

/** Answers that are about the records of another resource, in the same words. */
const ABOUT = dictionary({ 'loan-snapshots': 'loans', 'loan-tapes': 'loans' });

const OWES = ['loans.total_balance', 'loan-snapshots.payoff_amount', 'loans.payoff_amount'];
const LEFT = ['payments.remaining_balance', 'payments.balance_before', 'payments.balance_after'];
const LEDGER_ANSWERS = ['ledger/entries', 'ledger/gl-detail', 'ledger/sub-ledger'];
const LEDGER = [
  ...LEDGER_ANSWERS.flatMap((resource) => [`${resource}.debit`, `${resource}.credit`]),
  'ledger/gl-detail.running_balance',
];
const ALLOCATED = ['payments.allocations', 'loans.paid_principal', 'loans.paid_interest'];
const VALUED = [
  ...['collateral.current_value', 'valuations.appraised_value', 'collateral.ltv'],
  'loan-tapes.ltv',
];
const SPLIT = ['principal_applied', 'interest_applied', 'fees_applied', 'suspense_applied'];
const DESCRIBED = LEDGER_ANSWERS.map((resource) => `${resource}.description`);
const DATED = [
  ...LEDGER_ANSWERS.map((resource) => `${resource}.entry_date`),
  ...['ledger/entries.effective_date', 'ledger/sub-ledger.effective_date'],
];
/** What the sale of collateral found owed, took off it and left. */
const SALE = ['outstanding_before', 'applied_principal', 'deficiency_balance'];
const MESSAGES = ['communication-logs', 'communications'].flatMap((resource) => [
  `${resource}.recipient`,
  `${resource}.sender`,
]);
/** A borrower who has a user in the portal is among the users, and says and does things as that. */
const AS_USER = ['*.author_name', 'users.first_name', 'users.last_name'];
const NAMED = ['*.borrower_name', 'nacha-entries.individual_name', 'forms-1099c.debtor_name'];
const ADDRESSED = [...MESSAGES, 'borrower-consents.contact_value'];
const MAILED = [...ADDRESSED, '*.actor_email', 'users.email', 'sessions.email'];
const NUMBERED = [
  'borrowers.ssn_last_four',
  'borrower-identities.identifier_last_four',
  'borrower-identities.identifier',
  'forms-1099c.debtor_tin_last_four',
];

/**
 * Where a fact stands under another name, or follows from what stands beside it in one record. What
 * begins with * is meant wherever there is a field of that name.
 */
const TOLD = dictionary<readonly string[]>({
  'loans.principal_balance': [
    ...OWES,
    ...LEFT,
    'loans.available_credit',
    'loans.paid_principal',
    'loans.charge_off_amount',
    'loans.charge_off_balance',
    'loans.net_charge_off',
    'loans.deficiency_balance',
    'loans.beginning_balance',
    'loans.ending_balance',
    'loan-snapshots.total_paid_principal',
    'loan-snapshots.per_diem',
    'loan-snapshots.interest_accrued_today',
    'loan-tapes.ltv',
    'payoff-quotes.principal_amount',
    'payoff-quotes.per_diem',
    'payoff-quotes.payoff_amount',
    'payoff-quotes.payoff_amount_good_through',
    'payoff-quotes.explanation',
    'draws.outstanding_principal',
    'draws.available_credit_after',
    'collateral.ltv',
    ...SALE.map((field) => `collateral.${field}`),
    'credit-reporting-records.current_balance',
    'remittance-loans.principal_owned',
    'remittance-loans.servicing_fee',
  ],
  'loans.accrued_interest': [...OWES, ...LEFT, 'collateral.applied_interest'],
  'loans.outstanding_fees': [
    ...OWES,
    ...LEFT,
    'collateral.applied_fees',
    'payoff-quotes.fees_amount',
  ],
  'loans.total_balance': [
    'collateral.outstanding_before',
    'collateral.deficiency_balance',
    'loans.principal_balance',
    'loans.payoff_amount',
    'payoff-quotes.payoff_amount',
    'credit-reporting-records.current_balance',
  ],
  'loans.principal_amount': [
    'loans.disbursed_amount',
    'loans.paid_principal',
    'loans.beginning_balance',
    'loans.ending_balance',
    'disbursements.amount',
    'disbursements.net_amount',
    'credit-reporting-records.highest_credit',
    'loan-tapes.original_principal',
  ],
  'loans.interest_rate': ['loans.current_rate', 'payoff-quotes.rate', 'payoff-quotes.explanation'],
  'loans.payment_amount': [
    'loans.next_payment_amount',
    'loans.open_amount',
    'loans.amount',
    'credit-reporting-records.scheduled_monthly_payment',
  ],
  'loans.past_due_amount': ['loans.past_due', 'credit-reporting-records.amount_past_due'],
  'loans.days_past_due': ['loans.delinquency_bucket', 'credit-reporting-records.payment_rating'],
  'loans.borrower_name': ['borrowers.first_name', 'borrowers.last_name', ...NAMED, ...AS_USER],
  'loans.loan_number': ['payoff-quotes.quote_number', ...DESCRIBED],
  'loans.origination_date': ['*.disbursement_date', 'payoff-quotes.explanation', ...DATED],
  'loans.maturity_date': ['*.last_due_date'],
  'loans.charged_off_at': ['loan-tapes.charge_off_date'],
  'payoff-quotes.payoff_amount': ['loans.total_balance', 'loan-snapshots.total_balance'],
  ...dictionary(Object.fromEntries(SPLIT.map((field) => [`payments.${field}`, ALLOCATED]))),
  'payments.amount': [
    ...SPLIT.map((field) => `payments.${field}`),
    'loans.last_payment_amount',
    'loans.paid_amount',
    'autopay-draws.amount',
    'nacha-entries.amount',
    'nacha-files.debit_total',
    'nacha-files.credit_total',
    'suspense.amount',
    'credit-reporting-records.actual_payment_amount',
  ],
  'payments.payment_date': [
    'payments.effective_date',
    'payoff-quotes.explanation',
    'loans.last_payment_date',
    'loans.paid_date',
    'credit-reporting-records.date_last_payment',
    ...DATED,
  ],
  'service-credits.amount': [
    ...['service-credits.principal_applied', 'service-credits.interest_applied'],
    ...['service-credits.fees_applied', 'fees.amount_waived'],
  ],
  'payment-instruments.account_holder_name': ['nacha-entries.individual_name'],
  'borrowers.first_name': [...NAMED, ...AS_USER],
  'borrowers.last_name': [...NAMED, ...AS_USER],
  'borrowers.ssn_last_four': NUMBERED,
  'business-details.ein_last_four': NUMBERED,
  'borrowers.email': ['emails.email', ...MAILED],
  'borrowers.phone': ['phones.phone_number', ...ADDRESSED],
  'emails.email': ['borrowers.email', ...MAILED],
  'phones.phone_number': ['borrowers.phone', ...ADDRESSED],
  'addresses.state': ['loan-tapes.borrower_state', 'forms-1099c.debtor_address'],
  'addresses.postal_code': ['loan-tapes.borrower_zip', 'forms-1099c.debtor_address'],
  'addresses.street_line_1': ['forms-1099c.debtor_address'],
  'addresses.city': ['forms-1099c.debtor_address'],
  'borrower-identities.identifier_last_four': NUMBERED,
  'hardship-applications.description': ['cases.description'],
  'collateral.current_value': VALUED,
  'valuations.appraised_value': VALUED,
});

/** Whatever moves money is booked, line by line, for its amount. */
const BOOKED =
  /^(loans|payments|fees|disbursements|draws|service-credits|suspense|suspense-applications)\.\w*(amount|balance|applied|principal|interest|fees|paid)/;

/**
 * Texts that were made of records, or of what others said of them: nobody can tell what is in them, and
 * whoever is denied any field is not shown them.
 */
const TEXTS = dictionary<readonly string[]>({
  'communication-logs': ['subject', 'body', 'metadata'],
  communications: ['subject', 'body', 'metadata', 'reasons'],
  'credit-disputes': ['corrected_values'],
  'credit-reporting-records': ['consumer'],
  'dead-letters': ['response_body', 'error'],
  'webhook-attempts': ['response_body', 'error'],
  'webhook-deliveries': ['error'],
  loans: ['message', 'details'],
});

/** Parts of an answer that hold the fields of any record, under the names that they have there. */
const ANYTHING = dictionary<readonly string[]>({
  approvals: ['params', 'body'],
  'dead-letters': ['payload'],
  'webhook-deliveries': ['payload'],
});

const placeOf = (told: string): Place => {
  const at = told.lastIndexOf('.');
  const resource = told.slice(0, at);
  return { resource, field: told.slice(at + 1), is_anywhere: resource === '*' };
};

/** The fact and every other place where it stands. */
export function placesOf({ resource, field }: Fact): Place[] {
  const name = `${resource}.${field}`;
  const elsewhere = [...(TOLD[name] ?? []), ...(BOOKED.test(name) ? LEDGER : [])];
  const is_anywhere = resource === '*' || !isAmbiguous(field);
  return [{ resource, field, is_anywhere }, ...elsewhere.map(placeOf)];
}

/** Whether the answers and bodies of a resource tell it there. */
export const isToldBy = (resource: string, place: Place): boolean =>
  place.is_anywhere || place.resource === resource || place.resource === ABOUT[resource];

/** What of the resource is not shown to whom anything is denied. */
export const textsOf = (resource: string): readonly string[] => TEXTS[resource] ?? [];

/** The parts of its answers in which every denied name is looked for. */
export const anythingIn = (resource: string): readonly string[] => ANYTHING[resource] ?? [];
