import { z } from 'zod';
import { addSnapshot } from '../../jobs/portfolios/snapshot.job.ts';
import { snapshots as table } from '../../sql/portfolios/snapshots.ts';
import { date, integer, stamps, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { moneySum } from '../endpoints/sums.ts';

const ratio = z.string().readonly().meta({ format: 'decimal' });

/** Every bucket of the specification; the later ones only where a loan is in them. */
const byBucket = z.object({
  current: z.int(),
  dpd_1_29: z.int(),
  dpd_30_59: z.int(),
  dpd_60_89: z.int(),
  dpd_90_119: z.int(),
  dpd_120_149: z.int().optional(),
  dpd_150_179: z.int().optional(),
  dpd_180_plus: z.int().optional(),
});

export const snapshots = resource({
  name: 'PortfolioSnapshot',
  path: 'portfolio-snapshots',
  area: 'portfolios',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read'],
  sort: { field: 'snapshot_date', descending: true },

  fields: {
    id: uuid.readonly(),
    portfolio_id: uuid,
    investor_id: uuid
      .nullable()
      .readonly()
      .describe('Who owned all its loans on that day; null where nobody did, or several.'),
    snapshot_date: date.optional(),
    total_loans: integer.readonly(),
    total_principal: moneySum.readonly(),
    total_outstanding: moneySum.readonly(),
    weighted_average_rate: ratio,
    weighted_average_term: integer.readonly(),
    delinquency_rate: ratio,
    default_rate: ratio,
    by_bucket: byBucket.readonly(),
    ...stamps,
  },
  filters: ['portfolio_id', 'investor_id', 'snapshot_date'],

  create: addSnapshot,
});
