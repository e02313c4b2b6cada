import { z } from 'zod';
import * as plans from '../../sql/payments/autopay-plans.ts';
import { consents } from '../../sql/borrowers/consents.ts';
import { autopayPlans } from '../../sql/payments/autopay-plans.ts';
import { acquireLoanLock } from '../../sql/loans/loans.ts';
import { find, findLocked, type Row } from '../../sql/table.ts';
import { flag, prose, uuid } from '../../sql/types.ts';
import { auditChange } from '../audit.ts';
import { assertInstrumentUsable } from '../borrowers/payment-instrument.ts';
import { Conflict } from '../errors.ts';
import {
  addAutopayPlan,
  cancelAutopayPlan,
  changeAutopayPlan,
} from '../payments/autopay/autopay-plan.ts';
import { autopayTerms } from '../payments/autopay/autopay-terms.ts';
import type { Work } from '../work.ts';
import { consentText } from './consent-texts.ts';
import { recordConsent, endConsent } from './consents.ts';
import { assertBankConfigured, assertIsBorrower, assertOwnLoan } from './own-loans.ts';

/** A borrower's enrollment. The draw dates are the loan's due dates. */
export const AutopayEnrollment = z.object({
  payment_instrument_id: uuid.describe('The verified bank account that is drawn on.'),
  ...autopayTerms,
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
  const own = plan?.['borrower_id'] === borrowerId ? plan : null;
  const consentId = own?.['consent_id'];
  return {
    is_enrolled: plan !== null,
    is_enabled: plan !== null && draws(plan),
    plan: own,
    authorization: typeof consentId === 'string' ? await find(work.tx, consents, consentId) : null,
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
    consent_text: consent_text || (await consentText(work, borrowerId, 'autopay')),
  });
  const plan = { ...input, borrower_id: borrowerId, loan_id: loanId, consent_id };
  await auditChange(work, autopayPlans, 'enroll', null, () => addAutopayPlan(work, plan));
  return getAutopay(work, borrowerId, loanId);
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
  if (plan === null) throw notEnrolled();
  if (plan['borrower_id'] !== borrowerId) throw notYourPlan();
  return plan;
}

export const notEnrolled = () =>
  new Conflict('The loan is not enrolled in autopay.', 'not_enrolled');
export const notYourPlan = () =>
  new Conflict(
    'Autopay for this loan uses the account of another person who owes it.',
    'not_your_plan',
  );

/** A plan paused without failures was paused by staff, and only staff can resume it. */
async function assertResumable(work: Work, borrowerId: string, plan: Row) {
  if (plan['status'] === 'paused' && plan['consecutive_failures'] === 0) throw pausedByStaff();
  await assertVerified(work, borrowerId, String(plan['payment_instrument_id']));
}

const assertVerified = (work: Work, borrowerId: string, instrumentId: string) =>
  assertInstrumentUsable(work, borrowerId, instrumentId, { verified: true });

export const pausedByStaff = () =>
  new Conflict('We paused autopay for this loan. Contact us to resume it.', 'autopay_paused', {
    current_status: 'paused',
  });
