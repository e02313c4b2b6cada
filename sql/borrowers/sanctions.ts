import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const SUBJECT_TYPES = ['person', 'organization'] as const;
export const HIT_STATUSES = ['pending', 'cleared', 'confirmed'] as const;
export const DATE_OF_BIRTH_MATCHES = ['same', 'different', 'unknown'] as const;

export const sanctionsScreenings = table({
  name: 'sanctions_screenings',
  owner: 'borrowers',
  isConfidential: true,
  rows: sql.fragment`
    select record.id, record.borrower_id, record.subject_type, record.screened_name,
           record.date_of_birth, record.list_published_on, record.first_list_published_on,
           record.first_screened_at, record.screened_at, record.is_current, record.created_at,
           record.updated_at
    from sanctions_screenings as record
  `,
});

export const sanctionsHits = table({
  name: 'sanctions_hits',
  owner: 'borrowers',
  isConfidential: true,
  rows: sql.fragment`
    select record.id, record.borrower_id, record.screening_id, screening.screened_name,
           screening.date_of_birth, screening.is_current, record.entry_number, record.listed_name,
           record.score, record.date_of_birth_match, record.entry, record.list_published_on,
           exists (
             select from app.sanctions_names as listed
             where listed.entry_number = record.entry_number and listed.name = record.listed_name
           ) as is_listed,
           record.status, record.reviews, record.created_at,
           record.updated_at
    from sanctions_hits as record
    join sanctions_screenings as screening on screening.id = record.screening_id
  `,
});

/** The hash of all facts of a borrower that are screened (aliases `person` and `business`). */
const factsHash = sql.fragment`md5(jsonb_build_array(
  person.borrower_type, person.first_name, person.middle_name, person.last_name,
  person.date_of_birth, business.legal_name, business.dba_name, business.beneficial_owners
)::text)`;

const Facts = z.object({
  borrower_id: z.string(),
  borrower_type: z.string(),
  first_name: z.string(),
  middle_name: z.string().nullable(),
  last_name: z.string(),
  date_of_birth: z.string().nullable(),
  legal_name: z.string().nullable(),
  dba_name: z.string().nullable(),
  beneficial_owners: z.array(z.object({ first_name: z.string(), last_name: z.string() })),
  facts_hash: z.string(),
});
export type ScreenedFacts = z.output<typeof Facts>;

export const readScreenedFacts = (tx: Transaction, borrowerIds: readonly string[]) =>
  tx.any(sql.type(Facts)`
    select person.id as borrower_id, person.borrower_type, person.first_name, person.middle_name,
           person.last_name, person.date_of_birth, business.legal_name, business.dba_name,
           coalesce(business.beneficial_owners, '[]') as beneficial_owners,
           ${factsHash} as facts_hash
    from borrowers as person
    left join business_details as business on business.borrower_id = person.id
    where person.id = any(${sql.array([...borrowerIds], 'uuid')}) and person.redacted_at is null
    order by person.id
  `);

/** Borrowers after `after`, in order of their ids, who owe an open loan and were not screened against this list. */
export const findBorrowersToScreen = (
  tx: Transaction,
  listId: string,
  { after, limit }: { after: string; limit: number },
) =>
  tx.anyFirst(sql.typeAlias('id')`
    select person.id
    from borrowers as person
    left join business_details as business on business.borrower_id = person.id
    where person.id > ${after} and person.redacted_at is null
      and not exists (
        select from sanctions_screenings as screening
        where screening.borrower_id = person.id and screening.is_current
          and screening.list_id = ${listId} and screening.facts_hash = ${factsHash}
      )
      and (
        exists (
          select from loans as loan where loan.borrower_id = person.id and ${isOpen('loan')}
        )
        or exists (
          select from co_borrowers as party join loans as owed on owed.id = party.loan_id
          where party.borrower_id = person.id and party.released_on is null and ${isOpen('owed')}
        )
      )
    order by person.id limit ${limit}
  `);

const isOpen = (alias: 'loan' | 'owed') => {
  const its = (column: string) => sql.identifier([alias, column]);
  return sql.fragment`(
    ${its('status')} in ('pending', 'approved', 'active')
    or (${its('status')} = 'charged_off' and ${its('charge_off_balance')} > 0)
  )`;
};

const Previous = z.object({
  borrower_id: z.string(),
  subject_key: z.string(),
  list_id: z.string(),
});

/** The earlier screenings of these borrowers, with a version of the list that is still known. */
export const readPreviousScreenings = (tx: Transaction, borrowerIds: readonly string[]) =>
  tx.any(sql.type(Previous)`
    select borrower_id, subject_key, list_id from sanctions_screenings
    where borrower_id = any(${sql.array([...borrowerIds], 'uuid')})
      and list_id in (select id from app.sanctions_lists)
    order by borrower_id, id for no key update
  `);

