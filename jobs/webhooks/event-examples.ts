import type { EventData, EventType } from './event-types.ts';

const TENANT_ID = '019b2c1d-0000-7a00-8000-0a1b2c3d4e5f';
const EVENT_ID = '019b2c2f-4d10-7e21-9b32-8c7d6e5f4a3b';

const ids = {
  loan_id: '019b2c1e-6f50-7a31-9c0e-5d7f3a1b2c40',
  payment_id: '019b2c1e-7a10-7c52-8f1d-2e9a4b6c8d01',
  borrower_id: '019b2c1e-5d20-7e13-a4b2-7c1d9e8f0a35',
  officer_id: '019b2c1e-1100-7f00-9a77-4be1c02d9e55',
};
const loan = { loan_id: ids.loan_id, loan_number: 'LN-2026-000123' };

/** An example of each event's data, for the documentation. */
export const EVENT_EXAMPLES: { [Type in EventType]: EventData<Type> } = {
  'loan.created': {
    ...loan,
    borrower_id: ids.borrower_id,
    program_id: '019b2c1e-2200-7b10-8c3d-0f6e5d4c3b21',
    product_id: '019b2c1e-2300-7d20-9e4f-1a2b3c4d5e6f',
    principal_amount: '10000.00',
    status: 'pending',
    external_id: 'APP-8841',
  },
  'loan.status_changed': {
    ...loan,
    old_status: 'approved',
    new_status: 'active',
    trigger: 'disburse',
    changed_at: '2026-01-15T15:04:05.000Z',
    changed_by: ids.officer_id,
  },
  'loan.partly_charged_off': {
    ...loan,
    amount: '2500.00',
    charge_off_date: '2026-09-30',
    reason: 'delinquency',
    principal_balance: '5210.44',
    charge_off_balance: '2500.00',
  },
  'loan.disbursed': {
    ...loan,
    disbursement_id: '019b2c1e-6f90-7b02-8d11-6a5b4c3d2e1f',
    amount: '10000.00',
    fee_deducted: '150.00',
    net_amount: '9850.00',
    disbursement_date: '2026-01-15',
    principal_balance: '10000.00',
    first_payment_date: '2026-02-15',
  },
  'payment.received': {
    payment_id: ids.payment_id,
    loan_id: ids.loan_id,
    amount: '315.68',
    payment_date: '2026-02-13',
    effective_date: '2026-02-13',
    principal_applied: '248.15',
    interest_applied: '67.53',
    fees_applied: '0.00',
    remaining_balance: '9751.85',
  },
  'payment.reversed': {
    payment_id: ids.payment_id,
    loan_id: ids.loan_id,
    amount: '315.68',
    reason: 'return',
    return_code: 'R01',
    reversed_at: '2026-02-18T14:30:00.000Z',
  },
  'payment.failed': {
    payment_id: ids.payment_id,
    loan_id: ids.loan_id,
    amount: '315.68',
    failure_reason: 'Insufficient funds',
    return_code: 'R01',
    will_retry: true,
    next_retry_date: '2026-02-23',
  },
  'suspense.applied': {
    suspense_application_id: '019b2c1e-8b30-7a44-b5c6-9d8e7f6a5b4c',
    loan_id: ids.loan_id,
    amount: '120.00',
    effective_date: '2026-03-02',
    suspense_balance: '0.00',
    remaining_balance: '9631.85',
  },
  'delinquency.changed': {
    loan_id: ids.loan_id,
    old_bucket: 'current',
    new_bucket: 'dpd_1_29',
    days_past_due: 3,
    past_due_amount: '315.68',
  },
  'fee.assessed': {
    fee_id: '019b2c1e-8c40-7d55-86e7-0a1b2c3d4e5f',
    loan_id: ids.loan_id,
    fee_type: 'returned_payment',
    amount: '25.00',
    assessed_date: '2026-02-18',
  },
  'modification.completed': {
    modification_id: '019b2c1e-9d50-7e66-97f8-1b2c3d4e5f60',
    loan_id: ids.loan_id,
    modification_type: 'rate_change',
    effective_date: '2026-06-15',
    old_terms: {
      interest_rate: '0.085000',
      payment_amount: '315.68',
      payment_day: 15,
      term_months: 36,
      remaining_payments: 31,
      maturity_date: '2029-01-15',
      principal_balance: '8712.09',
    },
    new_terms: {
      interest_rate: '0.060000',
      payment_amount: '304.15',
      payment_day: 15,
      term_months: 36,
      remaining_payments: 31,
      maturity_date: '2029-01-15',
      principal_balance: '8712.09',
    },
  },
  'compliance.failed': {
    loan_id: ids.loan_id,
    failed_checks: [
      {
        code: 'mla_36_percent',
        message: 'The military annual percentage rate of 38 percent is above 36 percent.',
      },
    ],
    enforcement: 'soft',
  },
  'document.generated': {
    document_id: '019b2c1e-ae60-7f77-a809-2c3d4e5f6071',
    loan_id: ids.loan_id,
    document_type: 'monthly_statement',
    filename: 'statement-2026-02.pdf',
  },
  'mail_batch.ready': {
    mail_batch_id: '019b2c1e-bf70-7088-b91a-3d4e5f607182',
    number: 12,
    business_date: '2026-03-02',
    letter_count: 41,
    page_count: 96,
    held_count: 1,
  },
};

/** An example of the body of a delivery. */
export const exampleBody = (event_type: EventType) => ({
  event_id: EVENT_ID,
  event_type,
  timestamp: '2026-02-13T15:04:05.000Z',
  tenant_id: TENANT_ID,
  data: EVENT_EXAMPLES[event_type],
});
