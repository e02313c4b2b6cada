import { readAgreedRecords, type AgreedRecords } from '../../../sql/loans/agreed-records.ts';
import { addDays, latest } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import type { EventDraft, PaymentType } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import {
  historyOn,
  startFuture,
  type AgreedOutcome,
  type AgreedStep,
  type History,
} from '../engine/projection/agreed-steps.ts';
import { readTerms } from '../products/loan-terms.ts';
import { defermentFee, endOfDeferment, startOfDeferment } from './deferment.ts';
import { endOfForbearance, startOfForbearance } from './forbearance.ts';
import { buildModificationEvents, modificationFees } from './modification.ts';
import { defersInterest, endOfPromotion, startOfPromotion } from './promotion.ts';
import { startOfRateCap } from './rate-cap.ts';
import { fundingDate, resumeAccrual } from './resume-accrual.ts';
import { eventsOfScheduledPayment, type ScheduledPayment } from './scheduled-payment.ts';
import { isInService, type Standing } from './standing.ts';
import { describeChange, type ChangeKind } from './describe-change.ts';

/** A loan as read from the database. */
type ReadLoan = Standing & { row: { has_agreed_records: boolean } };

/**
 * The changes agreed for later days: reliefs that start or end, approved modifications and scheduled
 * payments. A step's events are those that the close will record. They do not include events that depend
 * on conduct: late fees, autopay draws, promotions broken by lateness, non-accrual and charge-offs.
 */
export async function readAgreedSteps(work: Work, loan: ReadLoan): Promise<AgreedStep[]> {
  if (!loan.row.has_agreed_records || fundingDate(loan) === null) return [];
  const records = await readAgreedRecords(work.tx, loan.row.id);
  const isPausing =
    records.forbearances.some(({ status }) => status === 'scheduled') &&
    (await settingsOf(work.tx)).delinquency.pause_in_forbearance;
  return stepsOf(records, { row: loan.row, today: work.today, isPausing });
}

/**
 * The loan on the morning of a day from today on, if the borrower makes only scheduled payments until then.
 * The events of the agreed steps are part of its history.
 */
export async function projectLoan<Loan extends ReadLoan>(
  work: Work,
  loan: Loan,
  on: string,
  isWanted: (step: AgreedStep) => boolean = () => true,
): Promise<Loan> {
  const steps = on > work.today ? await readAgreedSteps(work, loan) : [];
  return loanOn(loan, steps.filter(isWanted), on);
}

/** Like `projectLoan`, for known agreed steps. */
export function loanOn<Loan extends Standing>(
  loan: Loan,
  steps: readonly AgreedStep[],
  on: string,
): Loan {
  const { row, schedule, events } = loan;
  const known = { terms: readTerms(row), schedule, events };
  return { ...loan, ...standingOn(row, historyOn(startFuture(known, steps), on), on) };
}

type Ground = { row: Standing['row']; today: string; isPausing: boolean };

function stepsOf(records: AgreedRecords, ground: Ground): AgreedStep[] {
  const { freeze_until, forbearances, deferments, promotions, modifications, payments } = records;
  const { rate_caps } = records;
  return [
    ...(freeze_until === null ? [] : [freezeEnd(ground, freeze_until)]),
    ...rate_caps.map((cap) => rateCapStep(ground, cap)),
    ...promotions.flatMap((promotion) => promotionSteps(ground, promotion)),
    ...forbearances.map((forbearance) => forbearanceStep(ground, forbearance)),
    ...deferments.map((deferment) => defermentStep(ground, deferment)),
    ...modifications.map((modification) => modificationStep(ground, modification)),
    ...payments.map((payment) => paymentStep(ground, payment)),
  ];
}

type Taken = AgreedOutcome & { kind?: ChangeKind };
type Schedule = Pick<AgreedStep, 'date' | 'at' | 'rank' | 'joins_morning' | 'pays'>;

/**
 * A step of the loan. It takes place on the loan as it will be on that day. A step that the close would
 * refuse then has no effect, as in the close.
 */
function step(
  { row, today }: Ground,
  { date: wanted, ...when }: Schedule,
  take: (loan: Standing, date: string) => Taken,
): AgreedStep {
  const date = latest(wanted, today);
  return {
    ...when,
    date,
    is_overdue: wanted < today || (when.at === 'morning' && wanted === today),
    take: (history) => {
      const loan = standingOn(row, history, date);
      try {
        const { kind, ...taken } = take(loan, date);
        const isFelt = taken.events.some(changesAmounts);
        return { ...taken, change: kind && isFelt ? describeChange(kind, date) : null };
      } catch (error) {
        if (error instanceof Conflict || error instanceof Invalid) return { events: [] };
        throw error;
      }
    },
  };
}

/** These events change only when the borrower pays. */
const changesAmounts = ({ kind }: EventDraft) =>
  kind !== 'schedule_agreed' && kind !== 'delinquency_pause';

function standingOn(row: Standing['row'], history: History, as_of: string): Standing {
  const { terms, schedule, events } = history;
  const state = fold({ ...history, as_of });
  const status = row.status === 'active' && state.is_paid_off ? 'paid_off' : row.status;
  return { row: { ...row, status, payment_day: terms.payment_day }, schedule, events, state };
}

