const NAMES = {
  borrower: 'name first_name last_name email phone preferred_language',
  loan:
    'number balance rate status principal_amount principal_balance accrued_interest ' +
    'outstanding_fees total_balance ' +
    'payment_amount next_payment_date next_payment_amount past_due_amount days_past_due ' +
    'amount_due ' +
    'origination_date maturity_date term_months',
  tenant: 'name slug url support_email support_phone branding',
  'tenant.branding': 'logo_url primary_color secondary_color support_email support_phone',
  payment:
    'amount date number method principal interest fees failure_reason retry_date account_last_four',
  fee: 'type amount date',
  statement: 'date period_start period_end new_balance is_informational',
  payoff: 'amount good_through per_diem',
  promise: 'amount date',
  disbursement: 'amount date',
  modification: 'type effective_date payment_amount rate maturity_date',
  schedule: 'old_payment_amount payment_amount first_date last_date last_payment_amount',
  rate_cap: 'interest_rate start_date end_date',
  forbearance: 'type start_date end_date payment_amount',
  autopay: 'amount date day account_last_four',
  hardship: 'number type date',
  case: 'number subject',
  charge_off: 'amount date',
  transfer:
    'effective_date last_payment_date first_payment_date servicer_name servicer_address ' +
    'servicer_phone own_address insurance_note',
  link: 'url expires_at',
};

const COLUMNS = new Map([
  ['number', 'loan_number'],
  ['balance', 'principal_balance'],
  ['rate', 'interest_rate'],
]);
/** The loan columns that templates use. Some have a shorter name in templates. */
export const LOAN_VALUES: readonly string[] = [
  ...new Set(NAMES.loan.split(' ').map((name) => COLUMNS.get(name) ?? name)),
];

/** The names that a tenant's template may use, in addition to everything below `context`. */
const VARIABLES = new Map(
  Object.entries(NAMES).map(([owner, names]) => [owner, new Set(names.split(' '))]),
);

const SINGLE = new Set('payment_amount due_date today reason locale currency'.split(' '));

/** These names lead to JavaScript internals. They are refused in every object. */
export const FORBIDDEN_NAME =
  /^(__.*|constructor|prototype|hasOwnProperty|toString|valueOf|helperMissing|blockHelperMissing)$/;

export function isKnownPath(path: readonly string[]): boolean {
  if (path.some((name) => FORBIDDEN_NAME.test(name))) return false;
  const [root, ...rest] = path;
  if (root === undefined) return false;
  if (root === 'context') return rest.length > 0;
  if (rest.length === 0) return SINGLE.has(root) || VARIABLES.has(root);
  const owner = path.slice(0, -1).join('.');
  return VARIABLES.get(owner)?.has(path.at(-1) ?? '') === true;
}
