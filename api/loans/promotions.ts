import { z } from 'zod';
import { listPromotions } from '../../jobs/loans/workouts/activate-promo.ts';
import { PROMO_TYPES } from '../../jobs/loans/workouts/promotions.ts';
import { date, jsonObject, money, rate, timestamps, text, uuid } from '../../sql/types.ts';
import type { Route } from '../endpoints/route.ts';

const fields = {
  id: uuid,
  loan_id: uuid,
  name: text.describe('The name of the promotion.'),
  promo_type: z.enum(PROMO_TYPES).describe('As in the request that started it.'),
  promo_rate: rate
    .nullable()
    .describe('The annual rate during the promotion. Null if it does not change the rate.'),
  start_date: date.describe('The first day.'),
  end_date: date.describe('The last day.'),
  status: z
    .enum(['scheduled', 'active', 'completed', 'broken', 'canceled'])
    .describe(
      '`scheduled` before its first day, `broken` if the borrower did not keep its conditions.',
    ),
  conditions: jsonObject.describe('What ends it early.'),
  promo_program_id: uuid.nullable().describe('The id of the promotion in your own system.'),
  ...timestamps,
};

export const promotion = z
  .object({
    ...fields,
    deferred_interest: money.describe(
      'The interest that is owed if the loan is not repaid by the end of the promotion.',
    ),
  })
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
