import { Big } from 'big.js';
import { z } from 'zod';
import { listRows, type ListRequest } from '../../../sql/list.ts';
import { loans } from '../../../sql/loans/loans.ts';
import * as stored from '../../../sql/loans/products/promotions.ts';
import { find, type Condition, type Row } from '../../../sql/table.ts';
import { date, rate, uuid, requiredText } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { addDays, addMonths } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { defersInterest } from '../agreed/promotion.ts';
import { openLoan, readLoan, type OpenLoan } from '../history/open-loan.ts';
import { updateAgreed } from '../history/record-events.ts';
import { assertAllowed } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import { startPromotion, deferredInterest, PROMO_TYPES } from './promotions.ts';

export const PromoActivation = z.object({
  name: requiredText.nullish().describe('The name of the promotion. Default: its type.'),
  promo_type: z
    .enum(PROMO_TYPES)
    .default('reduced_rate')
    .describe(
      '`reduced_rate` uses `promo_rate`. `zero_interest` accrues nothing. `deferred_interest` and `same_as_cash` ask for the interest only if debt remains after the promotion. `interest_only` bills only interest with the installments due by its end.',
    ),
  promo_rate: rate
    .nullish()
    .describe('The annual rate, below that of the loan. Required for `reduced_rate`.'),
  start_date: date
    .nullish()
    .describe('The first day. Default: the business date. Must not be in the past.'),
  end_date: date.nullish().describe('The last day. Required without `duration_months`.'),
  duration_months: z
    .int()
    .min(1)
    .max(120)
    .nullish()
    .describe('The length in months. Replaces `end_date`.'),
  conditions: z
    .object({
      max_dpd: z
        .int()
        .min(0)
        .max(365)
        .nullish()
        .describe(
          'The promotion ends when the loan is more than this many days past due. Deferred interest is then owed.',
        ),
    })
    .nullish()
    .describe('What ends the promotion early.'),
  promo_program_id: uuid
    .nullish()
    .describe('The id of the promotion in your own system. Stored with the promotion.'),
});
type PromoActivation = z.output<typeof PromoActivation>;

export const promoOverlap = (details: Record<string, unknown>) =>
  new Conflict('Another promotion covers some of these days.', 'promo_overlap', details);

/**
 * Starts or schedules a promotional rate or period. Throws `Conflict` if another promotion covers any of
 * its days. Returns the loan with its promotions.
 */
export async function activatePromo(work: Work, loanId: string, input: PromoActivation) {
  const loan = await openLoan(work, loanId);
  assertAllowed(loan.row, 'activate-promo');
  const { start_date, end_date } = datesOf(work, input);
  const promo_rate = rateOf(loan, input);
  if (await stored.overlapsPromotion(work.tx, loanId, start_date, end_date))
    throw promoOverlap(refusalDetails(loan.row));
  const id = await insert(work.tx, 'loan_promotions', {
    loan_id: loanId,
    name: input.name ?? input.promo_type.replaceAll('_', ' '),
    promo_type: input.promo_type,
    promo_rate,
    start_date,
    end_date,
    conditions: input.conditions ?? {},
    promo_program_id: input.promo_program_id ?? null,
  });
  if (start_date > work.today) await updateAgreed(work, loanId);
  else await startPromotion(work, loan, await stored.readPromotion(work.tx, id));
  return { ...(await find(work.tx, loans, loanId)), promotions: await promotionsOf(work, loanId) };
}

function datesOf({ today }: Work, input: PromoActivation) {
  const start_date = input.start_date ?? today;
  if (start_date < today) throw new Invalid({ start_date: 'Must not be in the past.' });
  const end_date = input.duration_months
    ? addDays(addMonths(start_date, input.duration_months), -1)
    : input.end_date;
  if (!end_date) throw new Invalid({ end_date: 'Give either this field or duration_months.' });
  if (end_date < start_date) throw new Invalid({ end_date: 'Must not be before start_date.' });
  return { start_date, end_date };
}

/** The rate during the promotion, or null if the promotion does not change the rate. */
function rateOf({ row }: OpenLoan, { promo_type, promo_rate }: PromoActivation): string | null {
  if (promo_type === 'zero_interest') return '0';
  if (promo_type !== 'reduced_rate') return null;
  if (!promo_rate) throw new Invalid({ promo_rate: 'Is required.' });
  if (parseRate(promo_rate).gte(row.interest_rate)) {
    throw new Invalid({
      promo_rate: `Must be below the rate of the loan, ${new Big(row.interest_rate).toFixed()}.`,
    });
  }
  return promo_rate;
}

const ALL: ListRequest = {
  conditions: [],
  sort: { field: 'start_date', descending: false },
  offset: 0,
  limit: 1000,
};

const promotionsOf = async (work: Work, loanId: string) =>
  (await listPromotions(work, loanId, ALL)).rows;

/** Lists a page of the loan's promotions, with the interest that each one defers. */
export async function listPromotions(work: Work, loanId: string, request: ListRequest) {
  const loan = await readLoan(work, loanId);
  const ofLoan: Condition = {
    field: 'loan_id',
    comparison: 'in',
    values: [loanId],
    type: 'uuid',
  };
  const conditions = [...request.conditions, ofLoan];
  const { rows, total } = await listRows(work.tx, stored.promotions, { ...request, conditions });
  return { rows: rows.map((row) => ({ ...row, ...deferredOf(loan, row) })), total };
}

const deferredOf = ({ state }: OpenLoan, row: Row) => ({
  deferred_interest:
    defersInterest(String(row['promo_type'])) && row['status'] === 'active'
      ? deferredInterest(state, String(row['start_date']))
      : '0.00',
});
