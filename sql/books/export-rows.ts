import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { isOptedOut } from '../communications/opt-outs.ts';
import { sql, type Transaction } from '../database/db.ts';
import { amountOn, daysPastDueOn, joinOutlook } from '../loans/outlook.ts';
import { isPartlyUnknown, knownParts } from './unknown-address.ts';

/** Which loans a book has: those of a portfolio, those of a servicing transfer, or all. */
export type BookScope = { portfolio_id: string | null; servicing_transfer_id: string | null };

/** Loans that were never funded and never will be are in no book. */
const STATUSES = sql.fragment`('pending', 'approved', 'active', 'paid_off', 'charged_off', 'settled')`;

/** The loan is in the book. A transfer also has its loans after they have left. */
export const isInBook = ({ portfolio_id, servicing_transfer_id }: BookScope) => {
  if (servicing_transfer_id !== null)
    return sql.fragment`
      loan.status in ('active', 'charged_off', 'transferred') and exists (
        select from servicing_transfer_loans as part
        where part.loan_id = loan.id and part.servicing_transfer_id = ${servicing_transfer_id}
          and part.status in ('pending', 'transferred')
      )`;
  return portfolio_id === null
    ? sql.fragment`loan.status in ${STATUSES}`
    : sql.fragment`loan.status in ${STATUSES} and loan.portfolio_id = ${portfolio_id}`;
};

export const isWhole = ({ portfolio_id, servicing_transfer_id }: BookScope) =>
  portfolio_id === null && servicing_transfer_id === null;

const Id = z.object({ id: z.string() });

/** The next loans of the book, in the order of their ids. */
export const listLoanPage = (tx: Transaction, scope: BookScope, after: string, limit: number) =>
  tx.anyFirst(sql.type(Id)`
    select loan.id from loans as loan
    where loan.id > ${after} and ${isInBook(scope)} order by loan.id limit ${limit}
  `);

/** The person owes a loan of the book; without a scope also one who owes nothing. */
const isPersonOfBook = (scope: BookScope) => sql.fragment`(
  ${isWhole(scope)} and borrower.redacted_at is null
  or exists (
    select from loans as loan where loan.borrower_id = borrower.id and ${isInBook(scope)}
  )
  or exists (
    select from co_borrowers as party join loans as loan on loan.id = party.loan_id
    where party.borrower_id = borrower.id and party.released_on is null and ${isInBook(scope)}
  )
)`;

/** The next people of the book. */
export const listBorrowerPage = (tx: Transaction, scope: BookScope, after: string, limit: number) =>
  tx.anyFirst(sql.type(Id)`
    select borrower.id from borrowers as borrower
    where borrower.id > ${after} and ${isPersonOfBook(scope)}
    order by borrower.id limit ${limit}
  `);

const Count = z.object({ count: z.int() });

export const countLoans = (tx: Transaction, scope: BookScope) =>
  tx.oneFirst(sql.type(Count)`
    select count(*)::integer as count from loans as loan where ${isInBook(scope)}
  `);

/** A row of a book file: a value for each column. */
export const BookRow = z.record(z.string(), z.unknown());
export type ExportedRow = z.output<typeof BookRow>;

/** The id by which a book names a borrower. */
const borrowerKey = (borrower: string) => {
  const its = (column: string) => sql.identifier([borrower, column]);
  return sql.fragment`coalesce(${its('external_id')}, ${its('id')}::text) as borrower_external_id`;
};

/** The terms that a loan has copied, without those that sales and rate changes add. Equal terms have one key. */
const termsOf = (loan: string) => sql.fragment`
  (${sql.identifier([loan, 'terms'])} - array['gl_map', 'original_rate', 'sold_on', 'previous_gl_maps'])`;
const termsKey = (loan: string) => sql.fragment`
  md5(${sql.identifier([loan, 'loan_type'])} || ${termsOf(loan)}::text)`;

const LoanTerms = z.object({
  product_id: z.string(),
  loan_type: z.string(),
  terms_key: z.string(),
  terms: z.record(z.string(), z.unknown()),
});

