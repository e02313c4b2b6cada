import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

/** From the lowest priority to the highest. */
export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;

export const tasks = table({
  name: 'tasks',
  owner: null,
  own: [
    'id',
    'q',
    'borrower_id',
    'loan_id',
    'task_type',
    'assignee_id',
    'due_date',
    'priority',
    'status',
    'source',
    'related_id',
    'created_at',
    'updated_at',
  ],
  rows: sql.fragment`
    select record.id, record.borrower_id, record.loan_id, record.title, record.description,
           record.task_type, record.assignee_id, record.due_date, record.priority, record.status,
           record.completed_at, record.completed_by, record.source, record.related_type,
           record.related_id, record.created_at, record.updated_at
    from tasks as record
  `,
  search: (words) => sql.fragment`row.title ilike ${containsPattern(words)}`,
});

/** Whether a task may be assigned to the user: an active member of staff. */
export const isActiveStaff = (tx: Transaction, userId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from users where id = ${userId} and is_active and tenant_role is not null
  `);

type BorrowerTask = {
  title: string;
  due_date: string;
  description?: string;
  task_type?: string;
  priority?: (typeof PRIORITIES)[number];
};

/** Opens a system task for each borrower who has no open task with this title. */
export const openTasksForBorrowers = (
  tx: Transaction,
  borrowerIds: readonly string[],
  { title, due_date, description, task_type = 'other', priority = 'normal' }: BorrowerTask,
) =>
  tx.query(sql.typeAlias('void')`
    insert into tasks
      (borrower_id, title, description, task_type, priority, due_date, related_type, related_id, source)
    select asked.id, ${title}, ${description ?? null}, ${task_type}, ${priority}, ${due_date},
           'borrower', asked.id, 'system'
    from unnest(${sql.array([...new Set(borrowerIds)].toSorted(), 'uuid')}) as asked (id)
    where not exists (
      select from tasks
      where related_id = asked.id and title = ${title} and status in ('open', 'in_progress')
    )
  `);

/** Opens a system task for each loan that has no open task with this title. */
export const openTasksForLoans = (
  tx: Transaction,
  loanIds: readonly string[],
  {
    title,
    due_date,
    description,
    priority = 'normal',
  }: Pick<BorrowerTask, 'title' | 'due_date' | 'description' | 'priority'>,
) =>
  tx.query(sql.typeAlias('void')`
    insert into tasks
      (borrower_id, loan_id, title, description, task_type, priority, due_date, related_type, related_id, source)
    select loan.borrower_id, loan.id, ${title}, ${description ?? null}, 'review', ${priority}, ${due_date},
           'loan', loan.id, 'system'
    from loans as loan
    where loan.id = any(${sql.array([...loanIds], 'uuid')}) and not exists (
      select from tasks
      where related_id = loan.id and title = ${title} and status in ('open', 'in_progress')
    )
    order by loan.id
  `);

export const findOpenTask = (tx: Transaction, relatedId: string, title: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from tasks
    where related_id = ${relatedId} and title = ${title} and status in ('open', 'in_progress')
    order by id limit 1
  `);

export const cancelTasks = (tx: Transaction, relatedId: string, titles: readonly string[]) =>
  closeTasks(tx, relatedId, titles, 'canceled');

/** Closes the open system tasks with these titles. */
export const closeTasks = (
  tx: Transaction,
  relatedId: string,
  titles: readonly string[],
  status: 'completed' | 'canceled',
) =>
  tx.query(sql.typeAlias('void')`
    update tasks
    set status = ${status}, completed_at = case when ${status} = 'completed' then now() end
    where related_id = ${relatedId} and title = any(${sql.array([...titles], 'text')})
      and source = 'system' and status in ('open', 'in_progress')
  `);

export const completeTasks = (
  tx: Transaction,
  relatedId: string,
  titles: readonly string[],
  by: string | null,
) =>
  tx.query(sql.typeAlias('void')`
    update tasks set status = 'completed', completed_at = now(), completed_by = ${by}
    where related_id = ${relatedId} and title = any(${sql.array([...titles], 'text')})
      and source = 'system' and status in ('open', 'in_progress')
  `);

/** Whether a task with this title is open or was completed for the record. */
export const isKnownTask = (tx: Transaction, relatedId: string, title: string) =>
  tx.exists(sql.typeAlias('void')`
    select from tasks where related_id = ${relatedId} and title = ${title} and status <> 'canceled'
  `);

/** Whether a task with this title was ever opened for the record, whatever its status. */
export const wasEverOpened = (tx: Transaction, relatedId: string, title: string) =>
  tx.exists(sql.typeAlias('void')`
    select from tasks where related_id = ${relatedId} and title = ${title}
  `);
