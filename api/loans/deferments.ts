import { z } from 'zod';
import {
  cancelDeferment,
  changeDeferment,
  addDeferment,
  DEFERMENT_TYPES,
  INTEREST_TREATMENTS,
  MAX_DEFERRED_PERIODS,
} from '../../jobs/loans/workouts/deferments.ts';
import { RELIEF_STATUSES } from '../../jobs/loans/workouts/forbearances.ts';
import { deferments as table } from '../../sql/loans/deferments.ts';
import { date, flag, integer, money, prose, timestamps, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const deferments = resource({
  name: 'Deferment',
  path: 'deferments',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    deferment_type: z.enum(DEFERMENT_TYPES).default('payment_skip'),
    periods: integer
      .min(1)
      .max(MAX_DEFERRED_PERIODS)
      .nullish()
      .describe('Default: the installments due by the end.'),
    start_date: date.nullish(),
    end_date: date.nullish().describe('The day before payments resume.'),
    start_installment: integer.min(1).nullish().describe('Default: the next one.'),
    interest_treatment: z.enum(INTEREST_TREATMENTS).default('accrue'),
    extend_maturity: flag.default(true),
    fee_amount: money.default('0.00'),
    reason: prose,
    notes: prose.nullish(),
    status: z.enum(RELIEF_STATUSES).default('scheduled'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'deferment_type', 'periods', 'start_date', 'end_date'] as const),
    ...(['start_installment', 'interest_treatment', 'extend_maturity', 'fee_amount'] as const),
  ],
  filters: ['loan_id', 'deferment_type', 'status', 'start_date', 'end_date'],

  example: () => ({ periods: 1 }),
  create: addDeferment,
  update: changeDeferment,
  remove: cancelDeferment,
});
