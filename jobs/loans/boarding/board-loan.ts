import { z } from 'zod';
import { countDelinquencies } from '../../../sql/loans/boarding.ts';
import { isActive } from '../../../sql/portfolios/investors.ts';
import * as portfolios from '../../../sql/portfolios/portfolios.ts';
import {
  date,
  externalId,
  flag,
  jsonObject,
  money,
  positiveMoney,
  rate,
  uuid,
  requiredText,
} from '../../../sql/types.ts';
import { Invalid } from '../../errors.ts';
import { addAssignment } from '../../portfolios/loan-assignment.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { recordEvents, openLoan } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import {
  validateNewLoan,
  emitLoanCreated,
  insertLoan,
  type NewLoan,
  type LoanParents,
} from '../origination/create.ts';
import { setRescissionEnd } from '../origination/rescission.ts';
import { boardedSchedule, originalSchedule } from '../schedule/boarded-schedule.ts';
import { readTerms, type TermsSource } from '../products/loan-terms.ts';
import { boardedApr } from './boarded-rate.ts';
import { interestSincePaid } from './boarded-interest.ts';
import { assertRepays, checkBoarding } from './check-boarding.ts';

export const BOARDING_STATUSES = [
  'pending',
  'approved',
  'active',
  'charged_off',
  'paid_off',
] as const;

const times = z.int().min(0).max(600).default(0);

/**
 * How often the loan has been 30, 60 and 90 days past due so far. A loan that was 60 days past due was also
 * 30 days past due.
 */
const TimesDelinquent = z
  .strictObject({ 30: times, 60: times, 90: times })
  .refine(
    (counts) => counts[30] >= counts[60] && counts[60] >= counts[90],
    'Must not increase with the number of days.',
  );

/** Specification "Loan boarding payload", with the optional superset. */
export const Boarding = z.object({
  borrower_id: uuid,
  program_id: uuid,
  product_id: uuid,
  loan_number: requiredText.max(50).nullish(),
  principal_amount: positiveMoney,
  current_principal_balance: money.nullish(),
  interest_rate: rate,
  term_months: z.int().min(1).max(600),
  origination_date: date,
  first_payment_date: date.nullish(),
  status: z.enum(BOARDING_STATUSES).default('active'),
  external_id: externalId.nullish(),
  accrued_interest: money.nullish(),
  outstanding_fees: money.nullish(),
  paid_through_date: date.nullish(),
  payment_amount: positiveMoney.nullish(),
  has_balloon: flag
    .nullish()
    .describe(
      'The lender agreed to a final payment that is larger than the others. Otherwise the request fails with 422.',
    ),
  payment_day: z.int().min(1).max(31).nullish(),
  last_payment_date: date.nullish(),
  charge_off_date: date.nullish(),
  charge_off_amount: money.nullish(),
  portfolio_id: uuid.nullish(),
  investor_id: uuid.nullish().describe('The owner of the whole loan. Its ledger stays here.'),
  times_delinquent: TimesDelinquent.nullish(),
  payment_history_profile: z
    .string()
    .regex(/^[0-6BDEGHJKLZ]{24}$/, 'Must be the 24 marks of Metro 2, the newest month first.')
    .nullish()
    .describe('For earlier months, as the previous servicer reported them.'),
  metadata: jsonObject.optional(),
});
export type Boarding = z.output<typeof Boarding>;

/**
 * Boards an existing loan with its balances. A `boarding` event books the debt. There is no
 * disbursement, no fee and no `loan.disbursed` event. The history before today stays with the previous
 * servicer.
 */
export async function boardLoan(work: Work, input: Boarding, known?: LoanParents): Promise<string> {
  checkBoarding(work, input);
  await assertPlaces(work, input);
  const balance = input.current_principal_balance ?? input.principal_amount;
  const wanted = { ...newLoanOf(input), ...standingOf(work, input, balance) };
  const checked = await validateNewLoan(work, wanted, known);
  const terms = readTerms(checked as NewLoan & TermsSource);
  const original = originalSchedule(terms, input);
  const place = { balance, today: work.today };
  const schedule = boardedSchedule(terms, input, original, place);
  if (input.status === 'active') assertRepays(terms, input, schedule, place);
  // Another lender disclosed the loan, so its APR is computed from its terms.
  const loan = { ...checked, apr: boardedApr(terms, input, original) };
  const { id, loan_number } = await insertLoan(work, loan);
  if (input.status === 'active') {
    const accrued_interest =
      input.accrued_interest ?? interestSincePaid(terms, input, schedule, place);
    await takeOver(work, id, { ...input, accrued_interest }, { balance, schedule });
  }
  if (input.status === 'approved')
    await setRescissionEnd(work, (await openLoan(work, id)).row, input.origination_date);
  if (input.status === 'charged_off') await takeClaim(work, id, input, balance);
  if (input.investor_id) await addAssignment(work, { loan_id: id, investor_id: input.investor_id });
  await emitLoanCreated(work, { ...wanted, id, loan_number });
  return id;
}

