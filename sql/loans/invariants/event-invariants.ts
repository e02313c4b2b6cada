import { sql } from '../../database/db.ts';
import { ViolationRow, type Check } from '../../invariant-check.ts';

/** Records that have the id of their event, and their statuses with and without effect. */
const RECORDS = [
  {
    table: 'payments',
    noun: 'Payment',
    counts: ['completed', 'settled'],
    undone: ['returned', 'reversed'],
  },
  { table: 'service_credits', noun: 'Service credit', counts: ['applied'], undone: ['reversed'] },
  {
    table: 'suspense_applications',
    noun: 'Suspense application',
    counts: ['applied'],
    undone: ['reversed'],
  },
  { table: 'draws', noun: 'Draw', counts: ['completed'], undone: ['reversed'] },
  { table: 'liquidations', noun: 'Sale', counts: ['applied'], undone: ['reversed'] },
] as const;

const contradictionsOf = ({
  table,
  noun,
  counts,
  undone,
}: (typeof RECORDS)[number]) => sql.fragment`
  select record.tenant_id, record.id as subject,
         format('%s %s is %s, and its event is %s.', ${noun}::text, record.id, record.status,
           case when event.reversed_by is null then 'in force' else 'reversed' end) as message
  from ${sql.identifier([table])} as record
  join loan_events as event on event.tenant_id = record.tenant_id and event.id = record.id
  where case when event.reversed_by is null
    then record.status = any(${sql.array([...undone], 'text')})
    else record.status = any(${sql.array([...counts], 'text')})
  end
`;

/** Reversals decide which events are in force (jobs/loans/engine/reversals.ts). */
export const eventInvariants: readonly Check[] = [
  {
    rule: 'an event is reversed exactly while a reversal of it is in force',
    query: sql.type(ViolationRow)`
      select event.tenant_id, event.id as subject,
             format('Event %s of loan %s is stored as reversed by %s, which does not reverse it.', event.id,
               event.loan_id, event.reversed_by) as message
      from loan_events as event
      where event.reversed_by is not null and not exists (
        select from loan_events as reversal
        where reversal.tenant_id = event.tenant_id and reversal.id = event.reversed_by
          and reversal.loan_id = event.loan_id and reversal.kind = 'reversal'
          and reversal.details ->> 'reverses' = event.id::text and reversal.reversed_by is null
      )
      union all
      select event.tenant_id, event.id,
             format('Event %s of loan %s is stored as in force, and %s reverses it.', event.id, event.loan_id, reversal.id)
      from loan_events as reversal
      join loan_events as event
        on event.tenant_id = reversal.tenant_id and event.id = (reversal.details ->> 'reverses')::uuid
      where reversal.kind = 'reversal' and reversal.reversed_by is null and event.reversed_by is null
    `,
  },
  {
    rule: 'a record has an effect exactly while its event is in force',
    query: sql.type(ViolationRow)`
      ${sql.join(RECORDS.map(contradictionsOf), sql.fragment` union all `)}
    `,
  },
];
