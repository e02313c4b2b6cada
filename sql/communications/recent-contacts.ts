import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { groupByQuestion, flattenQuestions } from './batched-questions.ts';
import { matchesIds } from './recipients.ts';

type Fragment = ReturnType<typeof sql.fragment>;

const Contacts = z.object({ borrower_id: z.string(), has_same: z.boolean(), collections: z.int() });
type Contacts = z.output<typeof Contacts>;

type ContactsQuestion = {
  ids: readonly string[];
  type: string | null;
  channel: string;
  loan_id: string | null;
  hours: number;
  collections: readonly string[];
};

/**
 * Counts recent contacts of these borrowers: contacts of the same type within the given hours (measured by
 * the clock and by business dates, whichever is shorter), and contacts of the given types about the same
 * loan within a week. Concurrent calls share one statement.
 */
export const recentContacts = batchByTransaction(
  async (tx: Transaction, asked: readonly ContactsQuestion[]): Promise<readonly Contacts[][]> => {
    const [only] = asked;
    if (!only) return [];
    if (asked.length > 1) return groupByQuestion(asked, await tx.any(selectForEach(asked)));
    const borrowers = matchesIds(sql.fragment`borrower_id`, only.ids);
    return [
      [
        ...(await tx.any(
          prepared(sql.type(Contacts)`${selectContacts(borrowers, boundFragments(only))}`),
        )),
      ],
    ];
  },
);

/** The parameters, as bound values or as columns. */
type QuestionFragments = Record<'type' | 'channel' | 'loan_id' | 'hours' | 'collections', Fragment>;

const boundFragments = ({
  type,
  channel,
  loan_id,
  hours,
  collections,
}: ContactsQuestion): QuestionFragments => ({
  type: sql.fragment`${type}`,
  channel: sql.fragment`${channel}`,
  loan_id: sql.fragment`${loan_id}::uuid`,
  hours: sql.fragment`${hours}::integer`,
  collections: sql.fragment`${sql.array(collections, 'text')}`,
});

const COLUMN_FRAGMENTS: QuestionFragments = {
  type: sql.fragment`asked.type`,
  channel: sql.fragment`asked.channel`,
  loan_id: sql.fragment`asked.loan_id`,
  hours: sql.fragment`asked.hours`,
  collections: sql.fragment`asked.collections`,
};

const selectContacts = (
  borrowers: Fragment,
  { type, channel, loan_id, hours, collections }: QuestionFragments,
) => {
  const days = sql.fragment`ceil(${hours} / 24.0)::integer`;
  return sql.fragment`
    select borrower_id,
           bool_or(
             template_type = ${type} and channel = ${channel}
             and created_at > now() - make_interval(hours => ${hours})
             and business_date > app.business_date() - ${days}
           ) is true as has_same,
           count(*) filter (
             where template_type = any(${collections})
               and (${loan_id} is null or loan_id = ${loan_id})
           )::integer as collections
    from communication_logs
    where ${borrowers} and direction = 'outbound'
      and status not in ('blocked', 'failed', 'bounced', 'undelivered')
      and created_at > now() - make_interval(hours => greatest(${hours}, 168))
      and business_date > app.business_date() - greatest(${days}, 7)
    group by borrower_id
  `;
};

/** The lateral join looks each borrower up by its key, whatever row count the planner expects. */
const selectForEach = (asked: readonly ContactsQuestion[]) =>
  prepared(sql.type(Contacts.extend({ place: z.int() }))`
    select asked.place, found.*
    from jsonb_to_recordset(${JSON.stringify(flattenQuestions(asked))}::jsonb) as asked (
      place integer, borrower_id uuid, type text, channel text, loan_id uuid, hours integer,
      collections text[]
    )
    cross join lateral (
      ${selectContacts(sql.fragment`communication_logs.borrower_id = asked.borrower_id`, COLUMN_FRAGMENTS)} limit 1
    ) as found
  `);