/** The boarded status and the columns that depend on it. */
function standingOf({ today }: Work, input: Boarding, balance: string) {
  const { status, origination_date, charge_off_date, charge_off_amount } = input;
  const isFunded = !['pending', 'approved'].includes(status);
  const isChargedOff = status === 'charged_off';
  return {
    status,
    disbursed_amount: isFunded ? input.principal_amount : '0.00',
    origination_date,
    disbursement_date: isFunded ? origination_date : null,
    paid_off_at: status === 'paid_off' ? new Date().toISOString() : null,
    charged_off_at: charge_off_date ?? (isChargedOff ? today : null),
    charge_off_amount: isChargedOff ? (charge_off_amount ?? balance) : null,
    ...pastOf(input),
  };
}

function newLoanOf(input: Boarding): NewLoan {
  const { borrower_id, program_id, product_id, principal_amount, interest_rate, term_months } =
    input;
  const own = { borrower_id, program_id, product_id, principal_amount, interest_rate, term_months };
  const { external_id, portfolio_id, metadata, first_payment_date } = input;
  const payment_day =
    input.payment_day ?? (first_payment_date ? Number(first_payment_date.slice(8)) : null);
  return {
    ...own,
    external_id,
    payment_day,
    loan_number: input.loan_number ?? undefined,
    portfolio_id,
    metadata,
    first_payment_date,
  };
}

/** The payment history with the previous servicer. */
const pastOf = ({ last_payment_date, payment_history_profile, times_delinquent }: Boarding) => ({
  last_payment_date,
  payment_history_profile,
  times_delinquent_30: times_delinquent?.[30] ?? 0,
  times_delinquent_60: times_delinquent?.[60] ?? 0,
  times_delinquent_90: times_delinquent?.[90] ?? 0,
});

const lastPaymentOf = ({ last_payment_date }: Boarding) =>
  last_payment_date ? { last_payment_date } : {};

/** Throws `Invalid` if the investor or the portfolio cannot take the loan. */
async function assertPlaces(work: Work, { investor_id, portfolio_id, status }: Boarding) {
  const errors: Record<string, string> = {};
  if (investor_id && !(await isActive(work.tx, investor_id)))
    errors['investor_id'] = 'Must be an active investor.';
  if (investor_id && !['approved', 'active', 'charged_off'].includes(status))
    errors['investor_id'] = `A loan that is ${status.replaceAll('_', ' ')} has no owner.`;
  if (portfolio_id) {
    const [portfolio] = await portfolios.lock(work.tx, [portfolio_id]);
    if (!portfolio) errors['portfolio_id'] = 'Does not exist.';
    else if (
      portfolio.portfolio_type !== 'static' ||
      portfolio.status === 'sold' ||
      portfolio.is_archived
    )
      errors['portfolio_id'] = 'Must be an active static portfolio.';
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/**
 * Records the amount that the borrower still owes. Nothing is booked, because the previous servicer already
 * took the loss.
 */
async function takeClaim(work: Work, id: string, input: Boarding, balance: string) {
  const event = newEvent({
    kind: 'boarding',
    effective_date: work.today,
    principal_balance: '0.00',
    charge_off_balance: input.charge_off_amount ?? balance,
    ...lastPaymentOf(input),
  });
  await recordEvents(work, await openLoan(work, id), [event]);
}

async function takeOver(
  work: Work,
  id: string,
  input: Boarding,
  { balance, schedule }: { balance: string; schedule: readonly ScheduleRow[] },
) {
  const loan = await openLoan(work, id);
  const event = newEvent({
    kind: 'boarding',
    effective_date: work.today,
    principal_balance: balance,
    accrued_interest: input.accrued_interest ?? '0.00',
    outstanding_fees: input.outstanding_fees ?? '0.00',
    paid_through_date: input.paid_through_date ?? work.today,
    ...lastPaymentOf(input),
  });
  const { days_past_due } = await recordEvents(work, loan, [event], { schedule });
  if (days_past_due >= 30) await countDelinquencies(work.tx, { id, days_past_due });
}
