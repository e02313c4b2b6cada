import { NOT_PART } from '../../jobs/books/exports/about-book.ts';

/** Columns that are never compared: they say when this database stored a row. */
export const NEVER = ['created_at', 'updated_at'] as const;

/** What both tenants do after the import gets new numbers, and happens at other times of the clock. */
export const OF_LATER_EVENTS = [
  ...([
    'receipt_number',
    'posted_at',
    'settled_at',
    'reversed_at',
    'failed_at',
    'waived_at',
  ] as const),
  ...([
    'applied_at',
    'broken_at',
    'completed_at',
    'fulfilled_at',
    'paid_off_at',
    'charged_off_at',
  ] as const),
] as const;

/** What the README of a book says that it leaves out. */
type Left = (typeof NOT_PART)[number][0];

const USERS = 'Who did something, and the history of changes';
const SCHEDULES = 'Earlier schedules';
const CREDIT = 'Credit files and disputes';
const ORDERS = 'Bank orders that were sent or wait to be sent';
const DRAWN = 'Due dates that autopay missed before the import';
const CASES =
  'Hardship applications, and numbers, messages, attachments and closing times of cases';
const SALES = 'Dynamic portfolios, sales, remittances and snapshots';
const PRINTED = 'The texts from which documents were printed, and when something was verified';
const INSTALLATION = 'Users, roles, templates, imports and other settings';

type Comparison = {
  /** Rows with a `key` that is the same in both tenants, and the row itself as `row`. */
  from: string;
  /** The columns that may differ, by what they belong to. */
  without?: Readonly<Record<string, Left>>;
};

const ofTenant = (table: string, key: string, where = 'true') =>
  `select ${key} as key, to_jsonb(row) as row from ${table} as row
   where row.tenant_id = $1 and ${where}`;
const ofLoan = (table: string, where = 'true') =>
  `select loan.loan_number as key, to_jsonb(row) as row from ${table} as row
   join loans as loan on loan.tenant_id = row.tenant_id and loan.id = row.loan_id
   where row.tenant_id = $1 and loan.status not in ('denied', 'canceled') and ${where}`;
const ofBorrower = (table: string, where = 'true') =>
  `select coalesce(person.external_id, person.id::text) as key, to_jsonb(row) as row from ${table} as row
   join borrowers as person on person.tenant_id = row.tenant_id and person.id = row.borrower_id
   where row.tenant_id = $1 and ${where}`;
const ofCollateral = (table: string) =>
  `select loan.loan_number as key, to_jsonb(row) as row from ${table} as row
   join collateral_items as item on item.tenant_id = row.tenant_id and item.id = row.collateral_id
   join loans as loan on loan.tenant_id = item.tenant_id and loan.id = item.loan_id
   where row.tenant_id = $1 and not item.is_archived`;

/** The columns of a document that may differ. */
const DOCUMENT = {
  storage_key: PRINTED,
  uploaded_at: PRINTED,
  uploaded_by: USERS,
  source: PRINTED,
  template: PRINTED,
  template_data: PRINTED,
  status: PRINTED,
  page_count: PRINTED,
  language: PRINTED,
  metadata: PRINTED,
  expires_at: PRINTED,
  verified_at: PRINTED,
  verified_by: USERS,
} as const;

