import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { canDrawNext } from '../borrowers/payment-instruments.ts';
import { sql, type Transaction } from '../database/db.ts';

/**
 * Whether the autopay plan (`plan`) of a loan will draw. A missed draw is not announced again, and a blocked
 * account is not drawn on.
 */
const isUpcoming = (loanId: SqlFragment, day: SqlFragment) => sql.fragment`
  plan.loan_id = ${loanId} and plan.status = 'active' and plan.is_enabled and plan.next_draw_date >= ${day}
    and ${canDrawNext(sql.fragment`plan`)}
`;

/** The date and amount of a loan's next autopay draw as JSON. Null if there is none. */
export const upcomingDraw = (loanId: SqlFragment, day: SqlFragment) => sql.fragment`(
  select jsonb_build_object('date', plan.next_draw_date, 'amount', plan.next_draw_amount::text)
  from autopay_plans as plan where ${isUpcoming(loanId, day)}
)`;

const Upcoming = z.object({
  amount: z.string(),
  date: z.string(),
  account_last_four: z.string().nullable(),
});

/** The loan's next autopay draw, with its account; null if there is none. */
export const findUpcomingDraw = (tx: Transaction, loanId: string) =>
  tx.maybeOne(sql.type(Upcoming)`
    select plan.next_draw_amount as amount, plan.next_draw_date as date,
           instrument.account_number_last_four as account_last_four
    from autopay_plans as plan
    join payment_instruments as instrument on instrument.id = plan.payment_instrument_id
    where ${isUpcoming(sql.fragment`${loanId}`, sql.fragment`app.business_date()`)}
  `);