const freezeEnd = (ground: Ground, date: string): AgreedStep =>
  step(ground, { date, at: 'morning', rank: '0' }, (loan, on) => ({
    events: [resumeAccrual(loan, on, { reason: 'freeze' })],
    kind: 'freeze_end',
  }));

type PromotionRecord = AgreedRecords['promotions'][number];

function promotionSteps(ground: Ground, promotion: PromotionRecord): AgreedStep[] {
  const rank = `1 ${promotion.id}`;
  const after = addDays(promotion.end_date, 1);
  const end = step(ground, { date: after, at: 'morning', rank: `${rank} end` }, (loan, on) => ({
    events: isInService(loan) ? endOfPromotion(promotion, on, null) : [],
    kind: 'deferred_interest_due',
  }));
  const ends = defersInterest(promotion.promo_type) ? [end] : [];
  if (promotion.event_id !== null) return ends;
  const { start_date: date } = promotion;
  return [
    step(ground, { date, at: 'close', rank }, (loan, on) =>
      isInService(loan)
        ? {
            events: [startOfPromotion(loan, promotion, on)],
            follows: ends,
            kind: 'promotion_start',
          }
        : { events: [] },
    ),
  ];
}

function rateCapStep(ground: Ground, cap: AgreedRecords['rate_caps'][number]): AgreedStep {
  const { start_date: date, id } = cap;
  return step(ground, { date, at: 'close', rank: `0 ${id}` }, (loan) => ({
    events: startOfRateCap(loan, cap),
    kind: 'rate_cap_start',
  }));
}

type ForbearanceRecord = AgreedRecords['forbearances'][number];

function forbearanceStep(ground: Ground, forbearance: ForbearanceRecord): AgreedStep {
  const { start_date, end_date, id, status } = forbearance;
  const rank = `2 ${start_date} ${id}`;
  const date = addDays(end_date, 1);
  const end = step(ground, { date, at: 'morning', rank: `${rank} end` }, (loan, on) => ({
    events: endOfForbearance(loan, forbearance, on).events,
    kind: 'forbearance_end',
  }));
  if (status === 'active') return end;
  const settings = { pause_in_forbearance: ground.isPausing };
  const when = { date: start_date, at: 'close', rank, joins_morning: true } as const;
  return step(ground, when, (loan) =>
    isInService(loan)
      ? {
          events: startOfForbearance(loan, forbearance, settings),
          follows: [end],
          kind: 'forbearance_start',
        }
      : { events: [] },
  );
}

type DefermentRecord = AgreedRecords['deferments'][number];

function defermentStep(ground: Ground, deferment: DefermentRecord): AgreedStep {
  const { start_date: date, end_date, id, status } = deferment;
  const rank = `3 ${date} ${id}`;
  const endAfter = (last: string) =>
    step(ground, { date: addDays(last, 1), at: 'morning', rank: `${rank} end` }, (loan, on) => ({
      events: endOfDeferment(loan, deferment, on),
      kind: 'deferment_end',
    }));
  if (status === 'active' && end_date !== null) return endAfter(end_date);
  return step(ground, { date, at: 'close', rank, joins_morning: true }, (loan) => {
    if (!isInService(loan)) return { events: [] };
    const { events, end_date: last } = startOfDeferment(loan, deferment);
    const fee = defermentFee(deferment);
    const fees: EventDraft[] = fee ? [feeDraft(fee)] : [];
    return { events: [...events, ...fees], follows: [endAfter(last)], kind: 'deferment_start' };
  });
}

const feeDraft = ({ fee_type, amount, on }: { fee_type: string; amount: string; on: string }) =>
  ({ kind: 'fee', effective_date: on, fee_type, amount }) as const;

type ModificationRecord = AgreedRecords['modifications'][number];

function modificationStep(ground: Ground, modification: ModificationRecord): AgreedStep {
  const { effective_date: date, id, new_payment_day } = modification;
  return step(ground, { date, at: 'close', rank: `4 ${date} ${id}` }, (loan) => {
    if (!isInService(loan)) return { events: [] };
    const changes = buildModificationEvents(loan, modification);
    const fees = modificationFees(loan, modification).map(feeDraft);
    const payment_day = new_payment_day ?? loan.row.payment_day;
    const terms = readTerms({ ...loan.row, payment_day });
    return { events: [...changes, ...fees], terms, kind: 'modification' };
  });
}

type PaymentRecord = AgreedRecords['payments'][number];

function paymentStep(ground: Ground, record: PaymentRecord): AgreedStep {
  const { payment_date: date, id, amount } = record;
  const payment: ScheduledPayment & Pick<PaymentRecord, 'payment_plan_id'> = {
    ...record,
    payment_type: record.payment_type as PaymentType,
    allocation_override: record.allocation_override as ScheduledPayment['allocation_override'],
  };
  const { payment_type, allocation_override, payment_plan_id } = payment;
  const isPayoff = payment_type === 'payoff';
  const pays = {
    amount,
    is_regular: payment_type === 'regular' && allocation_override === null,
    is_of_plan: payment_plan_id !== null,
  };
  const rank = `${isPayoff ? '0' : '5'} ${date} ${id}`;
  const when = { date, at: 'close', rank, pays } as const;
  return step(ground, when, (loan, on) => ({
    events: eventsOfScheduledPayment(loan, payment, on),
    kind: 'scheduled_payment',
  }));
}