/** What an exported and imported book has in common with its source. */
export const COMPARED: Record<string, Comparison> = {
  loans: {
    from: `select loan_number as key, to_jsonb(row) || jsonb_build_object(
             'portfolio_id', (
               select id from portfolios
               where id = row.portfolio_id and portfolio_type = 'static' and status = 'active'
             ),
             'terms', row.terms - array['gl_map', 'previous_gl_maps', 'sold_on']) as row
           from loans as row where tenant_id = $1 and status not in ('denied', 'canceled')`,
    without: {
      schedule_version: SCHEDULES,
      payment_history_profile: CREDIT,
      loan_officer_id: USERS,
      approved_by: USERS,
    },
  },
  events: {
    from: ofLoan('loan_events', `row.kind not in ('boarding', 'servicing_transfer')`),
    without: { recorded_on: USERS, recorded_at: USERS, is_replayed: USERS },
  },
  schedule: {
    from: ofLoan('installments', 'row.version = loan.schedule_version'),
    without: { version: SCHEDULES, reason: SCHEDULES },
  },
  outlook: { from: ofLoan('loan_outlook') },
  payments: {
    from: ofLoan(
      'payments',
      `row.status in ('completed', 'settled', 'reversed', 'returned', 'scheduled')`,
    ),
    without: {
      reversed_by: USERS,
      send_by: ORDERS,
      autopay_plan_id: ORDERS,
    },
  },
  fees: { from: ofLoan('fees'), without: { waived_by: USERS } },
  draws: { from: ofLoan('draws'), without: { created_by: USERS, send_by: ORDERS } },
  earlier_transactions: { from: ofLoan('earlier_transactions') },
  forbearances: {
    from: ofLoan('forbearances'),
    without: { created_by: USERS, hardship_application_id: CASES },
  },
  deferments: { from: ofLoan('deferments'), without: { created_by: USERS } },
  promotions: { from: ofLoan('loan_promotions') },
  rate_caps: { from: ofLoan('loan_rate_caps') },
  modifications: {
    from: ofLoan('modifications'),
    without: { requested_by: USERS, approved_by: USERS, document_id: PRINTED },
  },
  payment_plans: { from: ofLoan('payment_plans'), without: { created_by: USERS } },
  promises: { from: ofLoan('promises_to_pay'), without: { created_by: USERS } },
  late_fee_exemptions: { from: ofLoan('late_fee_exemptions') },
  service_credits: { from: ofLoan('service_credits'), without: { created_by: USERS } },
  suspense_applications: { from: ofLoan('suspense_applications'), without: { created_by: USERS } },
  assignments: {
    from: ofLoan('loan_assignments', `row.status in ('pending', 'active')`),
    without: { portfolio_id: SALES, settlement_instrument_id: SALES, journal_entry_ids: SALES },
  },
  co_borrowers: { from: ofLoan('co_borrowers', 'row.released_on is null') },
  collateral: { from: ofLoan('collateral_items', 'not row.is_archived') },
  liens: { from: ofCollateral('liens') },
  valuations: { from: ofCollateral('valuations'), without: { document_id: PRINTED } },
  autopay: {
    from: ofLoan('autopay_plans', `row.status in ('active', 'paused')`),
    without: { drawn_through: DRAWN, last_payment_id: ORDERS },
  },
  notes: { from: ofBorrower('notes'), without: { author_id: USERS, body: USERS } },
  cases: {
    from: ofBorrower('support_cases', 'not row.opened_in_error'),
    without: {
      case_number: CASES,
      assigned_to: USERS,
      source: CASES,
      document_ids: CASES,
      first_response_at: CASES,
      last_message_at: CASES,
      awaits_answer: CASES,
      resolved_at: CASES,
      closed_at: CASES,
    },
  },
  legal_conditions: { from: ofBorrower('legal_conditions') },
  documents: {
    from: ofLoan('documents', `row.status in ('uploaded', 'verified') and not row.is_archived`),
    without: DOCUMENT,
  },
  borrowers: {
    from: `select coalesce(external_id, id::text) as key, to_jsonb(row) as row from borrowers as row
           where tenant_id = $1 and redacted_at is null`,
    // A borrower without an external id gets the id that the source had.
    without: { external_id: INSTALLATION },
  },
  documents_of_people: {
    from: ofBorrower(
      'documents',
      `row.loan_id is null and row.status in ('uploaded', 'verified') and not row.is_archived`,
    ),
    without: DOCUMENT,
  },
  addresses: { from: ofBorrower('addresses', 'not row.is_archived') },
  emails: {
    from: ofBorrower('emails', 'not row.is_archived'),
    without: { verified_at: PRINTED, is_verified: PRINTED, last_bounce_at: PRINTED },
  },
  phones: {
    from: ofBorrower('phones', 'not row.is_archived'),
    without: { verified_at: PRINTED, is_verified: PRINTED },
  },
  opt_outs: {
    from: ofTenant('opt_outs', `row.channel || ' ' || row.contact_value`),
    without: { message: 'Messages, letters that were not stored as documents, tasks and webhooks' },
  },
  consents: { from: ofBorrower('borrower_consents'), without: { document_id: PRINTED } },
  identities: {
    from: ofBorrower('borrower_identities', 'not row.is_archived'),
    without: {
      identifier_sealed: INSTALLATION,
      identifier_index: INSTALLATION,
      verified_at: PRINTED,
      verified_by: USERS,
      document_id: PRINTED,
    },
  },
  bank_accounts: {
    from: ofBorrower('payment_instruments', 'not row.is_archived'),
    without: {
      account_number_sealed: INSTALLATION,
      token_sealed: INSTALLATION,
      verified_at: PRINTED,
    },
  },
  legal_representatives: {
    from: ofBorrower('legal_reps', 'not row.is_archived'),
    without: { authorization_document_id: PRINTED },
  },
  business_details: { from: ofBorrower('business_details') },
  military_reports: {
    from: ofBorrower('military_reports', 'not row.is_archived'),
    without: { created_by: USERS, document_id: PRINTED },
  },
  investors: { from: ofTenant('investors', 'row.name') },
  portfolios: {
    from: ofTenant(
      'portfolios',
      'row.name',
      `row.portfolio_type = 'static' and row.status = 'active' and not row.is_archived`,
    ),
  },
  accounts: { from: ofTenant('ledger_accounts', 'row.code', 'not row.is_header') },
  trial_balance: {
    from: `select account.code as key, jsonb_build_object('balance', sum(line.debit - line.credit)) as row
           from posted_lines as line join ledger_accounts as account
             on account.tenant_id = line.tenant_id and account.id = line.account_id
           where line.tenant_id = $1 group by account.code having sum(line.debit - line.credit) <> 0`,
  },
};

