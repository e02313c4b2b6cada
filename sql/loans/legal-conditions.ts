import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { isInForce } from '../cases/conditions.ts';
import { sql, type Transaction } from '../database/db.ts';
import { liableParties } from './co-borrowers.ts';

/** Everyone who owes or owed a loan, and since when. A person entered in error never owed it. */
const everLiable = sql.fragment`(
  select id as loan_id, borrower_id, 'borrower' as role, '-infinity'::date as liable_from,
         'infinity'::date as released_on
  from loans
  union all
  select loan_id, borrower_id, role, liable_from, coalesce(released_on, 'infinity'::date)
  from co_borrowers where release_reason is distinct from 'entered_in_error'
)`;

/** The first day, and the first day after, on which `party` owes the debt of `liable` under the condition. */
const daysOf = (liable: 'party' | 'debtor') => {
  const from = sql.identifier([liable, 'liable_from']);
  const released = sql.identifier([liable, 'released_on']);
  return {
    from: sql.fragment`greatest(condition.from_date, party.liable_from, ${from})`,
    until: sql.fragment`least(coalesce(condition.until_date, 'infinity'), party.released_on, ${released})`,
    since: from,
  };
};

/** The conditions that concern the debt of `liable`, on the days on which `party` owes it. */
const concerningDebtOf = (liable: 'party' | 'debtor') => {
  const { from, until, since } = daysOf(liable);
  return sql.fragment`
    coalesce(condition.loan_id, party.loan_id) = party.loan_id
    and party.loan_id <> all(condition.except_loan_ids)
    and (condition.incurred_through is null or greatest(
      coalesce(loan.origination_date, loan.disbursement_date, loan.created_at::date), ${since}
    ) <= condition.incurred_through)
    and ${from} < ${until}`;
};

const heldColumns = (liable: 'party' | 'debtor') => sql.fragment`
  party.loan_id, party.borrower_id, party.role, condition.case_id, condition.condition,
  ${daysOf(liable).from} as from_date, nullif(${daysOf(liable).until}, 'infinity'::date) as until_date`;

/**
 * The legal conditions of the people who owe a loan, past and future ones included: one row per loan, person, case and
 * condition, on the days on which the person owes or owed it. A petition of one person also protects the others
 * (`codebtor_stay`): its rows name those others, individuals who owe a consumer debt (11 USC 1201(a) and 1301(a)). Filter
 * by `loan_id` or `borrower_id`.
 */
export const conditionsOfLoans = sql.fragment`(
  select ${heldColumns('party')}
  from ${everLiable} as party
  join legal_conditions as condition on condition.borrower_id = party.borrower_id
    and condition.condition <> 'codebtor_stay'
  join loans as loan on loan.id = party.loan_id
  where ${concerningDebtOf('party')}
  union all
  select ${heldColumns('debtor')}
  from ${everLiable} as party
  join ${everLiable} as debtor
    on debtor.loan_id = party.loan_id and debtor.borrower_id <> party.borrower_id
  join legal_conditions as condition on condition.borrower_id = debtor.borrower_id
    and condition.condition = 'codebtor_stay'
  join loans as loan on loan.id = party.loan_id
  where ${concerningDebtOf('debtor')}
    and not exists (
      select from borrowers where id in (loan.borrower_id, party.borrower_id) and borrower_type = 'business'
    )
)`;

/**
 * The conditions in force today for a person, as an array of text: of a loan that the person owes today, those of the
 * loan; without such a loan, those that concern all loans.
 */
export const conditionsOfPerson = (
  borrowerId: SqlFragment,
  loanId: SqlFragment,
) => sql.fragment`array(
  select held.condition from ${conditionsOfLoans} as held
  where held.loan_id = ${loanId} and held.borrower_id = ${borrowerId}
    and ${isInForce(sql.fragment`held`, sql.fragment`app.business_date()`)}
  union
  select condition.condition from legal_conditions as condition
  where condition.borrower_id = ${borrowerId} and condition.loan_id is null
    and condition.condition <> 'codebtor_stay'
    and ${isInForce(sql.fragment`condition`, sql.fragment`app.business_date()`)}
    and not exists (
      select from ${everLiable} as party
      where party.loan_id = ${loanId} and party.borrower_id = ${borrowerId}
        and party.liable_from <= app.business_date() and party.released_on > app.business_date()
    )
)`;

/** The conditions of a loan, with what the tenant decided about their effects (the setting `cases.effects`). */
export const LegalConditions = z.object({
  periods: z.array(
    z.object({ condition: z.string(), from: z.string(), until: z.string().nullable() }),
  ),
  effects: z.record(z.string(), z.unknown()).nullable(),
});
export type LegalConditions = z.output<typeof LegalConditions>;

/** Whether a condition changes how the person is asked to pay: a demand to stop does so for its author only. */
const concernsBillsTo = (recipient: SqlFragment) =>
  sql.fragment`(held.condition <> 'cease_and_desist' or held.borrower_id = ${recipient})`;

const borrowed = sql.fragment`held.role in ('borrower', 'co_borrower')`;

/** The conditions of a loan for one person, as JSON. Null if there are none. */
export const personConditionsJson = (loanId: SqlFragment, borrowerId: SqlFragment) =>
  conditionsJson(loanId, sql.fragment`held.borrower_id = ${borrowerId}`);

/** The conditions of a loan from which the form of a statement to the person follows, as JSON. Null if there are none. */
export const statementConditionsJson = (loanId: SqlFragment, recipient: SqlFragment) =>
  conditionsJson(loanId, sql.fragment`${borrowed} and ${concernsBillsTo(recipient)}`);

