import { z } from 'zod';
import * as plans from '../../sql/payments/autopay-plans.ts';
import { autopayPlans } from '../../sql/payments/autopay-plans.ts';
import { acquireLoanLock } from '../../sql/loans/loans.ts';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { find, findLocked, type Row } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { date, flag, positiveMoney, prose, uuid } from '../../sql/types.ts';
import { phrase, matchLanguage } from '../../templates/portal/words.ts';
import { auditChange } from '../audit.ts';
import { assertInstrumentUsable } from '../borrowers/payment-instrument.ts';
import { Conflict } from '../errors.ts';
import {
  addAutopayPlan,
  AUTOPAY_AMOUNT_TYPES,
  cancelAutopayPlan,
  changeAutopayPlan,
  EXTRA_TOWARD,
} from '../payments/autopay/autopay-plan.ts';
import type { Work } from '../work.ts';
import { recordConsent, endConsent } from './consents.ts';
import { assertBankConfigured, assertIsBorrower, assertOwnLoan } from './own-loans.ts';

/** A borrower's enrollment. The draw dates are the loan's due dates. */
export const AutopayEnrollment = z.object({
  payment_instrument_id: uuid.describe('The verified bank account that is drawn on.'),
  amount_type: z
    .enum(AUTOPAY_AMOUNT_TYPES)
    .default('minimum_due')
    .describe(
      'How much to draw. `minimum_due`: the installment. `minimum_due_plus`: the same and `extra_amount`. `fixed`: `fixed_amount`. `past_due_and_current`: everything due by then, with fees. `statement_balance`: the last statement of a line with billing cycles, otherwise the same. `payoff`: everything. Never more than the debt.',
    ),
  fixed_amount: positiveMoney
    .nullish()
    .describe("The amount of each draw in the tenant's currency, for `fixed`."),
  extra_amount: positiveMoney
    .nullish()
    .describe("The amount above the installment in the tenant's currency, for `minimum_due_plus`."),
  extra_toward: z
    .enum(EXTRA_TOWARD)
    .default('principal')
    .describe(
      'What an amount above the minimum pays: the principal, or the next installment in advance.',
    ),
  start_date: date
    .nullish()
    .describe('The first due date that can be drawn for. Default: the business date.'),
  end_date: date.nullish().describe('The last due date that can be drawn for. Default: no end.'),
  consent_text: prose
    .nullish()
    .describe('The authorization text as the borrower saw it. Default: our text.'),
});

/**
 * Whether the loan is enrolled and currently draws. The plan itself is visible only to the person who
 * enrolled.
 */
export async function getAutopay(work: Work, borrowerId: string, loanId: string) {
  await assertOwnLoan(work, borrowerId, loanId);
  const id = await plans.findOpenPlanId(work.tx, loanId);
  const plan = id === null ? null : await find(work.tx, autopayPlans, id);
  return {
    is_enrolled: plan !== null,
    is_enabled: plan !== null && draws(plan),
    plan: plan?.['borrower_id'] === borrowerId ? plan : null,
  };
}

const draws = ({ status, is_enabled }: Row) => status === 'active' && is_enabled === true;

/** Enrolls a borrower's own loan with a verified account and records the consent. */
export async function enrollInAutopay(
  work: Work,
  borrowerId: string,
  loanId: string,
  { consent_text, ...input }: z.output<typeof AutopayEnrollment>,
) {
  await assertIsBorrower(work, borrowerId, loanId);
  await assertBankConfigured(work);
  await acquireLoanLock(work.tx, loanId);
  await assertVerified(work, borrowerId, input.payment_instrument_id);
  const consent_id = await recordConsent(work, {
    borrower_id: borrowerId,
    consent_type: 'autopay',
    consent_text: consent_text || (await authorizationText(work, borrowerId)),
  });
  const plan = { ...input, borrower_id: borrowerId, loan_id: loanId, consent_id };
  await auditChange(work, autopayPlans, 'enroll', null, () => addAutopayPlan(work, plan));
  return getAutopay(work, borrowerId, loanId);
}

/** The authorization text of our page, in the borrower's language. */
async function authorizationText({ tx }: Work, borrowerId: string) {
  const borrower = await find(tx, borrowers, borrowerId);
  const language = matchLanguage([String(borrower?.['language_preference'])]) ?? 'en';
  return phrase(language, 'autopay.agree', { tenant: (await currentTenant(tx)).name });
}

/** Cancels the plan. No further draws or retries happen. */
export async function cancelAutopay(work: Work, borrowerId: string, loanId: string) {
  const plan = await ownPlan(work, borrowerId, loanId);
  await auditChange(work, autopayPlans, 'cancel', plan, async () => {
    await cancelAutopayPlan(work, plan.id, 'borrower');
    if (typeof plan['consent_id'] === 'string') await endConsent(work, plan['consent_id']);
    return plan.id;
  });
  return getAutopay(work, borrowerId, loanId);
}

export const AutopaySwitch = z.object({
  enabled: flag.nullish().describe('Default: the opposite of the current state.'),
});

/**
 * Pauses or resumes the plan. Resumes a plan paused because of returned payments, but not one paused by
 * staff.
 */
export async function enableAutopay(
  work: Work,
  borrowerId: string,
  loanId: string,
  { enabled }: z.output<typeof AutopaySwitch>,
) {
  const plan = await ownPlan(work, borrowerId, loanId);
  const isOn = enabled ?? !draws(plan);
  if (isOn) await assertResumable(work, borrowerId, plan);
  const isPaused = plan['status'] === 'paused';
  const changes = { is_enabled: isOn, ...(isOn && isPaused && { status: 'active' }) };
  await auditChange(work, autopayPlans, 'enable', plan, async () => {
    await changeAutopayPlan(work, plan.id, changes, plan);
    return plan.id;
  });
  return getAutopay(work, borrowerId, loanId);
}

/**
 * The borrower's own open plan, locked together with its loan. Throws Conflict if there is none or it
 * belongs to another person.
 */
async function ownPlan(work: Work, borrowerId: string, loanId: string): Promise<Row> {
  await assertOwnLoan(work, borrowerId, loanId);
  await acquireLoanLock(work.tx, loanId);
  const id = await plans.findOpenPlanId(work.tx, loanId);
  const plan = id === null ? null : await findLocked(work.tx, autopayPlans, id);
  if (plan === null) throw new Conflict('The loan is not enrolled in autopay.', 'not_enrolled');
  if (plan['borrower_id'] !== borrowerId) {
    const message = 'Autopay for this loan uses the account of another person who owes it.';
    throw new Conflict(message, 'not_your_plan');
  }
  return plan;
}

/** A plan paused without failures was paused by staff, and only staff can resume it. */
async function assertResumable(work: Work, borrowerId: string, plan: Row) {
  if (plan['status'] === 'paused' && plan['consecutive_failures'] === 0) {
    const message = 'We paused autopay for this loan. Contact us to resume it.';
    throw new Conflict(message, 'autopay_paused', { current_status: 'paused' });
  }
  await assertVerified(work, borrowerId, String(plan['payment_instrument_id']));
}

const assertVerified = (work: Work, borrowerId: string, instrumentId: string) =>
  assertInstrumentUsable(work, borrowerId, instrumentId, { verified: true });
