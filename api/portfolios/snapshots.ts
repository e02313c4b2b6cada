import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { addSnapshot } from '../../jobs/portfolios/snapshot.job.ts';
import { snapshots as table } from '../../sql/portfolios/snapshots.ts';
import { date, integer, timestamps, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { moneySum } from '../endpoints/money-sum.ts';

const ratio = z.string().readonly().meta({ format: 'decimal' });

/** The buckets of the specification. The later ones appear only if they contain a loan. */
const bucketCounts = z.object({
  current: z.int().describe('Loans that are not past due.'),
  dpd_1_29: z.int().describe('Loans that are 1 to 29 days past due.'),
  dpd_30_59: z.int().describe('Loans that are 30 to 59 days past due.'),
  dpd_60_89: z.int().describe('Loans that are 60 to 89 days past due.'),
  dpd_90_119: z.int().describe('Loans that are 90 to 119 days past due.'),
  dpd_120_149: z
    .int()
    .optional()
    .describe('Loans that are 120 to 149 days past due. Missing if there are none.'),
  dpd_150_179: z
    .int()
    .optional()
    .describe('Loans that are 150 to 179 days past due. Missing if there are none.'),
  dpd_180_plus: z
    .int()
    .optional()
    .describe('Loans that are 180 or more days past due. Missing if there are none.'),
});

export const snapshots = resource({
  name: 'PortfolioSnapshot',
  path: 'portfolio-snapshots',
  about: 'The figures of a portfolio at the end of a day.',
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
      .describe('The owner of all its loans on that day. Null if there was none or more than one.'),
    snapshot_date: date
      .optional()
      .describe(
        'The day to write figures for: the business date (default), or an earlier day whose close was recorded.',
      ),
    // A portfolio may have a single loan, whose fields the totals then reveal.
    total_loans: integer.readonly().describe('How many loans it contained.'),
    total_principal: derivedFrom(moneySum.readonly(), 'loans.principal_balance').describe(
      'The principal balance of the active ones.',
    ),
    total_outstanding: derivedFrom(
      moneySum.readonly(),
      ...(['loans.total_balance', 'loans.principal_balance'] as const),
      ...(['loans.accrued_interest', 'loans.outstanding_fees'] as const),
    ).describe('The principal, interest and fees of the active ones.'),
    weighted_average_rate: derivedFrom(ratio, 'loans.interest_rate').describe(
      'The average rate of the active ones, weighted by principal.',
    ),
    weighted_average_term: derivedFrom(integer.readonly(), 'loans.term_months').describe(
      'The average term of the active ones in months, weighted by principal.',
    ),
    delinquency_rate: derivedFrom(
      ratio,
      'loans.days_past_due',
      'loans.delinquency_bucket',
    ).describe('The share of the principal that was 30 or more days past due.'),
    default_rate: derivedFrom(ratio, 'loans.status').describe(
      'The share of the loans that were charged off or 90 or more days past due.',
    ),
    by_bucket: derivedFrom(
      bucketCounts.readonly(),
      'loans.days_past_due',
      'loans.delinquency_bucket',
    ).describe('How many active loans were in each delinquency bucket.'),
    ...timestamps,
  },
  filters: ['portfolio_id', 'investor_id', 'snapshot_date'],

  create: addSnapshot,
});
