import { z } from 'zod';
import { MILITARY_DATABASES, MILITARY_RESULTS } from '../../borrowers/military-reports.ts';
import { isInForce } from '../../cases/conditions.ts';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { LIABLE_ROLES, liableParties } from '../co-borrowers.ts';
import { conditionsOfLoans } from '../legal-conditions.ts';
import { joinOutlookRow } from '../outlook.ts';

const Report = z.object({
  database: z.enum(MILITARY_DATABASES),
  result: z.enum(MILITARY_RESULTS),
  status_date: z.string(),
  active_duty_from: z.string().nullable(),
  active_duty_until: z.string().nullable(),
});
export type MilitaryReport = z.output<typeof Report>;

/** A person who owes the loan, with the evidence that is kept about them. */
const Obligor = z.object({
  borrower_id: z.string(),
  role: z.enum(LIABLE_ROLES),
  borrower_type: z.string(),
  date_of_birth: z.string().nullable(),
  is_archived: z.boolean(),
  /** The person prefers letters or switched off emails. */
  receives_paper: z.boolean(),
  identities: z.array(z.object({ status: z.string(), expires: z.string().nullable() })),
  esign_consents: z.array(z.object({ is_in_force: z.boolean() })),
  military_reports: z.array(Report),
  /** The legal conditions from cases that apply to this loan today. */
  conditions: z.array(z.string()),
  /** The periods of active duty from cases. The last day is excluded. */
  duty_periods: z.array(z.object({ from: z.string(), until: z.string().nullable() })),
});
export type Obligor = z.output<typeof Obligor>;

const Facts = z.object({
  principal_amount: z.string(),
  interest_rate: z.string(),
  current_rate: z.string(),
  term_months: z.int(),
  is_funded: z.boolean(),
  disbursement_date: z.string().nullable(),
  applied_on: z.string(),
  min_amount: z.string().nullable(),
  max_amount: z.string().nullable(),
  min_rate: z.string().nullable(),
  max_rate: z.string().nullable(),
  min_term_months: z.int().nullable(),
  max_term_months: z.int().nullable(),
  state: z.string().nullable(),
  jurisdictions: z.array(z.string()),
  compliance_checks: z.array(z.string()),
  has_twin: z.boolean(),
});

/** Includes the rates that would be disclosed today, if they can be computed. */
export type LoanFacts = z.output<typeof Facts> & {
  disclosed_apr: string | null;
  /** The military APR, which includes additional charges (Military Lending Act). */
  mapr: string | null;
  /** The borrower first. */
  obligors: readonly Obligor[];
};

export const readComplianceFacts = (tx: Transaction, loanId: string) =>
  tx.one(
    prepared(sql.type(Facts)`
    select loan.principal_amount, loan.interest_rate, coalesce(ahead.current_rate, 0) as current_rate,
           coalesce(loan.original_term_months, loan.term_months) as term_months,
           loan.status in ('active', 'charged_off') as is_funded, loan.disbursement_date,
           -- The clock can be ahead of the business date.
           least(
             (loan.created_at at time zone tenant.time_zone)::date,
             coalesce(loan.approved_on, today.day)
           ) as applied_on,
           product.min_amount, product.max_amount, product.min_rate, product.max_rate,
           product.min_term_months, product.max_term_months, address.state, program.jurisdictions,
           program.compliance_checks,
           loan.status in ('pending', 'approved') and exists (
             select from loans as other
             where other.borrower_id = loan.borrower_id and other.id <> loan.id
               and other.status in ('pending', 'approved')
               and other.principal_amount = loan.principal_amount
           ) as has_twin
    from loans as loan
    join tenants as tenant on tenant.id = app.current_tenant()
    cross join (select app.business_date() as day offset 0) as today
    ${joinOutlookRow(sql.fragment`today.day`, { loan: 'loan' })}
    join programs as program on program.id = loan.program_id
    join products as product on product.id = loan.product_id
    left join addresses as address
      on address.borrower_id = loan.borrower_id and address.is_primary and not address.is_archived
      and address.address_type = 'mailing'
    where loan.id = ${loanId}
  `),
  );

/** The people who owe the loan now, the borrower first. */
export const readObligors = (tx: Transaction, loanId: string) =>
  tx.any(
    prepared(sql.type(Obligor)`
    select person.id as borrower_id, party.role, person.borrower_type, person.date_of_birth,
           person.is_archived,
           person.preferred_channel is not distinct from 'letter' or not person.email_enabled
             as receives_paper,
           (
             select coalesce(jsonb_agg(jsonb_build_object(
               'status', verification_status, 'expires', expiration_date)), '[]')
             from borrower_identities where borrower_id = person.id and not is_archived
           ) as identities,
           (
             select coalesce(jsonb_agg(jsonb_build_object(
               'is_in_force', revoked_at is null and (expires_at is null or expires_at > now()))), '[]')
             from borrower_consents where borrower_id = person.id and consent_type = 'esign'
           ) as esign_consents,
           (
             select coalesce(jsonb_agg(to_jsonb(report) order by status_date, id), '[]')
             from military_reports as report where borrower_id = person.id and not is_archived
           ) as military_reports,
           array(
             select held.condition from ${conditionsOfLoans} as held
             where held.loan_id = party.loan_id and held.borrower_id = person.id
               and ${isInForce(sql.fragment`held`, sql.fragment`app.business_date()`)}
             order by held.condition
           ) as conditions,
           (
             select coalesce(jsonb_agg(distinct jsonb_build_object(
               'from', from_date, 'until', until_date)), '[]')
             from legal_conditions
             where borrower_id = person.id and condition = 'active_duty'
           ) as duty_periods
    from ${liableParties} as party
    join borrowers as person on person.id = party.borrower_id
    where party.loan_id = ${loanId}
    order by party.role <> 'borrower', person.id
  `),
  );