/**
 * The conditions of a loan for the people who borrowed, as JSON. Null if there are none. A guarantor's bankruptcy does not
 * change the loan.
 */
export const legalConditionsJson = (loanId: SqlFragment) => conditionsJson(loanId, borrowed);

const conditionsJson = (loanId: SqlFragment, isCounted: SqlFragment) => sql.fragment`(
  select jsonb_build_object(
    'periods', jsonb_agg(
      jsonb_build_object('condition', held.condition, 'from', held.from_date, 'until', held.until_date)
      order by held.from_date, held.condition
    ),
    'effects', (select tenant.settings #> '{cases,effects}' from tenants as tenant where tenant.id = app.current_tenant())
  )
  from ${conditionsOfLoans} as held
  where held.loan_id = ${loanId}
    and ${isCounted}
  having count(*) > 0
)`;

/** The same, of one loan. */
export const readLegalConditions = (tx: Transaction, loanId: string) =>
  tx.oneFirst(
    sql.type(z.object({ legal: LegalConditions.nullable() }))`
      select ${legalConditionsJson(sql.fragment`${loanId}::uuid`)} as legal
    `,
  );

const Acceleration = z.object({ loan_number: z.string(), day: z.string() });

/** The day on which the loan was accelerated, if it still is. */
export const findAcceleration = (tx: Transaction, loanId: string) =>
  tx.maybeOne(sql.type(Acceleration)`
    select loan.loan_number, min(event.effective_date) as day
    from loans as loan join loan_events as event on event.loan_id = loan.id
    where loan.id = ${loanId} and event.kind = 'acceleration' and event.reversed_by is null
    group by loan.loan_number
  `);

const Known = z.object({
  borrower_ids: z.array(z.string()),
  loan_ids: z.array(z.string()),
  representative_ids: z.array(z.string()),
});

/** Which of these people exist, which of these loans they owe, and which of these representatives are theirs. */
export const findKnownRecords = (
  tx: Transaction,
  people: readonly string[],
  { loan_ids, representative_ids }: Record<'loan_ids' | 'representative_ids', readonly string[]>,
) =>
  tx.one(sql.type(Known)`
    select array(
             select id::text from borrowers
             where id = any(${sql.array([...people], 'uuid')}) and redacted_at is null
           ) as borrower_ids,
           array(
             select party.loan_id::text from ${liableParties} as party
             where party.loan_id = any(${sql.array([...loan_ids], 'uuid')})
               and party.borrower_id = any(${sql.array([...people], 'uuid')})
           ) as loan_ids,
           array(
             select id::text from legal_reps
             where id = any(${sql.array([...representative_ids], 'uuid')})
               and borrower_id = any(${sql.array([...people], 'uuid')})
           ) as representative_ids
  `);

const InForce = z.object({ loan_id: z.string(), condition: z.string() });

/** The conditions of loans on a day, for those who borrowed; with a recipient, those that change bills to that person. */
export const listConditionsInForce = (
  tx: Transaction,
  loanIds: readonly string[],
  day: string,
  recipient: string | null = null,
) =>
  tx.any(sql.type(InForce)`
    select wanted.id as loan_id, held.condition
    from unnest(${sql.array([...loanIds], 'uuid')}) as wanted (id)
    cross join lateral (
      select held.condition from ${conditionsOfLoans} as held
      where held.loan_id = wanted.id and ${borrowed}
        and ${isInForce(sql.fragment`held`, sql.fragment`${day}::date`)}
        and (${recipient}::uuid is null or ${concernsBillsTo(sql.fragment`${recipient}::uuid`)})
    ) as held
  `);

type LegalStanding = {
  id: string;
  sub_status: string | null;
  is_acceleration_forbidden: boolean;
};

/** Sets what loans show of their conditions where it differs. */
export const saveLegalStandings = (tx: Transaction, loans: readonly LegalStanding[]) =>
  tx.query(sql.typeAlias('void')`
    update loans as loan
    set sub_status = wanted.sub_status,
        is_acceleration_forbidden = wanted.is_acceleration_forbidden
    from jsonb_to_recordset(${JSON.stringify(loans)}::jsonb)
      as wanted (id uuid, sub_status text, is_acceleration_forbidden boolean)
    where loan.id = wanted.id
      and (loan.sub_status, loan.is_acceleration_forbidden)
        is distinct from (wanted.sub_status, wanted.is_acceleration_forbidden)
  `);

/** The next loans, by id, of people with legal conditions, past ones included. */
export const listLoansWithConditions = (tx: Transaction, after: string, limit: number) =>
  tx.anyFirst(sql.type(z.object({ loan_id: z.string() }))`
    select distinct party.loan_id
    from (select distinct borrower_id from legal_conditions) as person
    join ${liableParties} as party on party.borrower_id = person.borrower_id
    where party.loan_id > ${after}
    order by party.loan_id limit ${limit}
  `);

/** Finds conditions that begin or end on a day. */
export const conditionsTurningOn = (day: string) => sql.fragment`
  select from legal_conditions where from_date = ${day}::date or until_date = ${day}::date`;

/** The loans of people whose conditions begin or end on a day. */
export const loansWithTurningConditions = async (tx: Transaction, day: string) =>
  tx.anyFirst(sql.type(z.object({ loan_id: z.string() }))`
    select distinct party.loan_id
    from legal_conditions as condition
    join ${liableParties} as party on party.borrower_id = condition.borrower_id
    where condition.from_date = ${day}::date or condition.until_date = ${day}::date
  `);