/** The different terms of the book's loans. */
export const listLoanTerms = (tx: Transaction, scope: BookScope) =>
  tx.any(sql.type(LoanTerms)`
    select loan.product_id, loan.loan_type, ${termsKey('loan')} as terms_key,
           (array_agg(${termsOf('loan')} order by loan.id))[1] as terms
    from loans as loan where ${isInBook(scope)}
    group by 1, 2, 3 order by min(loan.id::text)
  `);

const Named = z.object({ id: z.string(), name: z.string() });

/** The names by which a book calls these loans and people. Those that are not in it have none. */
export const listNames = (tx: Transaction, scope: BookScope, ids: readonly string[]) =>
  tx.any(sql.type(Named)`
    select loan.id, loan.loan_number as name from loans as loan
    where loan.id = any(${sql.array([...ids], 'uuid')}) and ${isInBook(scope)}
    union all
    select borrower.id, coalesce(borrower.external_id, borrower.id::text) from borrowers as borrower
    where borrower.id = any(${sql.array([...ids], 'uuid')}) and ${isPersonOfBook(scope)}
  `);

export const borrowerRows = {
  borrowers: (ids) => sql.fragment`
    select ${borrowerKey('record')}, record.borrower_type, record.first_name, record.middle_name,
           record.last_name, record.suffix, record.date_of_birth, record.ssn_last_four,
           record.language_preference, record.preferred_channel, record.time_zone,
           record.do_not_contact, record.email_enabled, record.sms_enabled, record.letter_enabled,
           record.marketing_enabled, record.metadata
    from borrowers as record where record.id = any(${ids}) order by record.id`,
  // An address of which a part is unknown is in `loans.csv`, whose columns may be empty.
  addresses: (ids) => ofBorrowers('addresses', ids, sql.fragment`not ${isPartlyUnknown}`),
  emails: (ids) => sql.fragment`
    select row.*, ${isOptedOut('email', sql.fragment`row.email`)} as is_opted_out
    from (${ofBorrowers('emails', ids)}) as row`,
  phones: (ids) => sql.fragment`
    select row.*, ${isOptedOut('sms', sql.fragment`row.phone_number`)} as is_opted_out
    from (${ofBorrowers('phones', ids)}) as row`,
  consents: (ids) => sql.fragment`
    select ${borrowerKey('borrower')}, record.*
    from borrower_consents as record join borrowers as borrower on borrower.id = record.borrower_id
    where record.borrower_id = any(${ids}) order by record.borrower_id, record.id`,
  identities: (ids) => ofBorrowers('borrower_identities', ids),
  bank_accounts: (ids) => sql.fragment`
    select ${borrowerKey('borrower')}, record.id as bank_account_id, record.*
    from payment_instruments as record join borrowers as borrower on borrower.id = record.borrower_id
    where record.borrower_id = any(${ids}) and not record.is_archived
    order by record.borrower_id, record.id`,
  cases: (ids, scope) => sql.fragment`
    select loan.loan_number, ${borrowerKey('borrower')}, record.*, record.case_number as case_id,
           case when record.status in ('resolved', 'closed')
             then coalesce(nullif(trim(record.resolution), ''), record.status) end as resolution,
           facts.facts
    from support_cases as record
    left join loans as loan on loan.id = record.loan_id
    join borrowers as borrower on borrower.id = record.borrower_id
    left join lateral (
      select facts from case_facts where case_id = record.id order by version desc limit 1
    ) as facts on true
    where record.borrower_id = any(${ids}) and not record.opened_in_error
      and (record.loan_id is null or ${isInBook(scope)})
    order by record.borrower_id, record.id`,
  notes: (ids) => sql.fragment`
    select null as loan_number, ${borrowerKey('borrower')}, ${noteColumns}
    from notes as record join borrowers as borrower on borrower.id = record.borrower_id
    left join users as author on author.id = record.author_id
    where record.borrower_id = any(${ids}) and record.loan_id is null
    order by record.borrower_id, record.id`,
  documents: (ids) => sql.fragment`
    select null as loan_number, ${borrowerKey('borrower')}, ${documentColumns}
    from documents as record join borrowers as borrower on borrower.id = record.borrower_id
    where record.borrower_id = any(${ids}) and record.loan_id is null and ${isStored}
    order by record.borrower_id, record.id`,
} satisfies Record<string, (ids: SqlFragment, scope: BookScope) => SqlFragment>;

