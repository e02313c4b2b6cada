/**
 * The accounts that every tenant starts with. Operations name an account by its role,
 * never by its code: a tenant may renumber its chart, and the books still find their way.
 */
export const CHART = [
  { code: '1000', role: 'cash', name: 'Cash', account_type: 'asset' },
  { code: '1100', role: 'loans_receivable', name: 'Loans Receivable', account_type: 'asset' },
  { code: '1200', role: 'interest_receivable', name: 'Interest Receivable', account_type: 'asset' },
  { code: '1300', role: 'fees_receivable', name: 'Fees Receivable', account_type: 'asset' },
  { code: '1400', role: 'other_assets_owned', name: 'Other Assets Owned', account_type: 'asset' },
  { code: '1500', role: 'due_from_investors', name: 'Due from Investors', account_type: 'asset' },
  { code: '2000', role: 'borrower_suspense', name: 'Borrower Suspense', account_type: 'liability' },
  { code: '2100', role: 'refunds_payable', name: 'Refunds Payable', account_type: 'liability' },
  { code: '2200', role: 'due_to_investors', name: 'Due to Investors', account_type: 'liability' },
  { code: '3000', role: 'retained_earnings', name: 'Retained Earnings', account_type: 'equity' },
  { code: '4000', role: 'interest_income', name: 'Interest Income', account_type: 'revenue' },
  { code: '4100', role: 'fee_income', name: 'Fee Income', account_type: 'revenue' },
  { code: '4200', role: 'recovery_income', name: 'Recovery Income', account_type: 'revenue' },
  { code: '4300', role: 'gain_on_sale', name: 'Gain on Sale', account_type: 'revenue' },
  { code: '5000', role: 'charge_off_expense', name: 'Charge-Off Expense', account_type: 'expense' },
  {
    code: '5100',
    role: 'service_credit_expense',
    name: 'Service Credit Expense',
    account_type: 'expense',
  },
  {
    code: '5200',
    role: 'collateral_sale_expense',
    name: 'Collateral Sale Expense',
    account_type: 'expense',
  },
  { code: '5300', role: 'loss_on_sale', name: 'Loss on Sale', account_type: 'expense' },
  { code: '5900', role: 'rounding', name: 'Rounding', account_type: 'expense' },
] as const;

export type AccountRole = (typeof CHART)[number]['role'];

type SystemEntry = {
  event: string;
  reference_type: string;
  debit: readonly AccountRole[];
  credit: readonly AccountRole[];
  /** Whether the specification gives this row; the others complete it. */
  is_specified: boolean;
};

const given = (
  event: string,
  reference_type: string,
  debit: readonly AccountRole[],
  credit: readonly AccountRole[],
): SystemEntry => ({ event, reference_type, debit, credit, is_specified: true });

const added: typeof given = (...row) => ({ ...given(...row), is_specified: false });

/** Income was recognised when it accrued: what is credited again as it is paid is relieved at once. */
const relief = (reference_type: string): SystemEntry[] => [
  added('Relief of accrued interest', reference_type, ['interest_income'], ['interest_receivable']),
  added('Relief of assessed fees', reference_type, ['fee_income'], ['fees_receivable']),
];

/** Income that will not be collected is taken back. */
const givenUp = (event: string, reference_type: string): SystemEntry[] => [
  added(`${event}, interest`, reference_type, ['interest_income'], ['interest_receivable']),
  added(`${event}, fees`, reference_type, ['fee_income'], ['fees_receivable']),
];

/**
 * What the system books by itself, for an accountant to review: event, debit, credit. Several rows of
 * one reference_type are parts of one entry; several accounts on a side share its amount. A reversal
 * (payment_reversal and the like) exchanges the sides of whatever was booked, relief included; so does
 * a change that a backdated event makes to an earlier one.
 */