/** The tables of a tenant that are not compared, by what the README of a book says about them. */
export const NOT_COMPARED: Record<Left, readonly string[]> = {
  'Loans that were denied, canceled or transferred': [
    ...(['adverse_action_notices', 'compliance_runs', 'misdirected_payments'] as const),
    ...(['servicing_transfers', 'servicing_transfer_loans'] as const),
  ],
  'Messages, letters that were not stored as documents, tasks and webhooks': [
    ...(['communication_logs', 'events', 'dead_letters', 'tasks', 'lien_alerts'] as const),
    ...(['mail_batches', 'mail_batch_files', 'mail_deliveries', 'mail_letters'] as const),
    ...(['webhook_attempts', 'webhook_deliveries', 'webhook_subscriptions'] as const),
  ],
  'Payments that failed, and draws of autopay that wait for a retry': ['autopay_draws'],
  [ORDERS]: [
    ...([
      'change_notices',
      'disbursements',
      'nacha_entries',
      'nacha_files',
      'order_accounts',
    ] as const),
  ],
  [DRAWN]: [],
  'Statements that were frozen': ['statements'],
  'Payoff quotes': ['payoff_quotes'],
  [SCHEDULES]: [],
  [CREDIT]: [
    ...([
      'credit_corrections',
      'credit_dispute_answer_files',
      'credit_dispute_import_lines',
    ] as const),
    ...(['credit_dispute_imports', 'credit_disputes', 'credit_reporting_files'] as const),
    ...(['credit_reporting_findings', 'credit_reporting_records'] as const),
  ],
  'Forms 1099-C': ['forms_1099c'],
  'Sanctions screenings': ['sanctions_hits', 'sanctions_screenings'],
  // The conditions that follow from the facts of cases are compared.
  [CASES]: ['hardship_applications', 'support_case_messages', 'case_facts'],
  'Released co-borrowers, archived addresses, identities and accounts': [],
  [SALES]: [
    ...([
      'loan_snapshots',
      'loan_tapes',
      'portfolio_snapshots',
      'remittance_loans',
      'remittances',
    ] as const),
    ...([
      'servicing_fee_rates',
      'settlement_instruments',
      'tape_deliveries',
      'loan_tape_configs',
    ] as const),
  ],
  'Liquidations of collateral': ['liquidations'],
  'Journal entries, daily interest and closes': [
    ...([
      'cob_changed_loans',
      'cob_chunks',
      'cob_loan_errors',
      'cob_runs',
      'interest_accruals',
    ] as const),
    ...(['journal_entries', 'journal_lines', 'period_closings', 'year_ends'] as const),
  ],
  [PRINTED]: [],
  [USERS]: ['audit_log', 'loan_attribute_history', 'security_log'],
  [INSTALLATION]: [
    ...([
      'approvals',
      'auto_responses',
      'communication_providers',
      'communication_templates',
    ] as const),
    ...([
      'document_wordings',
      'idempotency_keys',
      'identity_providers',
      'logos',
      'object_grants',
    ] as const),
    ...([
      'one_time_tokens',
      'passkey_challenges',
      'pending_sign_ins',
      'permission_group_members',
    ] as const),
    ...([
      'permission_groups',
      'provider_certificates',
      'provider_sign_ins',
      'recovery_codes',
    ] as const),
    ...(['second_factors', 'sessions', 'sftp_servers', 'tenant_domains', 'throttle_hits'] as const),
    ...(['used_provider_tokens', 'user_identities', 'user_permissions', 'users'] as const),
    ...([
      'book_exports',
      'borrower_exports',
      'import_findings',
      'import_loans',
      'import_records',
    ] as const),
    ...(['import_rows', 'imports', 'reconciliation_differences', 'reconciliation_loans'] as const),
    ...([
      'case_number_sequences',
      'loan_number_sequences',
      'reconciliations',
      'row_counts',
    ] as const),
    // The terms that a loan has copied are compared.
    ...(['products', 'programs'] as const),
  ],
};