const noteColumns = sql.fragment`
  record.*, record.created_at as written_at, author.first_name || ' ' || author.last_name as author`;
const documentColumns = sql.fragment`
  record.id, record.storage_key, record.document_type, record.filename,
  record.uploaded_at::date as dated, record.is_visible_to_borrower, record.sha256_hash as sha256,
  record.metadata`;
const isStored = sql.fragment`
  record.status in ('uploaded', 'verified') and not record.is_archived and record.removed_at is null`;

function ofBorrowers(
  name: 'addresses' | 'emails' | 'phones' | 'borrower_identities',
  ids: SqlFragment,
  where = sql.fragment`true`,
) {
  return sql.fragment`
    select ${borrowerKey('borrower')}, record.*
    from ${sql.identifier([name])} as record join borrowers as borrower on borrower.id = record.borrower_id
    where record.borrower_id = any(${ids}) and not record.is_archived and ${where}
    order by record.borrower_id, record.id`;
}

/** A loan that has left with the transfer of this book shows what it took along. */
const moved = sql.fragment`
  left join lateral (
    select part.* from servicing_transfer_loans as part
    where part.loan_id = record.id and part.status = 'transferred' and record.status = 'transferred'
    order by part.id desc limit 1
  ) as moved on true`;
/** Charged off in full, also if all of it was recovered. After a partial charge-off, the loan stays active. */
const isChargedOff = sql.fragment`
  (record.status = 'charged_off' or record.status = 'transferred' and record.charged_off_at is not null)`;
const DAY = sql.fragment`day.today`;

