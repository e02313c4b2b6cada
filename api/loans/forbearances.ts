import { z } from 'zod';
import { addMonths } from '../../jobs/dates.ts';
import {
  cancelForbearance,
  changeForbearance,
  ForbearanceEnd,
  END_TREATMENTS,
  endForbearance,
  addForbearance,
  FORBEARANCE_TYPES,
  RELIEF_STATUSES,
} from '../../jobs/loans/workouts/forbearances.ts';
import { forbearances as table } from '../../sql/loans/forbearances.ts';
import { date, flag, positiveMoney, prose, timestamps, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

export const forbearances = resource({
  name: 'Forbearance',
  path: 'forbearances',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    forbearance_type: z.enum(FORBEARANCE_TYPES).default('full'),
    start_date: date,
    end_date: date.describe('Its last day.'),
    reason: prose,
    reduced_payment_amount: positiveMoney.nullish(),
    interest_accrues: flag.default(true),
    suspend_late_fees: flag.default(true),
    suspend_delinquency: flag.default(true),
    suspend_credit_reporting: flag.default(false),
    end_treatment: z.enum(END_TREATMENTS).default('reinstatement'),
    hardship_application_id: uuid.nullish(),
    notes: prose.nullish(),
    status: z.enum(RELIEF_STATUSES).default('scheduled'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'forbearance_type', 'start_date', 'end_date'] as const),
    ...(['reduced_payment_amount', 'interest_accrues', 'suspend_late_fees'] as const),
    ...(['suspend_delinquency', 'suspend_credit_reporting', 'end_treatment'] as const),
  ],
  filters: ['loan_id', 'forbearance_type', 'status', 'start_date', 'end_date'],

  example: (today) => ({ end_date: addMonths(today, 5) }),
  create: addForbearance,
  update: changeForbearance,
  remove: cancelForbearance,
  actions: {
    end: action({
      allow: 'loan_officer',
      summary: 'End a forbearance early',
      description: 'A broken forbearance ends without its agreed treatment.',
      body: ForbearanceEnd,
      run: endForbearance,
    }),
  },
});
