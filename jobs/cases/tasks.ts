import { cancelTasks, completeTasks, findOpenTask } from '../../sql/borrowers/tasks.ts';
import { insert, update } from '../../sql/write.ts';
import { addDays, latest } from '../dates.ts';
import type { Work } from '../work.ts';
import { deadlinesOf } from './rules/deadlines.ts';
import type { Facts, FactsOf, FactType } from './rules/facts.ts';

/** Days until a borrower's message must be answered. */
const ANSWER_DAYS = 2;

/** Days to investigate a direct dispute of a consumer (12 CFR 1022.43, FCRA 623). */
const DISPUTE_DAYS = 30;

type Case = { id: string; case_number: string; borrower_id: string; loan_id: string | null };

/**
 * Creates one task to answer the borrower, assigned to the case's assignee. Further messages keep the same
 * task.
 */
export async function createReplyTask(work: Work, about: Case & { assigned_to: string | null }) {
  const title = `Answer the borrower in case ${about.case_number}`;
  const open = await findOpenTask(work.tx, about.id, title);
  if (open !== null) return update(work.tx, 'tasks', open, { assignee_id: about.assigned_to });
  await add(
    work,
    about,
    { title, task_type: 'review', assignee_id: about.assigned_to },
    ANSWER_DAYS,
  );
}

/** Creates a task to open a credit dispute for a loan that was reported to bureaus. */
export const createDisputeTask = (work: Work, about: Case) =>
  add(
    work,
    about,
    {
      title: `Open the credit dispute of case ${about.case_number}`,
      description:
        'The borrower disputes what was reported to credit bureaus. Open a credit dispute for the loan.',
      task_type: 'compliance',
      priority: 'high',
    },
    DISPUTE_DAYS,
  );

/** Creates a task for a case message that could not be sent, with the reason. */
export const createUnsentMessageTask = (work: Work, about: Case, reason: string) =>
  add(
    work,
    about,
    {
      title: `Notify the borrower of the answer in case ${about.case_number}`,
      description: `No message was sent: ${reason}`,
      task_type: 'callback',
    },
    ANSWER_DAYS,
  );

/** Days to complete the dates of a case. */
const COMPLETION_DAYS = 3;
/** Days to find out who represents the estate of a borrower who died. */
const REPRESENTATIVE_DAYS = 14;

type Reminders = Map<string, { title: string; due_date: string }>;

/**
 * Brings the tasks before the deadlines of a case in line with its facts. A deadline that was met completes its task; one
 * that moved cancels it and creates another. Null facts after a case was opened in error or closed cancel all. The
 * titles name no facts, because everyone who reads tasks sees them.
 */
export async function syncDeadlineTasks(
  work: Work,
  about: Case & { case_type: FactType; assigned_to: string | null },
  before: Facts | null,
  after: Facts | null,
) {
  const old = remindersOf(work, about, before);
  const wanted = remindersOf(work, about, after);
  const gone = [...old].filter(([name, { title }]) => wanted.get(name)?.title !== title);
  const isMet = ([name]: [string, unknown]) => after !== null && !wanted.has(name);
  const titles = (list: typeof gone) => list.map(([, { title }]) => title);
  const kept = new Set([...wanted.values()].map(({ title }) => title));
  const isGone = (title: string) => !kept.has(title);
  await completeTasks(work.tx, about.id, titles(gone.filter(isMet)).filter(isGone), work.actor.id);
  await cancelTasks(work.tx, about.id, titles(gone).filter(isGone));
  for (const { title, due_date } of wanted.values()) {
    if ((await findOpenTask(work.tx, about.id, title)) !== null) continue;
    await insert(work.tx, 'tasks', {
      ...taskOf(about),
      title,
      description: 'The case shows its deadlines and facts.',
      task_type: 'compliance',
      priority: 'high',
      assignee_id: about.assigned_to,
      due_date,
    });
  }
}

function remindersOf(
  { today }: Work,
  { case_number, case_type }: { case_number: string; case_type: FactType },
  facts: Facts | null,
): Reminders {
  if (facts === null) return new Map();
  const reminders: Reminders = new Map(
    deadlinesOf(case_type, facts).map(({ deadline, last_day, due_date }) => [
      deadline,
      { title: `Act on case ${case_number} by ${last_day}`, due_date: latest(today, due_date) },
    ]),
  );
  if ((facts.estimated_dates ?? []).length > 0)
    reminders.set('dates', {
      title: `Complete the dates of case ${case_number}`,
      due_date: addDays(today, COMPLETION_DAYS),
    });
  if (case_type === 'deceased' && !(facts as FactsOf<'deceased'>).representative_id)
    reminders.set('representative', {
      title: `Name the representative in case ${case_number}`,
      due_date: addDays(today, REPRESENTATIVE_DAYS),
    });
  return reminders;
}

const add = (work: Work, about: Case, task: object, days: number) =>
  insert(work.tx, 'tasks', { ...task, ...taskOf(about), due_date: addDays(work.today, days) });

const taskOf = ({ id, borrower_id, loan_id }: Case) => ({
  borrower_id,
  loan_id,
  source: 'system',
  related_type: 'support_case',
  related_id: id,
});
