import { z } from 'zod';
import { setPlan } from '../../sql/loans/plans.ts';
import {
  date,
  externalId,
  jsonObject,
  money,
  positiveMoney,
  rate,
  uuid,
  words,
} from '../../sql/types.ts';
import { Invalid } from '../errors.ts';
import { parseMoney } from '../money.ts';
import type { Work } from '../work.ts';
import { tellCreated, writeLoan, type NewLoan, type Parents } from './create.ts';
import { isTooFarOff } from './due-dates.ts';
import { happen, newEvent, openLoan } from './happen.ts';
import { boardedPlan } from './boarded-plan.ts';

export const BOARDING_STATUSES = [
  'pending',
  'approved',
  'active',
  'charged_off',
  'paid_off',
] as const;

/** Specification "Loan boarding payload", with the optional superset of decisions 3.27. */
export const Boarding = z.object({
  borrower_id: uuid,
  program_id: uuid,
  product_id: uuid,
  loan_number: words.max(50).nullish(),
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
  payment_day: z.int().min(1).max(31).nullish(),
  last_payment_date: date.nullish(),
  charge_off_date: date.nullish(),
  charge_off_amount: money.nullish(),
  portfolio_id: uuid.nullish(),
  metadata: jsonObject.optional(),
});
export type Boarding = z.output<typeof Boarding>;

/**
 * Takes over an existing loan with its balances: the entry `boarding` for what is owed, no
 * disbursement, no fee, no loan.disbursed. Its history before today stays with the previous servicer.
 */
export async function board(work: Work, input: Boarding, known?: Parents): Promise<string> {
  check(work, input);
  const balance = input.current_principal_balance ?? input.principal_amount;
  const loan = { ...newLoanOf(input), ...standingOf(work, input, balance) };
  const { id, loan_number } = await writeLoan(work, loan, known);
  if (input.status === 'active') await takeOver(work, id, input, balance);
  if (input.status === 'charged_off') await takeClaim(work, id, input.charge_off_amount ?? balance);
  await tellCreated(work, { ...loan, id, loan_number });
  return id;
}

/** The status that the loan comes with, and the columns that go with it. */
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

function check({ today }: Work, input: Boarding) {
  const errors: Record<string, string> = {};
  const { origination_date, first_payment_date, current_principal_balance: balance } = input;
  if (origination_date > today) errors['origination_date'] = 'Must not be in the future.';
  if (first_payment_date && first_payment_date < origination_date)
    errors['first_payment_date'] = 'Must not be before the origination.';
  if (first_payment_date && isTooFarOff(first_payment_date, origination_date))
    errors['first_payment_date'] = 'Must be within 40 years of the origination.';
  if (balance && parseMoney(balance).gt(parseMoney(input.principal_amount))) {
    errors['current_principal_balance'] = 'Must not be more than the principal amount.';
  }
  if (input.status === 'active' && balance && parseMoney(balance).eq(0)) {
    errors['current_principal_balance'] = 'Must be more than zero for an active loan.';
  }
  if (input.paid_through_date && input.paid_through_date < origination_date)
    errors['paid_through_date'] = 'Must not be before the origination.';
  if (input.paid_through_date && isTooFarOff(input.paid_through_date, today))
    errors['paid_through_date'] = 'Must be within 40 years.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/** The loss was the previous servicer's, so nothing is booked; what is still claimed is known. */
async function takeClaim(work: Work, id: string, charge_off_balance: string) {
  const event = { kind: 'boarding', effective_date: work.today, principal_balance: '0.00' };
  await happen(work, await openLoan(work, id), [newEvent({ ...event, charge_off_balance })]);
}

async function takeOver(work: Work, id: string, input: Boarding, balance: string) {
  const loan = await openLoan(work, id);
  const plan = boardedPlan(loan.row, input, balance, work.today);
  await setPlan(work.tx, id, {
    payment_amount: plan.at(-2)?.payment_amount ?? plan[0]?.payment_amount ?? null,
    first_payment_date: plan[0]?.due_date ?? null,
  });
  const event = newEvent({
    kind: 'boarding',
    effective_date: work.today,
    principal_balance: balance,
    accrued_interest: input.accrued_interest ?? '0.00',
    outstanding_fees: input.outstanding_fees ?? '0.00',
    paid_through_date: input.paid_through_date ?? work.today,
  });
  // What it comes with is no change to tell of: subscribers hear of the loan alone.
  await happen(work, { ...loan, row: { ...loan.row, status: 'boarding' } }, [event], plan);
}
