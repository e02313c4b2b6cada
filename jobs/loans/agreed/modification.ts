import { Conflict, Invalid } from '../../errors.ts';
import { money, parseMoney, ZERO } from '../../money.ts';
import { onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import type { EventDraft, LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import type { LoanState } from '../engine/state.ts';
import { assertHasSchedule, refusalDetails } from '../products/refusals.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { nextPaymentDayAfter } from '../schedule/move-installments.ts';
import { feeAmount, loanFeeRules } from '../products/fee-amounts.ts';
import { readTerms } from '../products/loan-terms.ts';
import type { Standing } from './standing.ts';
import {
  countInstallments,
  isOnePayment,
  singleDueDate,
  ROWS_MAX,
  termFieldOf,
  type ModificationTerms,
  type ReplacedInstallments,
} from './new-term.ts';

/**
 * The events of a modification: rate change, capitalization, forgiveness, and a schedule that repays the
 * resulting debt. Terms that the modification does not name stay unchanged.
 */
export function buildModificationEvents(loan: Standing, change: ModificationTerms): EventDraft[] {
  const { row, schedule } = loan;
  const on = change.effective_date;
  assertNotAccelerated(loan);
  const amountEvents = [
    ...rateChange(change, on),
    ...capitalization(change, on),
    ...forgiveness(loan, change, on),
  ];
  const terms = readTerms(row);
  if (isBilledByCycle(terms)) {
    if (changesSchedule(change) || change.modification_type === 're_age') assertHasSchedule(row);
    return amountEvents;
  }
  const trial = fold({
    terms,
    schedule,
    events: [...loan.events, ...onTrial(amountEvents)],
    as_of: on,
  });
  if (parseMoney(trial.principal_balance).eq(0)) return amountEvents;
  const agreement = agreementOf(loan, trial, change);
  const plan: EventDraft = { kind: 'schedule_agreed', effective_date: on, agreement };
  assertRepays(loan, [...amountEvents, plan], on);
  return [...amountEvents, plan];
}

const onTrial = (drafts: readonly EventDraft[]): LoanEvent[] =>
  drafts.map((draft, at) => ({ ...draft, id: `trial-${at}` }));

function assertNotAccelerated({ row, state }: Standing) {
  if (!state.is_accelerated) return;
  throw loanAccelerated(refusalDetails(row));
}

/** A rate lowered for a servicemember limits fees too, because they count as interest (50 USC 3937(d)(1)). */
const rateChange = (
  { new_interest_rate, reason }: ModificationTerms,
  effective_date: string,
): EventDraft[] =>
  new_interest_rate === null
    ? []
    : [
        {
          kind: 'rate_change',
          effective_date,
          interest_rate: new_interest_rate,
          ...(reason === 'scra' && { forgives_fees: true }),
        },
      ];

const isCapitalized = (change: ModificationTerms) => ({
  interest: change.capitalize_interest || change.interest_treatment === 'capitalize',
  fees: change.capitalize_fees || change.fee_treatment === 'capitalize',
});

function capitalization(change: ModificationTerms, effective_date: string): EventDraft[] {
  const { interest, fees } = isCapitalized(change);
  if (!interest && !fees) return [];
  const portions = {
    ...(interest && { interest: 'all' as const }),
    ...(fees && { fees: 'all' as const }),
  };
  return [{ kind: 'capitalization', effective_date, ...portions }];
}

function forgiveness(
  { row, state }: Standing,
  change: ModificationTerms,
  effective_date: string,
): EventDraft[] {
  const principal = parseMoney(change.principal_forgiven);
  if (principal.gt(state.principal_balance)) {
    throw new Conflict(
      'The amount exceeds the principal. See principal_balance.',
      'exceeds_balance',
      {
        ...refusalDetails(row),
        principal_balance: state.principal_balance,
      },
    );
  }
  const portions = {
    ...(principal.gt(ZERO) && { principal: change.principal_forgiven }),
    ...(change.interest_treatment === 'waive' && { interest: 'all' as const }),
    ...(change.fee_treatment === 'waive' && { fees: 'all' as const }),
  };
  if (Object.keys(portions).length === 0) return [];
  return [{ kind: 'forgiveness', effective_date, ...portions }];
}

/** The installments that the new schedule replaces: the future ones, or all unpaid ones for `re_age`. */
function replacedInstallments(
  loan: Standing,
  trial: LoanState,
  { modification_type, effective_date }: ModificationTerms,
): ReplacedInstallments {
  const terms = readTerms(loan.row);
  const unpaid = trial.installments.filter(({ status }) => status !== 'paid');
  const toCome = unpaid.filter(({ due_date }) => due_date >= effective_date);
  const replaced = modification_type === 're_age' ? unpaid : toCome;
  const { payment_frequency, term_months, payment_day } = terms;
  const next = onePeriodAfter(payment_frequency, effective_date, term_months, payment_day);
  return {
    remaining: Math.max(1, replaced.length),
    first_number: replaced[0]?.period_number ?? trial.installments.length + 1,
    first_due: toCome[0]?.due_date ?? next,
  };
}

/** The schedule that the modification agrees. Terms that it does not name come from the loan. */
function agreementOf(loan: Standing, trial: LoanState, change: ModificationTerms): Agreement {
  const { new_payment_day, new_payment_amount } = change;
  const open = replacedInstallments(loan, trial, change);
  const isReAge = change.modification_type === 're_age';
  const first = firstDue(loan, trial, change, open);
  const count = countInstallments(loan, change, open, first);
  if (isPaymentDayChange(change)) {
    return { rule: 'moved', from: open.first_number, by: { payment_day: Number(new_payment_day) } };
  }
  const { interest } = isCapitalized(change);
  const isAnew = interest || change.interest_treatment === 'waive';
  const payment_day = new_payment_day ?? readTerms(loan.row).payment_day;
  return {
    rule: 'spread',
    from: isReAge ? 'oldest_unpaid' : open.first_number,
    ...((isReAge || changesSchedule(change)) && { dates: { first, count, payment_day } }),
    ...(new_payment_amount !== null && { payment_amount: new_payment_amount }),
    ...(isAnew && { accrues_from: change.effective_date }),
  };
}

/** Throws `Invalid` if the agreed payment never repays the loan. */
function assertRepays(
  { row, schedule, events }: Standing,
  fresh: readonly EventDraft[],
  on: string,
) {
  const all = [...events, ...onTrial(fresh)];
  const state = fold({ terms: readTerms(row), schedule, events: all, as_of: on });
  if (state.installments.length < ROWS_MAX) return;
  throw new Invalid({ new_payment_amount: 'These payments do not repay the loan.' });
}

/** Whether the modification changes due dates, payment amounts or the number of installments. */
const changesSchedule = (change: ModificationTerms) =>
  [
    change.new_payment_day,
    change.new_payment_amount,
    change.new_term_months,
    change.extend_months,
    change.new_maturity_date,
  ].some((wanted) => wanted !== null);

const isPaymentDayChange = (change: ModificationTerms) =>
  change.modification_type === 'due_date_change' && change.new_payment_day !== null;

function firstDue(
  loan: Standing,
  trial: LoanState,
  change: ModificationTerms,
  open: ReplacedInstallments,
) {
  const { new_payment_day } = change;
  if (isOnePayment(loan) && termFieldOf(change) !== null) return singleDueDate(loan, change, open);
  if (new_payment_day === null) return open.first_due;
  const frequency = readTerms(loan.row).payment_frequency;
  if (!['monthly', 'quarterly', 'semi_monthly'].includes(frequency))
    throw new Invalid({ new_payment_day: `A ${frequency} loan has no fixed day of the month.` });
  const next = trial.installments.find(({ due_date }) => due_date >= open.first_due);
  return next === undefined ? open.first_due : nextPaymentDayAfter(next.due_date, new_payment_day);
}

type ModificationFee = {
  fee_type: 'modification';
  amount: string;
  on: string;
  fee_rule_id: string | null;
};

/** The product's fees for a modification. */
export function modificationFees(
  { row, state }: Standing,
  { effective_date: on, reason }: Pick<ModificationTerms, 'effective_date' | 'reason'>,
): ModificationFee[] {
  if (state.forgives_fees || reason === 'scra') return [];
  return loanFeeRules(row)
    .filter(({ trigger }) => trigger === 'modification')
    .map((rule) => ({ rule, amount: money(feeAmount(rule, state.principal_balance)) }))
    .filter(({ amount }) => parseMoney(amount).gt(ZERO))
    .map(({ rule, amount }) => ({
      fee_type: 'modification',
      amount,
      on,
      fee_rule_id: rule.id ?? null,
    }));
}

export const loanAccelerated = (details: Record<string, unknown>) =>
  new Conflict(
    'The loan is accelerated. Reverse the acceleration first.',
    'loan_accelerated',
    details,
  );
