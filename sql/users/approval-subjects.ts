import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { dictionary } from '../dictionary.ts';
import { sql } from '../database/db.ts';
import type { TableName } from '../tables.ts';

/** The record that a request is about. `ended` says why nothing can be approved for it any more, or null. */
type Subject = { table: TableName; ended: SqlFragment };

const isStatus = (noun: string, condition: SqlFragment): SqlFragment => sql.fragment`
  case when ${condition}
    then ${`The ${noun} is `}::text || replace(subject.status, '_', ' ') || '.'
  end`;
const hasStatus = (noun: string, ...statuses: string[]) =>
  isStatus(noun, sql.fragment`subject.status = any(${sql.array(statuses, 'text')})`);
const never = sql.fragment`null::text`;

/** Money is paid out on a loan only before and while it is active. */
const FUNDABLE = ['pending', 'approved', 'active'];
/** Suspense is applied to what the borrower owes, also after a charge-off. */
const OWED = [...FUNDABLE, 'charged_off'];

const endedLoan = isStatus(
  'loan',
  sql.fragment`
    case record.kind
      when 'disbursements' then subject.status <> all(${sql.array(FUNDABLE, 'text')})
      when 'suspense' then subject.status <> all(${sql.array(OWED, 'text')})
    end`,
);

/**
 * The subjects by the first part of the path of an action that a second person approves. A subject that no
 * longer exists has ended, too.
 */
const SUBJECTS = dictionary<Subject>({
  'auto-responses': { table: 'auto_responses', ended: never },
  borrowers: {
    table: 'borrowers',
    ended: sql.fragment`
      case when subject.redacted_at is not null then 'The borrower is redacted.' end`,
  },
  'change-notices': {
    table: 'change_notices',
    ended: hasStatus('notice of change', 'applied', 'dismissed'),
  },
  disbursements: {
    table: 'disbursements',
    ended: hasStatus('disbursement', 'canceled', 'failed', 'reversed'),
  },
  draws: { table: 'draws', ended: hasStatus('draw', 'failed', 'reversed') },
  'identity-providers': { table: 'identity_providers', ended: never },
  imports: { table: 'imports', ended: hasStatus('import', 'boarded', 'canceled') },
  investors: { table: 'investors', ended: never },
  'loan-tape-configs': { table: 'loan_tape_configs', ended: never },
  loans: { table: 'loans', ended: endedLoan },
  'payment-instruments': {
    table: 'payment_instruments',
    ended: sql.fragment`
      case when subject.is_archived then 'The payment instrument is archived.' end`,
  },
  'object-grants': { table: 'object_grants', ended: never },
  payments: {
    table: 'payments',
    ended: hasStatus('payment', 'canceled', 'failed', 'returned', 'reversed'),
  },
  'permission-groups': { table: 'permission_groups', ended: never },
  'service-credits': { table: 'service_credits', ended: hasStatus('service credit', 'reversed') },
  'settlement-instruments': { table: 'settlement_instruments', ended: never },
  'sftp-servers': { table: 'sftp_servers', ended: never },
  'suspense-applications': {
    table: 'suspense_applications',
    ended: hasStatus('suspense application', 'reversed'),
  },
  'user-permissions': { table: 'user_permissions', ended: never },
  users: { table: 'users', ended: never },
  webhooks: {
    table: 'webhook_subscriptions',
    ended: sql.fragment`case when subject.is_deleted then 'The subscription is deleted.' end`,
  },
});

/**
 * The first parts of these paths. A test compares them with the endpoints.
 * @public
 */
export const SUBJECT_PATHS: readonly string[] = Object.keys(SUBJECTS);

const sentenceOf = ({ table, ended }: Subject) => sql.fragment`
  coalesce((
    select coalesce(${ended}, '') from ${sql.identifier([table])} as subject
    where subject.id = named.id
  ), 'The record no longer exists.')`;

/**
 * Why the subject of a request (alias `record`) has ended, as a sentence, or null. It is derived whenever
 * the request is read, so a loan that reopens makes its request pending again.
 */
export const subjectEnded = sql.fragment`(
  select nullif(case named.path ${sql.join(
    Object.entries(SUBJECTS).flatMap(([path, subject]) =>
      subject === undefined
        ? []
        : [sql.fragment`when ${sql.literalValue(path)} then ${sentenceOf(subject)}`],
    ),
    sql.fragment` `,
  )} end, '')
  from (
    select case
             when record.params ? 'id' then split_part(record.endpoint, '/', 2)
             when record.body ? 'loan_id' then 'loans'
           end as path,
           coalesce(record.params ->> 'id', record.body ->> 'loan_id')::uuid as id
  ) as named
)`;

/** The request (alias `record`) waits for a decision. */
export const isUndecided = sql.fragment`record.status = 'pending' and record.expires_at > now()`;

/** The request (alias `record`) can still be approved. */
export const isOpenRequest = sql.fragment`${isUndecided} and ${subjectEnded} is null`;
