import { z } from 'zod';
import { isRepresentingNow } from '../borrowers/legal-reps.ts';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { liableParties } from '../loans/co-borrowers.ts';
import { conditionsOfPerson } from '../loans/legal-conditions.ts';
import { loans } from '../loans/loans.ts';
import { DOMAIN_ORDER } from '../tenants.ts';
import { groupByQuestion, flattenQuestions } from './batched-questions.ts';
import { CHANNELS } from './channels.ts';
import { estateOf } from './estates.ts';
import { envelopeLines } from './envelope-lines.ts';
import { isOptedOut } from './opt-outs.ts';

const Recipient = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  language_preference: z.string(),
  preferred_channel: z.enum(CHANNELS).nullable(),
  time_zone: z.string().nullable(),
  do_not_contact: z.boolean(),
  /** The legal conditions in force for the person: those of the message's loan, or those of all loans. */
  conditions: z.array(z.string()),
  is_archived: z.boolean(),
  email_enabled: z.boolean(),
  sms_enabled: z.boolean(),
  letter_enabled: z.boolean(),
  email: z.string().nullable(),
  email_status: z.string().nullable(),
  phone: z.string().nullable(),
  phone_status: z.string().nullable(),
  phone_time_zone: z.string().nullable(),
  /** The holder has opted out, perhaps before the address belonged to this borrower. */
  email_is_stopped: z.boolean(),
  phone_is_stopped: z.boolean(),
  address_lines: z.array(z.string()).nullable(),
  postal_code: z.string().nullable(),
  country: z.string().nullable(),
  /** Who represents the estate of a borrower who died. The address above is then theirs. */
  estate_representative: z.string().nullable(),
  address_is_returned: z.boolean().nullable(),
  /** A representative must be contacted instead of the borrower. */
  is_represented: z.boolean(),
  /** A trustee in bankruptcy represents the borrower. */
  has_trustee: z.boolean(),
  /** All consents ever given for the email and phone above, and those still in force. */
  consents_given: z.array(z.string()),
  consents_in_force: z.array(z.string()),
  /** Collection contacts are paused while a hardship application is reviewed. */
  has_hardship: z.boolean(),
});
export type Recipient = z.output<typeof Recipient>;

/**
 * The address for letters to the borrower. An address from which mail was returned is used only if there is
 * no other.
 */
export const addressLines = sql.fragment`
  select ${envelopeLines} as lines, postal_code, country,
         address_indicator is not distinct from 'U' as is_returned
  from addresses
  where borrower_id = borrower.id and not is_archived and address_type <> 'previous'
  order by is_returned, address_type <> 'mailing', is_primary desc, created_at limit 1
`;

/** The phone number for texts to the borrower. */
export const smsPhone = (borrower: string) => sql.fragment`
  select phone_number, status, time_zone from phones
  where borrower_id = ${sql.identifier([borrower, 'id'])} and can_sms and not is_archived
  order by is_primary desc, created_at limit 1
`;

type Fragment = ReturnType<typeof sql.fragment>;

const isContactPaused = (condition: Fragment) => sql.fragment`exists (
  select from hardship_applications as application
  where ${condition} and application.contacts_paused_until >= app.business_date()
)`;

/**
 * A single id has its own statement text, because with a list Postgres plans again each time, which takes
 * longer than reading.
 */
export const matchesIds = (column: Fragment, ids: readonly string[]) =>
  ids.length === 1
    ? sql.fragment`${column} = ${ids[0] ?? null}::uuid`
    : sql.fragment`${column} = any(${sql.array(ids, 'uuid')})`;

/** The borrowers with their primary email, phone and mailing address, after their death that of their estate. */
const selectRecipients = (loanId: Fragment) => sql.fragment`
    select borrower.id, borrower.first_name, borrower.last_name, borrower.language_preference,
           borrower.preferred_channel, borrower.time_zone, borrower.do_not_contact,
           borrower.is_archived,
           ${conditionsOfPerson(sql.fragment`borrower.id`, loanId)} as conditions,
           borrower.email_enabled, borrower.sms_enabled, borrower.letter_enabled,
           email.email, email.status as email_status,
           phone.phone_number as phone, phone.status as phone_status,
           phone.time_zone as phone_time_zone,
           ${isOptedOut('email', sql.fragment`email.email`)} as email_is_stopped,
           ${isOptedOut('sms', sql.fragment`phone.phone_number`)} as phone_is_stopped,
           coalesce(estate.lines, address.lines) as address_lines,
           case when estate.name is null then address.postal_code else estate.postal_code end as postal_code,
           case when estate.name is null then address.country else estate.country end as country,
           estate.name as estate_representative,
           address.is_returned and estate.name is null as address_is_returned,
           represented.is_represented, represented.has_trustee,
           consent.given as consents_given, consent.in_force as consents_in_force,
           (${isContactPaused(sql.fragment`application.borrower_id = borrower.id`)}
             or ${isContactPaused(sql.fragment`application.loan_id = ${loanId}`)}
           ) as has_hardship
    from borrowers as borrower
    left join emails as email
      on email.borrower_id = borrower.id and email.is_primary and not email.is_archived
    left join lateral (${smsPhone('borrower')}) as phone on true
    left join lateral (${addressLines}) as address on true
    left join lateral (${estateOf(sql.fragment`borrower.id`)}) as estate on true
    cross join lateral (
      select coalesce(bool_or(contact_through_representative), false) as is_represented,
             coalesce(bool_or(representative_type = 'bankruptcy_trustee'), false) as has_trustee
      from legal_reps as rep where rep.borrower_id = borrower.id and ${isRepresentingNow}
    ) as represented
    cross join lateral (
      select coalesce(array_agg(consent_type), '{}') as given,
             coalesce(array_agg(consent_type) filter (
               where revoked_at is null and (expires_at is null or expires_at > now())
             ), '{}') as in_force
      from borrower_consents
      where borrower_id = borrower.id
        and (contact_value is null or contact_value in (email.email, phone.phone_number))
    ) as consent
`;

