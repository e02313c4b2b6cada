export const TAPE_HEADER =
  'loan_number,borrower_external_id,borrower_first_name,borrower_last_name,borrower_state,' +
  'principal_amount,current_principal_balance,accrued_interest,interest_rate,term_months,payment_amount,' +
  'origination_date,first_payment_date,status,source_status,paid_total,paid_principal,' +
  'paid_interest,paid_late_fees,purpose';

type TapeOverrides = Partial<Record<string, string>>;

/** One valid line of a boarding tape, with the given fields replaced. */
export const tapeLine = (wish: TapeOverrides = {}) =>
  Object.values({
    loan_number: 'T-1',
    borrower_external_id: 'B-1',
    borrower_first_name: 'Ada',
    borrower_last_name: '"Lovelace, Countess"',
    borrower_state: 'NY',
    principal_amount: '10000.00',
    current_principal_balance: '9756.53',
    accrued_interest: '0.00',
    interest_rate: '0.085',
    term_months: '36',
    payment_amount: '315.68',
    origination_date: '2025-12-10',
    first_payment_date: '2026-01-10',
    status: 'active',
    source_status: 'Current',
    paid_total: '315.68',
    paid_principal: '243.47',
    paid_interest: '72.21',
    paid_late_fees: '0.00',
    purpose: 'car',
    ...wish,
  }).join(',');

export const tapeText = (...lines: string[]) => [TAPE_HEADER, ...lines].join('\n');
