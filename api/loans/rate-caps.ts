import { z } from 'zod';
import { listRateCaps } from '../../jobs/loans/history/rate-caps/list-rate-caps.ts';
import { date, rate, timestamps, uuid } from '../../sql/types.ts';
import type { Route } from '../endpoints/route.ts';

const fields = {
  id: uuid,
  loan_id: uuid,
  interest_rate: rate.describe('The highest annual rate that the law allows.'),
  start_date: date.describe('The first day.'),
  end_date: date.nullable().describe('The last day. Null while no end is known.'),
  status: z
    .enum(['scheduled', 'active', 'ended'])
    .describe('`scheduled` before its first day, `ended` after its last.'),
  ...timestamps,
};

/** The legal limits of a loan's rate. */
export const rateCaps: Route = {
  tag: 'loans',
  resource: 'loans',
  method: 'GET',
  path: '/loans/{id}/rate-caps',
  allow: 'viewer',
  action: 'list-rate-caps',
  status: 200,
  summary: 'List the legal rate caps of a loan',
  description:
    'Periods in which a law limits the rate, such as the 6 percent of the Servicemembers Civil Relief Act (50 USC 3937). They follow from the facts of cases and change with them. Interest above the rate is forgiven, each installment falls by the forgiven interest of its period, and fees of the period are forgiven.',
  reply: z.object(fields).meta({ id: 'RateCap' }),
  list: {
    name: 'list-rate-caps',
    fields,
    filters: ['status', 'start_date', 'end_date'],
    hasSearch: false,
    isArchivable: false,
  },
  carries: ['cases.facts'],
  transaction: 'read',
  run: ({ work, params, list }) => {
    if (list === null) throw new Error('A list endpoint is declared with its list.');
    return listRateCaps(work, params['id'] ?? '', list);
  },
};
