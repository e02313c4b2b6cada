import { z } from 'zod';
import { borrowersWithStatus } from '../../cases/conditions.ts';
import { isInForce } from '../../cases/conditions.ts';
import { sql } from '../../database/db.ts';
import { conditionsOfLoans } from '../legal-conditions.ts';

/**
 * The person who owes the loan, in the form that the bureaus require. The social security number is not
 * part of it: only the writer of the file opens it.
 */
export const consumerJson = sql.fragment`jsonb_build_object(
  'surname', borrower.last_name, 'first_name', borrower.first_name,
  'middle_name', borrower.middle_name, 'generation_code', borrower.suffix,
  'date_of_birth', borrower.date_of_birth::text, 'phone', phone.phone_number,
  'street_line_1', address.street_line_1, 'street_line_2', address.street_line_2,
  'city', address.city, 'state', address.state, 'postal_code', address.postal_code,
  'country', address.country, 'address_indicator', address.address_indicator,
  'residence_code', address.residence_code
)`;

export const contactJoins = sql.fragment`
  left join lateral (
    select * from addresses
    where borrower_id = borrower.id and is_primary and not is_archived
    order by address_type = 'mailing' desc limit 1
  ) as address on true
  left join lateral (
    select phone_number from phones
    where borrower_id = borrower.id and is_primary and not is_archived limit 1
  ) as phone on true
`;

/**
 * The conditions in force for a person, from which the consumer information indicator (field 38) follows, each with the
 * petition of its case if it is a bankruptcy, and what the tenant decided about effects.
 */
export const LegalFacts = z.object({
  conditions: z.array(z.object({ condition: z.string(), petition_date: z.string().nullable() })),
  effects: z.record(z.string(), z.unknown()).nullable(),
});
export type LegalFacts = z.output<typeof LegalFacts>;

/** The legal facts of a person about a loan at the end of the month (aliases `borrower`, `loan`, `period`). */
export const legalFactsJson = sql.fragment`(
  select jsonb_build_object(
    'conditions', jsonb_agg(jsonb_build_object(
      'condition', held.condition,
      'petition_date', (
        select min(stay.from_date) from legal_conditions as stay
        where stay.case_id = held.case_id and stay.borrower_id = held.borrower_id
          and stay.condition like 'stay\\_%'
      )
    ) order by held.condition, held.case_id),
    'effects', (select tenant.settings #> '{cases,effects}' from tenants as tenant where tenant.id = loan.tenant_id)
  )
  from ${conditionsOfLoans} as held
  where held.loan_id = loan.id and held.borrower_id = borrower.id
    and ${isInForce(sql.fragment`held`, sql.fragment`period.month_end`)}
  having count(*) > 0
)`;

export const CoConsumer = z.object({
  borrower_id: z.string(),
  role: z.string(),
  /** Why the person was released by the end of the month; null if they still owed the loan then. */
  release_reason: z.string().nullable(),
  borrower_type: z.string(),
  is_deceased: z.boolean(),
  /** An earlier record that is queued or sent says that the person has died. */
  was_reported_deceased: z.boolean(),
  legal: LegalFacts.nullable(),
  consumer: z.record(z.string(), z.string().nullable()),
});
export type CoConsumer = z.output<typeof CoConsumer>;

/** Whether an earlier record reports the person's death (aliases `borrower`, `loan` and `period`). */
export const wasReportedDeceased = sql.fragment`(
  borrower.is_deceased and exists (
    select from credit_reporting_records as earlier
    where earlier.loan_id = loan.id and earlier.reporting_period < period.month_end
      and earlier.status in ('queued', 'reported')
      and (
        earlier.ecoa_code = 'X'
          and coalesce(earlier.consumer ->> 'borrower_id', loan.borrower_id::text) = borrower.id::text
        or earlier.co_consumers
          @> jsonb_build_array(jsonb_build_object('borrower_id', borrower.id, 'ecoa_code', 'X'))
      )
  )
)`;

/**
 * Co-borrowers at the end of the month (aliases `loan`, `period`), and released co-borrowers whom the last
 * record to be sent still names.
 */
export const coConsumersJson = sql.fragment`(
  select coalesce(jsonb_agg(jsonb_build_object(
           'borrower_id', borrower.id, 'role', beside.role,
           'release_reason', beside.release_reason, 'borrower_type', borrower.borrower_type,
           'is_deceased', borrower.is_deceased, 'was_reported_deceased', ${wasReportedDeceased},
           'legal', ${legalFactsJson},
           'consumer', ${consumerJson}
         ) order by borrower.id), '[]')
  from (
    select distinct on (borrower_id) borrower_id, role,
           case when released_on <= period.month_end then release_reason end as release_reason
    from co_borrowers
    where loan_id = loan.id and liable_from <= period.month_end
    order by borrower_id, released_on > period.month_end desc nulls first, released_on desc
  ) as beside
  join lateral ${borrowersWithStatus(sql.fragment`period.month_end`)} as borrower
    on borrower.id = beside.borrower_id
  ${contactJoins}
  where beside.release_reason is null
    or exists (
      select from (
        select co_consumers from credit_reporting_records
        where loan_id = loan.id and reporting_period < period.month_end and status <> 'suppressed'
        order by reporting_period desc, created_at desc limit 1
      ) as previous_report
      cross join jsonb_array_elements(previous_report.co_consumers) as named
      where named ->> 'borrower_id' = borrower.id::text and named ->> 'ecoa_code' not in ('T', 'Z')
    )
)`;
