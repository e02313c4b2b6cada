import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { isRepresentingNow } from '../borrowers/legal-reps.ts';
import { isInForce } from '../cases/conditions.ts';
import { sql } from '../database/db.ts';
import { envelopeLines } from './envelope-lines.ts';

const TODAY = sql.fragment`app.business_date()`;

/** Whether the person has died. */
const isDead = (borrowerId: SqlFragment) => sql.fragment`exists (
  select from legal_conditions as death
  where death.borrower_id = ${borrowerId} and death.condition = 'deceased'
    and ${isInForce(sql.fragment`death`, TODAY)}
)`;

/**
 * The representative of the estate of a person who died, with a postal address: the one whom the case names, otherwise an
 * executor. No row while there is none.
 */
export const estateOf = (borrowerId: SqlFragment) => sql.fragment`
  select rep.first_name || ' ' || rep.last_name as name, ${envelopeLines} as lines, rep.postal_code,
         rep.country
  from legal_conditions as death
  cross join lateral (
    select facts ->> 'representative_id' as representative_id from case_facts
    where case_id = death.case_id order by version desc limit 1
  ) as said
  join legal_reps as rep on rep.borrower_id = death.borrower_id and ${isRepresentingNow}
    and rep.street_line_1 is not null and rep.city is not null
    and (rep.id::text = said.representative_id or rep.representative_type = 'executor')
  where death.borrower_id = ${borrowerId} and death.condition = 'deceased'
    and ${isInForce(sql.fragment`death`, TODAY)}
  order by rep.id::text = said.representative_id desc nulls last, rep.id limit 1`;

/**
 * Who gets the statement of a loan (`loan`): its borrower, or after the borrower's death a living co-borrower, if there is
 * one.
 */
export const addresseeOf = (loan: SqlFragment) => sql.fragment`(
  case when ${isDead(sql.fragment`${loan}.borrower_id`)} then coalesce(
    (
      select party.borrower_id from co_borrowers as party
      where party.loan_id = ${loan}.id and party.role = 'co_borrower' and party.released_on is null
        and not ${isDead(sql.fragment`party.borrower_id`)}
      order by party.liable_from, party.id limit 1
    ),
    ${loan}.borrower_id
  ) else ${loan}.borrower_id end
)`;