export type Screening = {
  borrower_id: string;
  subject_key: string;
  subject_type: string;
  screened_name: string;
  date_of_birth: string | null;
  facts_hash: string;
};
type ListOfScreening = { id: string; published_on: string };

const Written = z.object({ id: z.string(), borrower_id: z.string(), subject_key: z.string() });

/** Records the screenings. Names that the borrowers no longer have are marked as not current. */
export async function writeScreenings(
  tx: Transaction,
  screenings: readonly Screening[],
  { id, published_on }: ListOfScreening,
) {
  const given = JSON.stringify(screenings);
  const written = await tx.any(sql.type(Written)`
    insert into sanctions_screenings
      (borrower_id, subject_key, subject_type, screened_name, date_of_birth, facts_hash, list_id,
       list_published_on, first_list_published_on)
    select borrower_id, subject_key, subject_type, screened_name, date_of_birth, facts_hash, ${id},
           ${published_on}, ${published_on}
    from jsonb_populate_recordset(null::sanctions_screenings, ${given}::jsonb)
    order by borrower_id, subject_key
    on conflict on constraint sanctions_screenings_subject do update
    set facts_hash = excluded.facts_hash, list_id = excluded.list_id,
        list_published_on = excluded.list_published_on, screened_at = now(), is_current = true
    returning id, borrower_id, subject_key
  `);
  await tx.query(sql.typeAlias('void')`
    update sanctions_screenings set is_current = false
    where borrower_id = any(${sql.array([...new Set(screenings.map((one) => one.borrower_id))], 'uuid')})
      and is_current and id <> all(${sql.array(
        written.map((one) => one.id),
        'uuid',
      )})
  `);
  return written;
}

export type NewHit = {
  borrower_id: string;
  screening_id: string;
  entry_number: number;
  listed_name: string;
  score: string;
  date_of_birth_match: string;
  entry: Record<string, unknown>;
  list_published_on: string;
};

/** Adds possible matches. One that is known, whatever its review, stays as it is. */
export const insertHits = (tx: Transaction, hits: readonly NewHit[]) =>
  tx.any(sql.type(z.object({ borrower_id: z.string() }))`
    insert into sanctions_hits
      (borrower_id, screening_id, entry_number, listed_name, score, date_of_birth_match, entry,
       list_published_on)
    select borrower_id, screening_id, entry_number, listed_name, score, date_of_birth_match, entry,
           list_published_on
    from jsonb_populate_recordset(null::sanctions_hits, ${JSON.stringify(hits)}::jsonb)
    on conflict on constraint sanctions_hits_once do nothing
    returning borrower_id
  `);

const Standing = z.object({
  borrower_id: z.string(),
  is_screened: z.boolean(),
  pending: z.int(),
  confirmed: z.int(),
});
export type ScreeningStanding = z.output<typeof Standing>;

/**
 * What the screenings of these borrowers found: whether their present names were compared with this list, and
 * the possible matches that are not cleared.
 */
export const readStandings = (
  tx: Transaction,
  borrowerIds: readonly string[],
  listId: string | null,
) =>
  tx.any(sql.type(Standing)`
    select person.id as borrower_id,
           exists (
             select from sanctions_screenings as screening
             where screening.borrower_id = person.id and screening.is_current
               and screening.list_id = ${listId} and screening.facts_hash = ${factsHash}
           ) as is_screened,
           (${countHits('pending')}) as pending, (${countHits('confirmed')}) as confirmed
    from borrowers as person
    left join business_details as business on business.borrower_id = person.id
    where person.id = any(${sql.array([...borrowerIds], 'uuid')})
    order by person.id
  `);

/** Also of earlier screenings: only a person ends a hit, not a changed name or date of birth. */
const countHits = (status: 'pending' | 'confirmed') => sql.fragment`
  select count(*)::integer from sanctions_hits as hit
  where hit.borrower_id = person.id and hit.status = ${status}
`;

export type Review = {
  status: 'cleared' | 'confirmed';
  reviewed_by: string | null;
  reason: string;
};

export const markReviewed = (
  tx: Transaction,
  id: string,
  { status, reviewed_by, reason }: Review,
) =>
  tx.query(sql.typeAlias('void')`
    update sanctions_hits
    set status = ${status}, reviews = reviews || jsonb_build_object(
      'status', ${status}::text, 'reviewed_by', ${reviewed_by}::uuid, 'reviewed_at', now(),
      'reason', ${reason}::text)
    where id = ${id}
  `);

/** Whether a possible match of the borrower waits for review. */
export const hasHits = (tx: Transaction, borrowerId: string, status: 'pending' | 'confirmed') =>
  tx.exists(sql.typeAlias('void')`
    select from sanctions_hits as hit
    join sanctions_screenings as screening on screening.id = hit.screening_id
    where hit.borrower_id = ${borrowerId} and hit.status = ${status} and screening.is_current
  `);
