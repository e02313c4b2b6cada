import { z } from 'zod';
import { listPromotions } from '../../jobs/loans/workouts/activate-promo.ts';
import { PROMO_TYPES } from '../../jobs/loans/workouts/promotions.ts';
import { date, jsonObject, money, rate, timestamps, text, uuid } from '../../sql/types.ts';
import type { Route } from '../endpoints/route.ts';

const fields = {
  id: uuid,
  loan_id: uuid,
  name: text,
  promo_type: z.enum(PROMO_TYPES),
  promo_rate: rate.nullable(),
  start_date: date,
  end_date: date,
  status: z.enum(['scheduled', 'active', 'completed', 'broken', 'canceled']),
  conditions: jsonObject,
  promo_program_id: uuid.nullable(),
  ...timestamps,
};

export const promotion = z
  .object({ ...fields, deferred_interest: money })
  .meta({ id: 'Promotion' });

/** The specification's path for the list of a loan's promotions. */
export const promoStatuses: Route = {
  tag: 'loans',
  resource: 'loans',
  method: 'GET',
  path: '/loans/{id}/list-promo-statuses',
  allow: 'viewer',
  action: 'list-promo-statuses',
  status: 200,
  summary: 'List the promotions of a loan',
  description: 'Scheduled, active and ended promotions.',
  reply: promotion,
  list: {
    name: 'list-promo-statuses',
    fields,
    filters: ['status', 'promo_type', 'start_date', 'end_date'],
    hasSearch: false,
    isArchivable: false,
  },
  transaction: 'read',
  run: ({ work, params, list }) => {
    if (list === null) throw new Error('A list endpoint is declared with its list.');
    return listPromotions(work, params['id'] ?? '', list);
  },
};
