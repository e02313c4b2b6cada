import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { borrowerStatus } from '../cases/conditions.ts';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { containsPattern, endPattern, table } from '../table.ts';
import { hasTrigram, isFoundBy, namePatterns, textOrNull } from './search.ts';

/**
 * Borrowers by name, email address, the last digits of a phone number or social security number, or the number of a loan.
 * The functions run as the owner, because row-level security keeps the tenant's role from using the indexes.
 */
function search(words: string, may: (fact: string) => boolean): SqlFragment {
  const isWord = !/\s/.test(words);
  if (!hasTrigram(words)) return beginning(words);
  const digits = /^[\d\s().+/-]+$/.test(words) ? words.replaceAll(/\D/g, '') : '';
  const phone = may('borrowers.phone') && digits.length >= LAST_DIGITS ? digits : null;
  const lastFour = may('borrowers.ssn_last_four') && /^\d{4}$/.test(words) ? words : null;
  const isNumber = may('loans.loan_number') && isWord && /\d/.test(words);
  const searches = [
    sql.fragment`app.search_borrowers(
      ${namePatterns(words)}, ${textOrNull(isWord ? containsPattern(words) : null)},
      ${textOrNull(phone)}, ${textOrNull(lastFour)}
    )`,
  ];
  if (isNumber) searches.push(sql.fragment`app.borrowers_with_loan(${endPattern(words)})`);
  return isFoundBy(searches);
}

/** Fewer digits are the end of too many numbers. */
const LAST_DIGITS = 4;

/**
 * One or two letters occur in nearly every name, so they are only matched at the beginning of a name, last
 * name or address.
 */
function beginning(words: string): SqlFragment {
  const swapped = words
    .split(/[\s,;]+/)
    .toReversed()
    .join(' ');
  const searches = [sql.fragment`app.borrowers_with_prefix(${words}, ${words})`];
  if (swapped !== words)
    searches.push(sql.fragment`app.borrowers_with_prefix(${swapped}, ${textOrNull(null)})`);
  return isFoundBy(searches);
}

export const borrowers = table({
  name: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_type, record.first_name, record.middle_name, record.last_name,
           record.suffix, record.date_of_birth, record.ssn_last_four, record.language_preference,
           record.preferred_channel, record.time_zone, record.do_not_contact,
           legal.cease_and_desist_date, record.email_enabled, record.sms_enabled,
           record.letter_enabled, record.marketing_enabled, legal.is_deceased,
           legal.bankruptcy_status, legal.military_status, record.external_id, record.metadata,
           email.email, phone.phone_number as phone, record.is_on_legal_hold,
           record.legal_hold_reason, record.redacted_at, record.redacted_by,
           record.is_archived, record.created_at, record.updated_at
    from borrowers as record
    left join emails as email
      on email.borrower_id = record.id and email.is_primary and not email.is_archived
    left join phones as phone
      on phone.borrower_id = record.id and phone.is_primary and not phone.is_archived
    cross join lateral ${borrowerStatus(
      sql.fragment`record.id`,
      sql.fragment`(select app.business_date())`,
    )} as legal
  `,
  own: [
    'id',
    'q',
    'status',
    'is_archived',
    'do_not_contact',
    'external_id',
    'first_name',
    'last_name',
    'borrower_type',
    'created_at',
    'updated_at',
  ],
  counted: ['is_archived'],
  searched: ['first_name', 'middle_name', 'last_name', 'email'],
  also_searched: ['borrowers.phone', 'borrowers.ssn_last_four', 'loans.loan_number'],
  search,
  filters: {
    status: {
      values: ['active', 'archived'],
      where: (values) => sql.fragment`
        case when row.is_archived then 'archived' else 'active' end = any(${sql.array(values, 'text')})
      `,
    },
  },
});

/**
 * Whether each borrower exists and may get a new loan. The lock keeps the borrower from being archived
 * until the transaction ends. Looked up one by one, because a plan made for a small table would scan it.
 */
export const lockIfUsable = batchByTransaction(async (tx, ids: readonly string[]) => {
  const wanted = sql.array([...ids], 'uuid');
  const usable = new Set(
    await tx.anyFirst(
      prepared(sql.typeAlias('id')`
        select locked.id
        from (select id from unnest(${wanted}) as given (id) order by id) as wanted
        cross join lateral (
          select id from borrowers where id = wanted.id and not is_archived for key share
        ) as locked
      `),
    ),
  );
  return ids.map((id) => usable.has(id));
});

/** Until the transaction ends, no other transaction can create a loan for the borrower. */
export const lockExclusively = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`select from borrowers where id = ${id} for update`);
