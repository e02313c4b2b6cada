import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { OpenDefermentRow, openDefermentColumns } from './workouts/deferments.ts';
import { OpenForbearanceRow, openForbearanceColumns } from './workouts/forbearances.ts';
import { AgreedModificationRow, agreedModificationColumns } from './workouts/modifications.ts';
import { PromotionRow, promotionColumns } from './products/promotions.ts';
import { RateCapRow, rateCapColumns } from './rate-caps.ts';

const ScheduledPaymentRow = z.object({
  id: z.string(),
  payment_date: z.string(),
  effective_date: z.string(),
  amount: z.string(),
  payment_type: z.string(),
  allocation_override: z.unknown(),
  payment_plan_id: z.string().nullable(),
});

const AgreedRecords = z.object({
  freeze_until: z.string().nullable(),
  forbearances: z.array(OpenForbearanceRow),
  deferments: z.array(OpenDefermentRow),
  promotions: z.array(PromotionRow),
  rate_caps: z.array(RateCapRow),
  modifications: z.array(AgreedModificationRow),
  payments: z.array(ScheduledPaymentRow),
});
export type AgreedRecords = z.output<typeof AgreedRecords>;

const arrayOf = (rows: SqlFragment) => sql.fragment`
  (select coalesce(jsonb_agg(to_jsonb(one)), '[]') from (${rows}) as one)
`;

/** Everything that is agreed for a later day of a loan and not yet done. */
export const readAgreedRecords = (tx: Transaction, loanId: string) =>
  tx.one(
    prepared(sql.type(AgreedRecords)`
    select case when loan.is_frozen then loan.freeze_until end as freeze_until,
           ${arrayOf(sql.fragment`
             select ${openForbearanceColumns} from forbearances
             where loan_id = ${loanId} and status in ('scheduled', 'active')
           `)} as forbearances,
           ${arrayOf(sql.fragment`
             select ${openDefermentColumns} from deferments
             where loan_id = ${loanId} and status in ('scheduled', 'active')
           `)} as deferments,
           ${arrayOf(sql.fragment`
             select ${promotionColumns} from loan_promotions
             where loan_id = ${loanId} and not is_over
           `)} as promotions,
           ${arrayOf(sql.fragment`
             select ${rateCapColumns} from loan_rate_caps
             where loan_id = ${loanId} and event_id is null and not is_over
           `)} as rate_caps,
           ${arrayOf(sql.fragment`
             select ${agreedModificationColumns} from modifications
             where loan_id = ${loanId} and status = 'approved'
           `)} as modifications,
           ${arrayOf(sql.fragment`
             select id, payment_date, effective_date, amount::text, payment_type,
                    allocation_override, payment_plan_id
             from payments where loan_id = ${loanId} and status = 'scheduled'
           `)} as payments
    from loans as loan where loan.id = ${loanId}
  `),
  );

/** Whether anything is agreed for a later day. `loan` is a row of `loans`. */
export const hasAgreedRecords = sql.fragment`(
  loan.is_frozen and loan.freeze_until is not null
  or exists (
    select from forbearances as relief
    where relief.loan_id = loan.id and relief.status in ('scheduled', 'active')
  )
  or exists (
    select from deferments as relief
    where relief.loan_id = loan.id and relief.status in ('scheduled', 'active')
  )
  or exists (
    select from loan_promotions as promotion
    where promotion.loan_id = loan.id and not promotion.is_over
  )
  or exists (
    select from loan_rate_caps as cap where cap.loan_id = loan.id and not cap.is_over and cap.event_id is null
  )
  or exists (
    select from modifications as modification
    where modification.loan_id = loan.id and modification.status = 'approved'
  )
  or exists (
    select from payments as payment
    where payment.loan_id = loan.id and payment.status = 'scheduled'
  )
)`;
