import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import {
  addPromise,
  PromisedInstallment,
  PROMISE_STATUSES,
} from '../../jobs/loans/workouts/promises-to-pay.ts';
import { recordCanceler, recordChanger } from '../../jobs/loans/history/loan-records.ts';
import { promisesToPay as table } from '../../sql/loans/promises-to-pay.ts';
import {
  date,
  integer,
  money,
  positiveMoney,
  prose,
  timestamps,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const kind = { table: 'promises_to_pay', noun: 'promise', cancelable: ['pending'] } as const;

export const promisesToPay = resource({
  name: 'PromiseToPay',
  path: 'promises-to-pay',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    promised_on: date.readonly(),
    promised_amount: positiveMoney,
    promised_date: date,
    payment_method: z.enum(['autopay', 'ach', 'card', 'check', 'cash', 'other']).nullish(),
    channel: z.enum(['phone', 'email', 'sms', 'portal', 'in_person']).default('phone'),
    contact_note: prose.nullish(),
    grace_days: integer.min(0).max(30).default(2),
    installments: z.array(PromisedInstallment).max(24).default([]),
    status: z.enum(PROMISE_STATUSES).default('pending'),
    fulfilled_amount: money.readonly(),
    fulfilled_at: timestamp.nullable().readonly(),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'promised_amount', 'promised_date', 'grace_days', 'installments'],
  filters: ['loan_id', 'status', 'promised_date', 'channel'],

  example: (today) => ({ promised_amount: '100.00', promised_date: addDays(today, 5) }),
  create: addPromise,
  update: recordChanger(kind),
  remove: recordCanceler(kind),
});
