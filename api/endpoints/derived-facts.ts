import { dictionary } from '../../sql/dictionary.ts';

/*
 * Facts that can be derived from many fields of many records. A field that is derived from one or two
 * others is marked in its own declaration with `derivedFrom`.
 */

const AMOUNTS_OWED = ['loans.total_balance', 'loan-snapshots.payoff_amount', 'loans.payoff_amount'];
const REMAINING_BALANCES = [
  'payments.remaining_balance',
  'payments.balance_before',
  'payments.balance_after',
];
const LEDGER_STATEMENTS = [
  'ledger/trial-balance',
  'ledger/income-statement',
  'ledger/balance-sheet',
];
const LEDGER_ANSWERS = ['ledger/entries', 'ledger/gl-detail', 'ledger/sub-ledger'];
export const LEDGER_FIELDS = [
  ...LEDGER_ANSWERS.flatMap((resource) => [`${resource}.debit`, `${resource}.credit`]),
  'ledger/gl-detail.running_balance',
];
const ALLOCATED_AMOUNTS = ['payments.allocations', 'loans.paid_principal', 'loans.paid_interest'];
const COLLATERAL_VALUES = [
  'collateral.current_value',
  'valuations.appraised_value',
  'collateral.ltv',
  'loan-tapes.ltv',
  'loan-tapes.collateral_value',
];
const APPLIED_AMOUNTS = [
  'principal_applied',
  'interest_applied',
  'fees_applied',
  'suspense_applied',
];
const LEDGER_DESCRIPTIONS = LEDGER_ANSWERS.map((resource) => `${resource}.description`);
const LEDGER_DATES = [
  ...LEDGER_ANSWERS.map((resource) => `${resource}.entry_date`),
  'ledger/entries.effective_date',
  'ledger/sub-ledger.effective_date',
];
/**
 * Amounts recorded with the sale of collateral: the balance before it, the principal paid and the
 * deficiency.
 */
const SALE_RESULTS = ['outstanding_before', 'applied_principal', 'deficiency_balance'];
const MESSAGE_TEXTS = ['communication-logs', 'communications'].flatMap((resource) => [
  `${resource}.recipient`,
  `${resource}.sender`,
]);
/** The recipient of a letter is the address printed on it. */
const LETTERS = MESSAGE_TEXTS;
/** A borrower with a portal user also appears under that user's name. */
const USER_NAMES = ['*.author_name', 'users.first_name', 'users.last_name'];
const BORROWER_NAMES = [
  '*.borrower_name',
  'nacha-entries.individual_name',
  'forms-1099c.debtor_name',
];
const CONTACT_FIELDS = [...MESSAGE_TEXTS, 'borrower-consents.contact_value'];
const EMAIL_FIELDS = [...CONTACT_FIELDS, '*.actor_email', 'users.email', 'sessions.email'];
const IDENTIFIER_DIGITS = [
  'borrowers.ssn_last_four',
  'borrower-identities.identifier_last_four',
  'borrower-identities.identifier',
  'forms-1099c.debtor_tin_last_four',
];

/**
 * Fields that repeat a fact under another name, or from which a fact follows together with other fields of
 * the same record. A name that starts with * applies to every resource with that field.
 */