type RecipientsQuestion = { ids: readonly string[]; loan_id: string | null };

/**
 * The borrowers with these ids. A hardship application under review for the loan applies to all borrowers
 * who owe it. Concurrent calls share one statement.
 */
export const findRecipients = (
  tx: Transaction,
  ids: readonly string[],
  loan_id: string | null = null,
) => findRecipientsBatched(tx, { ids, loan_id });

const findRecipientsBatched = batchByTransaction(
  async (tx, asked: readonly RecipientsQuestion[]): Promise<readonly Recipient[][]> => {
    const [only] = asked;
    if (!only) return [];
    if (asked.length > 1) return groupByQuestion(asked, await tx.any(selectForEach(asked)));
    const { ids, loan_id } = only;
    const query = sql.type(Recipient)`
    ${selectRecipients(sql.fragment`${loan_id}::uuid`)} where ${matchesIds(sql.fragment`borrower.id`, ids)}
  `;
    return [[...(await tx.any(prepared(query)))]];
  },
);

/** The lateral join looks each borrower up by its key, whatever row count the planner expects. */
const selectForEach = (asked: readonly RecipientsQuestion[]) =>
  prepared(sql.type(Recipient.extend({ place: z.int() }))`
    select asked.place, found.*
    from jsonb_to_recordset(${JSON.stringify(flattenQuestions(asked))}::jsonb)
      as asked (place integer, borrower_id uuid, loan_id uuid)
    cross join lateral (
      ${selectRecipients(sql.fragment`asked.loan_id`)} where borrower.id = asked.borrower_id limit 1
    ) as found
  `);

/**
 * The single active loan of each borrower: the only one as primary borrower; if there is none, the only one
 * as co-borrower or guarantor.
 */
const soleLoans = (ids: readonly string[]) => sql.fragment`
  select party.borrower_id,
         case
           when count(*) filter (where party.role = 'borrower') = 1
             then min(loan.id::text) filter (where party.role = 'borrower')
           when count(*) = 1 then min(loan.id::text)
         end::uuid as loan_id
  from ${liableParties} as party join loans as loan on loan.id = party.loan_id
  where party.borrower_id = any(${sql.array([...ids], 'uuid')})
    and loan.status = 'active' and not loan.is_archived
  group by party.borrower_id
`;

/** The loan meant by a message that names no loan. */
export const findOnlyLoan = (tx: Transaction, borrowerId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ loan_id: z.string().nullable() }))`
    select loan_id from (${soleLoans([borrowerId])}) as sole
  `);

/** Borrowers for whom no single loan can be chosen, because they have several active loans. */
export const findWithSeveralLoans = (tx: Transaction, ids: readonly string[]) =>
  tx.anyFirst(sql.type(z.object({ borrower_id: z.string() }))`
    select borrower_id from (${soleLoans(ids)}) as sole where loan_id is null
  `);

/** These columns of `row` as a JSON object of texts. */
export const selectAsText = (columns: readonly string[]) => {
  const pairs = columns.map(
    (name) => sql.fragment`${name}::text, row.${sql.identifier([name])}::text`,
  );
  return sql.fragment`jsonb_build_object(${sql.join(pairs, sql.fragment`, `)})`;
};

const OnlyLoan = z.object({
  borrower_id: z.string(),
  values: z.record(z.string(), z.string().nullable()),
});

/** These columns of each borrower's single active loan, as text. */
export const findOnlyLoans = (
  tx: Transaction,
  ids: readonly string[],
  columns: readonly string[],
) =>
  tx.any(sql.type(OnlyLoan)`
    select sole.borrower_id, ${selectAsText(columns)} as values
    from (${soleLoans(ids)}) as sole
    join (${loans.rows}) as row on row.id = sole.loan_id
  `);

export const FIRST_DOMAIN = sql.fragment`select domain from tenant_domains order by ${DOMAIN_ORDER} limit 1`;

export const findLoanNumber = (tx: Transaction, loanId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ loan_number: z.string() }))`
    select loan_number from loans where id = ${loanId}
  `);

/** Locks the borrowers in the order of their ids, so that concurrent batches cannot deadlock. */
export const lockBorrowers = (tx: Transaction, ids: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    select from borrowers where id = any(${sql.array(ids, 'uuid')}) order by id for no key update
  `);
