import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { addTask, changeTask } from '../../jobs/borrowers/task.ts';
import { PRIORITIES, tasks as table } from '../../sql/borrowers/tasks.ts';
import {
  date,
  requiredFreeText,
  prose,
  timestamps,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const tasks = resource({
  name: 'Task',
  path: 'tasks',
  about: 'Work for your staff. The service also creates tasks when it needs a decision.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid.nullable(),
    loan_id: uuid.nullish().describe('A loan that the borrower owes, if the task is about one.'),
    title: derivedFrom(
      requiredFreeText.describe(
        'A short name for the work, such as "Call about the returned payment".',
      ),
      'loans.loan_number',
    ),
    description: prose.nullish().describe('The details.'),
    task_type: z
      .enum([
        'callback',
        'review',
        'document_request',
        'collections',
        'compliance',
        'lien_renewal',
        'other',
      ])
      .default('other')
      .describe('Classifies the task.'),
    assignee_id: uuid
      .nullish()
      .describe('The user who does the work. Must be an active member of staff.'),
    due_date: date.nullish().describe('The date by which the work must be done.'),
    priority: z.enum(PRIORITIES).default('normal').describe('How urgent it is.'),
    status: z
      .enum(['open', 'in_progress', 'completed', 'canceled'])
      .default('open')
      .describe('`completed` stores who did it and when. A task can be reopened.'),
    completed_at: timestamp.nullable().readonly().describe('When it was completed.'),
    completed_by: uuid.nullable().readonly().describe('The user who completed it.'),
    source: z
      .enum(['manual', 'system'])
      .readonly()
      .describe('Whether staff or the system created it.'),
    related_type: text.nullable().readonly().describe('The kind of record that the task is about.'),
    related_id: uuid.nullable().readonly().describe('The record that the task is about.'),
    ...timestamps,
  },
  fixed: ['borrower_id', 'loan_id'],
  filters: [
    'borrower_id',
    'loan_id',
    'task_type',
    'assignee_id',
    'due_date',
    'priority',
    'status',
    'source',
    'related_id',
  ],

  create: addTask,
  update: changeTask,
});