export const DERIVED_FIELDS = dictionary<readonly string[]>({
  'loans.denial_reasons': ['adverse-action-notices.reasons'],
  'loans.principal_balance': [
    ...AMOUNTS_OWED,
    ...REMAINING_BALANCES,
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
    ...SALE_RESULTS.map((field) => `collateral.${field}`),
    'credit-reporting-records.current_balance',
    'remittance-loans.principal_owned',
    'remittance-loans.servicing_fee',
  ],
  'loans.accrued_interest': [...AMOUNTS_OWED, ...REMAINING_BALANCES, 'collateral.applied_interest'],
  'loans.outstanding_fees': [
    'loans.fees_due',
    ...AMOUNTS_OWED,
    ...REMAINING_BALANCES,
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
  'loans.interest_rate': [
    'loans.current_rate',
    'payoff-quotes.rate',
    'payoff-quotes.explanation',
    'loan-snapshots.per_diem',
    'payoff-quotes.per_diem',
    'loan-snapshots.interest_accrued_today',
  ],
  'loans.term_months': [
    'loans.original_term_months',
    'loans.remaining_term',
    'loans.maturity_date',
    'loan-snapshots.remaining_term',
    'loan-tapes.remaining_term',
    'credit-reporting-records.terms_duration',
  ],
  'loans.original_term_months': ['loans.term_months'],
  'loans.payment_amount': [
    'loans.next_payment_amount',
    'loans.open_amount',
    'loans.amount',
    'credit-reporting-records.scheduled_monthly_payment',
  ],
  'loans.past_due_amount': ['loans.past_due', 'credit-reporting-records.amount_past_due'],
  'loans.days_past_due': ['loans.delinquency_bucket', 'credit-reporting-records.payment_rating'],
  'loans.borrower_name': [
    'borrowers.first_name',
    'borrowers.last_name',
    ...BORROWER_NAMES,
    ...USER_NAMES,
  ],
  'loans.loan_number': ['payoff-quotes.quote_number', ...LEDGER_DESCRIPTIONS],
  'loans.origination_date': ['*.disbursement_date', 'payoff-quotes.explanation', ...LEDGER_DATES],
  'loans.maturity_date': ['*.last_due_date'],
  'loans.charge_off_amount': ['loans.charge_off_balance', 'loans.net_charge_off'],
  'loans.charged_off_at': ['loan-tapes.charge_off_date'],
  'ledger/accounts.name': [
    'ledger/entries.account',
    'ledger/sub-ledger.account',
    ...LEDGER_STATEMENTS.map((resource) => `${resource}.name`),
  ],
  'loans.recovered_amount': ['loan-tapes.recovery_amount'],
  'investors.name': ['loan-tapes.investor'],
  'portfolios.name': ['loan-tapes.portfolio'],
  'products.name': ['loan-tapes.product'],
  'programs.name': ['loan-tapes.program'],
  'payoff-quotes.payoff_amount': ['loans.total_balance', 'loan-snapshots.total_balance'],
  ...dictionary(
    Object.fromEntries(APPLIED_AMOUNTS.map((field) => [`payments.${field}`, ALLOCATED_AMOUNTS])),
  ),
  'payments.amount': [
    ...APPLIED_AMOUNTS.map((field) => `payments.${field}`),
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
    ...LEDGER_DATES,
  ],
  'service-credits.amount': [
    'service-credits.principal_applied',
    'service-credits.interest_applied',
    'service-credits.fees_applied',
    'fees.amount_waived',
  ],
  'payment-instruments.account_holder_name': ['nacha-entries.individual_name'],
  'borrowers.first_name': [...BORROWER_NAMES, ...USER_NAMES],
  'borrowers.last_name': [...BORROWER_NAMES, ...USER_NAMES],
  'borrowers.ssn_last_four': IDENTIFIER_DIGITS,
  'business-details.ein_last_four': IDENTIFIER_DIGITS,
  'borrowers.email': ['emails.email', ...EMAIL_FIELDS],
  'borrowers.phone': ['phones.phone_number', ...CONTACT_FIELDS],
  'emails.email': ['borrowers.email', ...EMAIL_FIELDS],
  'phones.phone_number': ['borrowers.phone', ...CONTACT_FIELDS],
  'addresses.state': [...LETTERS, 'loan-tapes.borrower_state', 'forms-1099c.debtor_address'],
  'addresses.postal_code': [...LETTERS, 'loan-tapes.borrower_zip', 'forms-1099c.debtor_address'],
  'addresses.street_line_1': [...LETTERS, 'forms-1099c.debtor_address'],
  'addresses.street_line_2': [...LETTERS, 'forms-1099c.debtor_address'],
  'addresses.city': [...LETTERS, 'forms-1099c.debtor_address'],
  'borrower-identities.identifier_last_four': IDENTIFIER_DIGITS,
  'hardship-applications.description': ['cases.description'],
  'collateral.current_value': COLLATERAL_VALUES,
  'collateral.estimated_value': COLLATERAL_VALUES,
  'valuations.appraised_value': COLLATERAL_VALUES,
});

/** Every money movement is posted to the ledger with its amount, so the journal reveals the amount. */
export const JOURNALED_FIELD =
  /^(loans|payments|fees|disbursements|draws|service-credits|suspense|suspense-applications)\.\w*(amount|balance|applied|principal|interest|fees|paid)/;