export const loanRows = {
  loans: (ids) => sql.fragment`
    with day as materialized (select app.business_date() as today)
    select record.loan_number, record.external_id, ${borrowerKey('borrower')}, home.*,
           program.code as program_code, record.product_id, ${termsKey('record')} as terms_key,
           record.principal_amount,
           trim_scale(coalesce((record.terms ->> 'original_rate')::numeric, record.interest_rate)) as interest_rate,
           coalesce(record.original_term_months, record.term_months) as term_months,
           record.payment_amount, coalesce(plan.has_balloon, false) as has_balloon, record.payment_day,
           coalesce(record.origination_date, record.disbursement_date, least(record.created_at::date, day.today)) as origination_date,
           coalesce(plan.first_due_date, record.first_payment_date) as first_payment_date,
           case
             when record.status = 'settled' then 'paid_off'
             when record.status <> 'transferred' then record.status
             when ${isChargedOff} then 'charged_off'
             else 'active'
           end as status,
           coalesce(moved.principal_balance, record.principal_balance) as current_principal_balance,
           coalesce(moved.accrued_interest, ${amountOn('accrued_interest')}, 0.00) as accrued_interest,
           coalesce(moved.outstanding_fees, record.outstanding_fees) as outstanding_fees,
           coalesce(moved.suspense_balance, record.suspense_balance) as suspense_balance,
           case when record.status = 'active' then record.oldest_unpaid_due_date end as next_due_date,
           record.last_payment_date,
           case when ${isChargedOff} then record.charged_off_at::date end as charge_off_date,
           case when ${isChargedOff}
             then coalesce(moved.charge_off_balance, record.charge_off_balance) end as charge_off_amount,
           case when ${isChargedOff} then record.charge_off_reason end as charge_off_reason,
           case when ${isChargedOff} then record.recovered_amount end as recovered_amount,
           coalesce(record.boarded_delinquency_date, record.first_delinquency_30_date) as first_delinquency_date,
           coalesce(reported.payment_history_profile, record.payment_history_profile) as payment_history_profile,
           record.times_delinquent_30, record.times_delinquent_60, record.times_delinquent_90,
           reported.reporting_period as credit_last_reported_date,
           reported.account_status as credit_account_status,
           portfolio.name as portfolio_code,
           coalesce(investor.external_id, investor.name) as investor_code,
           officer.email as officer_email, record.labels,
           record.paid_principal + record.paid_interest + record.paid_fees as paid_total,
           record.paid_principal, record.paid_interest, record.metadata
    from loans as record
    cross join day
    join borrowers as borrower on borrower.id = record.borrower_id
    join programs as program on program.id = record.program_id
    ${joinOutlook(DAY)}
    ${moved}
    left join portfolios as portfolio on portfolio.id = record.portfolio_id
      and portfolio.portfolio_type = 'static' and portfolio.status = 'active'
    left join users as officer on officer.id = record.loan_officer_id
    left join lateral (
      select ${knownParts} from addresses as record
      where record.borrower_id = borrower.id and not record.is_archived and ${isPartlyUnknown}
      order by record.is_primary desc, record.id limit 1
    ) as home on true
    left join lateral (
      select owner.external_id, owner.name
      from loan_assignments as owned join investors as owner on owner.id = owned.investor_id
      where owned.loan_id = record.id and owned.status = 'active' and owned.ownership_percentage = 1
      limit 1
    ) as investor on true
    left join lateral (
      select min(due_date) as first_due_date,
             (array_agg(payment_amount order by period_number desc))[1]
               > 2 * (array_agg(payment_amount order by period_number))[1] as has_balloon
      from installments where loan_id = record.id and version = 1
    ) as plan on true
    left join lateral (
      select reporting_period, account_status, payment_history_profile
      from credit_reporting_records
      where loan_id = record.id and status = 'reported'
      order by reporting_period desc, created_at desc limit 1
    ) as reported on true
    where record.id = any(${ids}) order by record.id`,
  co_borrowers: (ids) => sql.fragment`
    select loan.loan_number, ${borrowerKey('borrower')}, record.role, record.liable_from
    from co_borrowers as record join loans as loan on loan.id = record.loan_id
    join borrowers as borrower on borrower.id = record.borrower_id
    where record.loan_id = any(${ids}) and record.released_on is null
    order by record.loan_id, record.id`,
  autopay: (ids) => sql.fragment`
    select loan.loan_number, ${borrowerKey('borrower')}, record.*,
           record.payment_instrument_id as bank_account_id,
           record.backup_payment_instrument_id as backup_bank_account_id,
           consent.granted_at as authorized_at
    from autopay_plans as record join loans as loan on loan.id = record.loan_id
    join borrowers as borrower on borrower.id = record.borrower_id
    left join borrower_consents as consent on consent.id = record.consent_id
    where record.loan_id = any(${ids}) and record.status in ('active', 'paused')
    order by record.loan_id, record.id`,
  collateral: (ids) => sql.fragment`
    select loan.loan_number, record.id as collateral_id, record.*
    from collateral_items as record join loans as loan on loan.id = record.loan_id
    where record.loan_id = any(${ids}) and not record.is_archived order by record.loan_id, record.id`,
  liens: (ids) => sql.fragment`
    select record.*
    from liens as record join collateral_items as item on item.id = record.collateral_id
    where item.loan_id = any(${ids}) and not item.is_archived order by item.loan_id, record.id`,
  insurance: (ids) => sql.fragment`
    select record.id as collateral_id, record.insured_until
    from collateral_items as record
    where record.loan_id = any(${ids}) and not record.is_archived and record.insured_until is not null
    order by record.loan_id, record.id`,
  valuations: (ids) => sql.fragment`
    select record.*, trim_scale(record.confidence) as confidence
    from valuations as record join collateral_items as item on item.id = record.collateral_id
    where item.loan_id = any(${ids}) and not item.is_archived order by item.loan_id, record.id`,
  promises: (ids) => sql.fragment`
    select loan.loan_number, record.*
    from promises_to_pay as record join loans as loan on loan.id = record.loan_id
    where record.loan_id = any(${ids}) order by record.loan_id, record.id`,
  notes: (ids) => sql.fragment`
    select loan.loan_number, ${borrowerKey('borrower')}, ${noteColumns}
    from notes as record join loans as loan on loan.id = record.loan_id
    join borrowers as borrower on borrower.id = record.borrower_id
    left join users as author on author.id = record.author_id
    where record.loan_id = any(${ids}) order by record.loan_id, record.id`,
  history: (ids) => sql.fragment`
    select loan.loan_number, event.id as transaction_id, event.effective_date as date,
           case
             when event.kind = 'payment' and event.details ->> 'payment_type' = 'recovery' then 'recovery'
             when event.kind = 'fee' and event.details ->> 'fee_type' = 'late' then 'late_fee'
             when event.kind = 'reversal' then 'payment_reversal'
             else event.kind
           end as type,
           coalesce(event.details ->> 'amount', payment.amount::text) as amount,
           case when event.kind = 'payment' then payment.principal_applied end as principal,
           case when event.kind = 'payment' then payment.interest_applied end as interest,
           case when event.kind = 'payment' then payment.fees_applied end as fees,
           case event.kind when 'reversal' then reversed.id::text
             when 'fee_waiver' then (
               select charged.id::text from loan_events as charged
               where charged.loan_id = loan.id and charged.kind = 'fee'
                 and coalesce(charged.details ->> 'fee_id', charged.id::text) = event.details ->> 'fee_id'
               limit 1
             ) end as reverses,
           case when event.kind = 'rate_change' then event.details ->> 'interest_rate' end as rate,
           payment.notes as description
    from loan_events as event
    join loans as loan on loan.id = event.loan_id
    left join loan_events as reversed on reversed.reversed_by = event.id
    left join payments as payment on payment.id = coalesce(reversed.id, event.id)
    where event.loan_id = any(${ids})
      and event.kind in (
        'payment', 'disbursement', 'draw', 'fee', 'fee_waiver', 'rate_change', 'service_credit', 'charge_off', 'reversal'
      )
      and (event.kind <> 'reversal' or reversed.kind = 'payment')
    order by event.loan_id, event.effective_date, event.id`,
  events: (ids) => sql.fragment`
    select loan.loan_number, event.id as event_id, event.recorded_on, event.recorded_at,
           event.effective_date, event.kind, event.details as facts
    from loan_events as event join loans as loan on loan.id = event.loan_id
    where event.loan_id = any(${ids}) and event.kind <> 'servicing_transfer'
    order by event.loan_id, event.id`,
  schedules: (ids) => sql.fragment`
    select loan.loan_number, record.*
    from installments as record join loans as loan on loan.id = record.loan_id
    where record.loan_id = any(${ids}) and record.version = 1
    order by record.loan_id, record.period_number`,
  figures: (ids) => sql.fragment`
    with day as materialized (select app.business_date() as today)
    select record.loan_number, day.today as as_of_date,
           coalesce(moved.principal_balance, record.principal_balance) as principal,
           coalesce(moved.accrued_interest, ${amountOn('accrued_interest')}, 0.00) as interest,
           coalesce(moved.outstanding_fees, record.outstanding_fees) as fees,
           case when moved.id is null then ${daysPastDueOn(DAY)} end as days_past_due,
           case when moved.id is null then record.oldest_unpaid_due_date end as next_due_date,
           case when moved.id is null then ${amountOn('next_payment_amount')} end as next_payment_amount,
           case when moved.id is null then ${amountOn('payoff_amount')} end as payoff_amount,
           case when ${isChargedOff}
             then coalesce(moved.charge_off_balance, record.charge_off_balance) end as charged_off
    from loans as record cross join day
    ${joinOutlook(DAY)}
    ${moved}
    where record.id = any(${ids}) and record.status in ('active', 'charged_off', 'transferred')
    order by record.id`,
  documents: (ids) => sql.fragment`
    select loan.loan_number, ${borrowerKey('borrower')}, ${documentColumns}
    from documents as record join loans as loan on loan.id = record.loan_id
    join borrowers as borrower on borrower.id = coalesce(record.borrower_id, loan.borrower_id)
    where record.loan_id = any(${ids}) and ${isStored}
    order by record.loan_id, record.id`,
} satisfies Record<string, (ids: SqlFragment) => SqlFragment>;

/** The rows of a file that belong to these loans or borrowers. */
export const readRows = (
  tx: Transaction,
  query: (ids: SqlFragment, scope: BookScope) => SqlFragment,
  ids: readonly string[],
  scope: BookScope,
) => tx.any(sql.type(BookRow)`${query(sql.fragment`${sql.array([...ids], 'uuid')}`, scope)}`);