export const SYSTEM_ENTRIES: readonly SystemEntry[] = [
  given('Loan disbursement', 'disbursement', ['loans_receivable'], ['cash']),
  added('Draw on a line of credit', 'draw', ['loans_receivable'], ['cash']),
  given('Payment, principal', 'payment', ['cash'], ['loans_receivable']),
  given('Payment, interest', 'payment', ['cash'], ['interest_income']),
  given('Payment, fees', 'payment', ['cash'], ['fee_income']),
  ...relief('payment'),
  added('Payment above the debt', 'payment', ['cash'], ['borrower_suspense']),
  added('Payment after charge-off', 'payment', ['cash'], ['recovery_income']),
  given('Interest accrual', 'interest_accrual', ['interest_receivable'], ['interest_income']),
  given('Fee assessment', 'fee_assessment', ['fees_receivable'], ['fee_income']),
  given('Fee waiver', 'fee_waiver', ['fee_income'], ['fees_receivable']),
  given('Charge-off', 'charge_off', ['charge_off_expense'], ['loans_receivable']),
  ...givenUp('Charge-off', 'charge_off'),
  added('Recovery after charge-off', 'recovery', ['cash'], ['recovery_income']),
  added('Recovery above the claim', 'recovery', ['cash'], ['borrower_suspense']),
  given('Collateral liquidation', 'collateral_liquidation', ['cash'], ['loans_receivable']),
  added(
    'Collateral liquidation, above principal',
    'collateral_liquidation',
    ['cash'],
    ['interest_income', 'fee_income', 'recovery_income', 'refunds_payable'],
  ),
  ...relief('collateral_liquidation'),
  added('Money held in suspense', 'suspense_receipt', ['cash'], ['borrower_suspense']),
  added(
    'Suspense applied',
    'suspense_application',
    ['borrower_suspense'],
    ['loans_receivable', 'interest_income', 'fee_income', 'recovery_income'],
  ),
  ...relief('suspense_application'),
  added('Reimbursement', 'reimbursement', ['borrower_suspense', 'loans_receivable'], ['cash']),
  added(
    'Service credit',
    'service_credit',
    ['service_credit_expense'],
    ['loans_receivable', 'interest_receivable', 'fees_receivable'],
  ),
  added(
    'Capitalization',
    'capitalization',
    ['loans_receivable'],
    ['interest_receivable', 'fees_receivable'],
  ),
  added('Forgiveness', 'forgiveness', ['charge_off_expense'], ['loans_receivable']),
  ...givenUp('Forgiveness', 'forgiveness'),
  added('Write-off of a residual', 'write_off_residual', ['rounding'], ['loans_receivable']),
  ...givenUp('Write-off of a residual', 'write_off_residual'),
  added('Non-accrual', 'non_accrual', ['interest_income'], ['interest_receivable']),
  added(
    'Boarding',
    'boarding',
    ['loans_receivable', 'interest_receivable', 'fees_receivable'],
    ['due_to_investors'],
  ),
  added(
    'Portfolio sale',
    'portfolio_sale',
    ['cash', 'loss_on_sale'],
    ['loans_receivable', 'interest_receivable', 'fees_receivable'],
  ),
  added('Portfolio sale, at a gain', 'portfolio_sale', ['cash'], ['gain_on_sale']),
  // Both on Due to Investors: what the borrower goes on owing here is owed on.
  added(
    'Portfolio sale, what is collected for the investor',
    'portfolio_sale',
    ['loans_receivable', 'interest_receivable', 'fees_receivable'],
    ['due_to_investors'],
  ),
  added(
    'Buyback',
    'portfolio_buyback',
    ['loans_receivable', 'interest_receivable', 'fees_receivable', 'loss_on_sale'],
    ['cash', 'gain_on_sale'],
  ),
  added(
    'Buyback, what is no longer collected for the investor',
    'portfolio_buyback',
    ['due_to_investors'],
    ['loans_receivable', 'interest_receivable', 'fees_receivable'],
  ),
  added(
    'Servicing transfer',
    'servicing_transfer',
    ['due_to_investors', 'borrower_suspense'],
    ['loans_receivable', 'interest_receivable', 'fees_receivable', 'due_to_investors'],
  ),
];
