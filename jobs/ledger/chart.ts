/**
 * The accounts that every tenant starts with. Code refers to an account by its role, never by its code, so
 * a tenant may renumber its chart.
 */
export const CHART = [
  { code: '1000', role: 'cash', name: 'Cash', account_type: 'asset' },
  { code: '1050', role: 'ach_clearing', name: 'ACH Clearing', account_type: 'asset' },
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
  {
    code: '4400',
    role: 'servicing_fee_income',
    name: 'Servicing Fee Income',
    account_type: 'revenue',
  },
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

/** The accounts of the daily interest accrual and its corrections. */
export const ACCRUAL_ROLES = {
  debit: 'interest_receivable',
  credit: 'interest_income',
} as const satisfies Record<string, AccountRole>;
