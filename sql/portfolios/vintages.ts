import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export const PERIODS = ['month', 'quarter', 'year'] as const;
export type VintagePeriod = (typeof PERIODS)[number];

export const Vintage = z.object({
  vintage: z.string().describe('The origination period, such as 2026-01, 2026-Q1 or 2026.'),
  loan_count: z.int().describe('How many loans were funded in the period.'),
  original_principal: z.string().describe('The principal of these loans when they were funded.'),
  current_principal: z.string().describe('Their principal balance now.'),
  paid_off_count: z.int().describe('How many of them are paid off.'),
  charged_off_count: z.int().describe('How many of them were charged off.'),
  charged_off_amount: z.string().describe('The amount that was charged off.'),
  recovered_amount: z.string().describe('How much of it was recovered.'),
  delinquent_30_plus_count: z.int().describe('How many of them are 30 or more days past due.'),
  delinquency_rate: z
    .string()
    .describe('The share of the current principal that is 30 or more days past due.'),
  cumulative_default_rate: z.string().describe('The share of the loans that were charged off.'),
  cumulative_loss_rate: z
    .string()
    .describe('Charged-off amounts minus recoveries, as a share of the original principal.'),
  months_on_book: z.int().describe('Full months since the period began.'),
});

const FORMATS = {
  month: sql.fragment`'YYYY-MM'`,
  quarter: sql.fragment`'YYYY-"Q"Q'`,
  year: sql.fragment`'YYYY'`,
} as const;

/** The performance of loans by origination period. Loans that were never funded are excluded. */
export const listVintages = (
  tx: Transaction,
  portfolioId: string,
  period: VintagePeriod,
  today: string,
) =>
  tx.any(sql.type(Vintage)`
    select to_char(begins, ${FORMATS[period]}) as vintage, loan_count, original_principal,
           current_principal, paid_off_count, charged_off_count, charged_off_amount,
           charged_off_amount - still_lost as recovered_amount, delinquent_30_plus_count,
           coalesce(round(late_principal / nullif(current_principal, 0), 6), 0)::numeric(12, 6)
             as delinquency_rate,
           round(defaults::numeric / loan_count, 6) as cumulative_default_rate,
           coalesce(round(still_lost / nullif(original_principal, 0), 6), 0)::numeric(12, 6)
             as cumulative_loss_rate,
           (extract(year from age(${today}::date, begins)) * 12
             + extract(month from age(${today}::date, begins)))::integer as months_on_book
    from (
      select date_trunc(${period}, coalesce(disbursement_date, origination_date))::date as begins,
             count(*)::integer as loan_count,
             sum(greatest(disbursed_amount, principal_amount))::numeric(18, 2)
               as original_principal,
             sum(case when status = 'active' then principal_balance else 0 end)::numeric(18, 2)
               as current_principal,
             count(*) filter (where status = 'paid_off')::integer as paid_off_count,
             count(*) filter (where status = 'charged_off')::integer as charged_off_count,
             sum(case when status in ('active', 'charged_off') then coalesce(charge_off_amount, 0) else 0 end)
               ::numeric(18, 2) as charged_off_amount,
             sum(case when status in ('active', 'charged_off') then charge_off_balance else 0 end)::numeric(18, 2)
               as still_lost,
             count(*) filter (where ${LATE})::integer as delinquent_30_plus_count,
             sum(case when ${LATE} then principal_balance else 0 end) as late_principal,
             count(*) filter (where status = 'charged_off' or (${LATE}
               and delinquency_bucket not in ('dpd_30_59', 'dpd_60_89'))) as defaults
      from loans
      where portfolio_id = ${portfolioId}
        and status in ('active', 'paid_off', 'charged_off', 'settled', 'transferred')
        and coalesce(disbursement_date, origination_date) is not null
      group by begins
    ) as vintage
    order by begins
  `);

const LATE = sql.fragment`
  (status = 'active' and delinquency_bucket not in ('current', 'dpd_1_29'))`;
