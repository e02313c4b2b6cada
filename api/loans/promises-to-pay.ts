import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import {
  addPromise,
  GRACE_DAYS_MAX,
  PROMISE_CHANNELS,
  PROMISE_METHODS,
  PROMISE_STATUSES,
  PROMISED_INSTALLMENTS_MAX,
  PromisedInstallment,
} from '../../jobs/loans/workouts/promises-to-pay.ts';
import { recordCanceler, recordChanger } from '../../jobs/loans/history/loan-records.ts';
import { promisesToPay as table } from '../../sql/loans/workouts/promises-to-pay.ts';
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
import { loanFacts } from './fields.ts';

const kind = { table: 'promises_to_pay', noun: 'promise', cancelable: ['pending'] } as const;

export const promisesToPay = resource({
  name: 'PromiseToPay',
  path: 'promises-to-pay',
  about: "A borrower's promise to pay an amount by a date.",
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    promised_on: date
      .readonly()
      .describe('The business date of the promise. Payments from this day count.'),
    promised_amount: positiveMoney.describe('The total that the borrower promises.'),
    promised_date: date.describe('The day by which it will be paid. Must not be in the past.'),
    payment_method: z
      .enum(PROMISE_METHODS)
      .nullish()
      .describe('How the borrower intends to pay, for your records.'),
    channel: z
      .enum(PROMISE_CHANNELS)
      .default('phone')
      .describe('How the borrower gave the promise, for your records.'),
    contact_note: prose.nullish().describe('Notes about the conversation.'),
    grace_days: integer
      .min(0)
      .max(GRACE_DAYS_MAX)
      .default(2)
      .describe(
        'Days after `promised_date` until close of business decides that the promise is not kept.',
      ),
    installments: z
      .array(PromisedInstallment)
      .max(PROMISED_INSTALLMENTS_MAX)
      .default([])
      .describe(
        'Parts of the promise, for your records. Close of business looks at the total by `promised_date`.',
      ),
    status: z
      .enum(PROMISE_STATUSES)
      .default('pending')
      .describe('Set by the server. To cancel a pending promise, update it to `canceled`.'),
    fulfilled_amount: money
      .readonly()
      .describe('How much was paid when close of business decided.'),
    fulfilled_at: timestamp.nullable().readonly().describe('When the promise was kept.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'promised_amount', 'promised_date', 'grace_days', 'installments'],
  filters: ['loan_id', 'borrower_id', 'status', 'promised_date', 'channel'],

  example: (today) => ({ promised_amount: '100.00', promised_date: addDays(today, 5) }),
  create: addPromise,
  update: recordChanger(kind),
  remove: recordCanceler(kind),
});
