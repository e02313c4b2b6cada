import { createHash } from 'node:crypto';
import { RANDOM_ID } from '../contract/callers.ts';
import { CANARY } from './hostile-values.ts';

export const PASSWORD = `${CANARY} horse battery`;
export const PROVIDER_SECRET = `${CANARY} of the provider`;
export const ACCOUNT_NUMBER = '000777000777';
export const VALID_FILE = `%PDF-1.7\n% ${CANARY}\n%%EOF\n`;

const CONFIRMATION = {
  file_size: Buffer.byteLength(VALID_FILE),
  sha256_hash: createHash('sha256').update(VALID_FILE).digest('hex'),
};
const TODAY = '2026-03-16';
/** Some record of the kind, drawn for each request. */
const SOME_RECORD = RANDOM_ID;

/** The parts of a valid body that a route's schema does not reveal. The rest is sampled. */
export const VALID_BODIES: Record<string, Record<string, unknown>> = {
  'POST /auth/login': { email: 'leaver@SLUG.test', password: PASSWORD },
  'POST /auth/password/request': { email: 'victim7@SLUG.test' },
  'POST /auth/password/change': { current_password: PASSWORD, new_password: PASSWORD },
  'POST /identity-providers': {
    issuer_url: 'https://login.example.com',
    redirect_url: 'https://admin.example.com/signed-in',
    client_id: 'desk',
    client_secret: PROVIDER_SECRET.replaceAll(' ', '-'),
    roles: { desk: 'collector' },
  },
  'POST /sftp-servers': {
    host: 'sftp.fund.example',
    port: 22,
    username: 'lender',
    folder: '/in',
    host_keys: [`SHA256:${'a'.repeat(43)}`],
    password: PROVIDER_SECRET,
    private_key: null,
  },
  'PUT /communications/providers/{channel}': { name: 'generic', secret: PROVIDER_SECRET },
  'POST /borrowers/{id}/payment-instruments': {
    routing_number: '021000021',
    account_number: ACCOUNT_NUMBER,
    account_type: 'checking',
    account_holder_name: CANARY,
  },
  'POST /borrowers/{id}/identities': { identity_type: 'passport', identifier: 'X1234567' },
  'PUT /borrowers/{id}/communication-preferences': { marketing_enabled: true },
  'POST /borrowers/{id}/autopay-plans': {
    loan_id: SOME_RECORD,
    payment_instrument_id: SOME_RECORD,
  },
  'POST /loans/{id}/forbearances': {
    start_date: TODAY,
    end_date: '2026-05-01',
    reason: 'hardship',
  },
  'POST /loans/{id}/deferments': {
    start_date: TODAY,
    end_date: '2026-05-01',
    reason: 'hardship',
  },
  'POST /loans/{id}/modifications': {
    modification_type: 'rate_change',
    new_interest_rate: '0.05',
    effective_date: TODAY,
  },
  'POST /loans/{id}/payment-plans': {
    start_date: '2026-04-01',
    frequency: 'monthly',
    number_of_payments: 3,
    amount: '25.00',
  },
  'POST /loans/{id}/promises-to-pay': { promised_date: '2026-04-01', promised_amount: '25.00' },
  'POST /loans/{id}/payments': { amount: '25.00', payment_method: 'ach', payment_date: TODAY },
  'POST /portal/loans/{id}/payments': {
    amount: '25.00',
    payment_date: TODAY,
    payment_instrument_id: SOME_RECORD,
    confirm_duplicate: true,
  },
  'POST /portal/loans/{id}/payments/preview': { amount: '25.00', payment_date: TODAY },
  'POST /portal/loans/{id}/autopay/enroll': { payment_instrument_id: SOME_RECORD },
  'POST /portal/payment-instruments/{id}/account-number': { account_number: '000123456789' },
  'POST /portal/payment-instruments': {
    routing_number: '021000021',
    account_number: ACCOUNT_NUMBER,
    account_type: 'checking',
  },
  'PUT /portal/profile': { language_preference: 'es' },
  'PUT /portal/profile/communication-preferences': { letter_enabled: false },
  'POST /loans/{id}/draws': { amount: '100.00', draw_date: TODAY },
  'POST /loans/{id}/credit-disputes': { dispute_codes: ['001'], received_date: '2026-03-10' },
  'POST /loans/{id}/1099c': {
    amount_discharged: '700.00',
    tax_year: 2026,
    identifiable_event_code: 'F',
    identifiable_event_date: '2026-01-02',
  },
  'POST /loans/{id}/assign-officer': { loan_officer_id: SOME_RECORD },
  'POST /loans/{id}/reschedule': { shift_days: 10 },
  'POST /loans/{id}/change-due-date': { payment_day: 20 },
  'POST /loans/{id}/activate-promo': { promo_rate: '0.01', duration_months: 3 },
  'POST /loans/board': {
    borrower_id: SOME_RECORD,
    program_id: SOME_RECORD,
    product_id: SOME_RECORD,
    principal_amount: '1000.00',
    current_principal_balance: '900.00',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2026-01-15',
    last_payment_date: '2026-02-15',
  },
  'POST /credit-reporting-files': { reporting_period: '2026-02-28' },
  'POST /payments/{id}/return': { return_code: 'R01' },
  'POST /users/{id}/permissions': {
    type: 'deny',
    action: '*',
    resource: 'borrowers',
    record: { suffix: true },
  },
  'POST /users/{id}/object-grants': { action: 'edit', resource: 'loans', record_id: SOME_RECORD },
  'POST /permission-groups': {
    permissions: [{ type: 'allow', action: 'create', resource: 'borrowers' }],
    member_ids: [],
  },
  'POST /borrowers': { time_zone: 'America/New_York', language_preference: 'en' },
  'POST /products': { currency: 'USD', fee_rules: [] },
  'POST /loans/{id}/payments/reimbursement': { amount: '1.00' },
  'POST /nacha-files': { file_date: '2026-03-17' },
  'POST /ledger/entries': {
    entry_date: TODAY,
    description: CANARY,
    // A manual entry that names a loan may make the books differ from the loan, which the invariants
    // report.
    loan_id: null,
    lines: [
      { account_id: SOME_RECORD, debit: '10.00' },
      { account_id: SOME_RECORD, credit: '10.00' },
    ],
  },
  'POST /ledger/closings': { period_end: '2026-01-31' },
  'POST /portfolios/{id}/transfer-loans': { target_portfolio_id: SOME_RECORD, all: true },
  'POST /portfolios/{id}/buyback': { buyback_date: TODAY, loan_ids: [SOME_RECORD], price: '1.00' },
  'POST /portfolios/{id}/sell': {
    investor_id: SOME_RECORD,
    sale_date: TODAY,
    settlement_date: TODAY,
  },
  'POST /investors/{id}/loan-assignments': { loan_id: SOME_RECORD, ownership_percentage: '0.001' },
  'POST /investors': { tax_id_last_four: '1234' },
  'POST /loan-tape-configs': { columns: ['loan_number', 'principal_balance'] },
  'POST /communications/send': {
    template_id: SOME_RECORD,
    borrower_id: SOME_RECORD,
    channel: 'email',
  },
  'POST /communications/preview': {
    template_id: SOME_RECORD,
    borrower_id: SOME_RECORD,
    channel: 'email',
  },
  'POST /communications/webhooks/delivery-status': {
    provider_message_id: 'sample 1',
    status: 'delivered',
    timestamp: '2026-03-16T12:00:00Z',
    error_code: null,
    error_message: CANARY,
  },
  'POST /communications/webhooks/inbound/sms': {
    from: '+12025550123',
    to: '+12025550100',
    body: 'STOP',
    message_id: 'sample 1',
  },
  'POST /communications/webhooks/inbound/email': {
    from: `${CANARY}@example.com`,
    to: 'desk@example.com',
    subject: 'Re: your loan',
    body: 'Please stop.',
    message_id: 'sample 1',
    in_reply_to: 'sample 2',
    auto_submitted: 'no',
  },
  'POST /webhooks': { url: 'https://receiver.example.com/hook', events: ['loan.created'] },
  'POST /documents/{id}/confirm-upload': CONFIRMATION,
  'POST /portal/documents/{id}/confirm-upload': CONFIRMATION,
  'POST /hardship-applications': { document_ids: [] },
  'POST /portal/hardship': { document_ids: [] },
  'POST /hardship-applications/{id}/approve': {
    forbearance: {
      start_date: TODAY,
      end_date: '2026-05-01',
      reason: 'hardship',
    },
    deferment: null,
    modification: null,
    payment_plan: null,
    resulting_type: null,
    resulting_id: null,
  },
};
