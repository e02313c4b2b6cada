import { z } from 'zod';
import {
  activatePromo,
  PromoActivation,
  promoOverlap,
} from '../../jobs/loans/workouts/activate-promo.ts';
import { changeDueDate, DueDateChange } from '../../jobs/loans/workouts/change-due-date.ts';
import { reschedule, Reschedule } from '../../jobs/loans/workouts/reschedule.ts';
import { findPayOutBlocker, disburseOrAdd } from '../../jobs/loans/funding/disburse.ts';
import { Disbursement } from '../../jobs/loans/funding/first-disbursement.ts';
import { refusalDetails } from '../../jobs/loans/products/refusals.ts';
import { assertStatusAllows, refusalsOfAction } from '../../jobs/loans/history/statuses.ts';
import {
  Approval,
  approveLoan,
  complianceFailed,
  findApprovalBlocker,
} from '../../jobs/loans/origination/approve.ts';
import { cancelLoan, Cancellation } from '../../jobs/loans/origination/cancel.ts';
import {
  ComplianceCheckRequest,
  CHECK_STATUSES,
  runComplianceChecks,
} from '../../jobs/loans/origination/compliance.ts';
import { Denial, denyLoan } from '../../jobs/loans/origination/deny.ts';
import {
  insufficientPayoff,
  payOffLoan,
  PayOffRequest,
  quoteNotActive,
} from '../../jobs/loans/payoff/close-by-payoff.ts';
import {
  accelerate,
  Acceleration,
  AccelerationReversal,
  reverseAcceleration,
} from '../../jobs/loans/servicing-actions/accelerate.ts';
import { Assignment, assignOfficer } from '../../jobs/loans/servicing-actions/assign-officer.ts';
import {
  chargeOff,
  ChargeOff,
  ChargeOffReversal,
  notDefaulted,
  reverseChargeOff,
} from '../../jobs/loans/servicing-actions/charge-off.ts';
import { freeze, Freeze, unfreeze, Unfreeze } from '../../jobs/loans/servicing-actions/freeze.ts';
import { addLabels, Labels, removeLabels } from '../../jobs/loans/servicing-actions/label.ts';
import { NonAccrual, setNonAccrual } from '../../jobs/loans/servicing-actions/non-accrual.ts';
import { flag, ownJson, text, timestamp, uuid } from '../../sql/types.ts';
import type { Action } from '../endpoints/declaration.ts';
import { action } from '../endpoints/resource.ts';
import { loanFields } from './fields.ts';
import { promotion } from './promotions.ts';
import { disclosureOutdated } from '../../jobs/loans/funding/funding-disclosure.ts';
import { feesExceedDisbursement } from '../../jobs/loans/fees/origination-fees.ts';
import { aprTooHigh } from '../../jobs/loans/origination/cost.ts';
import { settingsIncomplete } from '../../jobs/documents/required-settings.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

const complianceRun = z
  .object({
    loan_id: uuid,
    passed: flag.describe('Whether no check failed.'),
    run_at: timestamp.describe('When the checks ran.'),
    checks: z
      .array(
        z.object({
          code: text.describe('The name of the check in settings and programs.'),
          name: text.describe('What it checks.'),
          status: z
            .enum(CHECK_STATUSES)
            .describe('A `fail` blocks the approval under hard enforcement. A `warn` does not.'),
          message: text.describe('The finding in words.'),
          details: ownJson.describe('Facts behind the result, such as the level of enforcement.'),
        }),
      )
      .describe('The checks and their results.'),
  })
  .meta({ id: 'ComplianceRun' });

/** The details of a refusal of a loan with this status. */
const shownFor = (status: string) => refusalDetails({ status, blockers: {} });

const actions: Record<string, Action> = {
  deny: action({
    allow: 'loan_officer',
    summary: 'Deny a pending loan',
    description:
      'Sends the borrower the adverse action notice by letter, and `loan.status_changed` to subscribers. Without specific reasons, the notice says how to get them. If settings are missing, the notice waits as a draft with a task (`adverse-action-notices`). Cannot be undone.',
    body: Denial,
    example: () => ({ reasons: ['income_insufficient'] }),
    assert: assertStatusAllows,
    run: denyLoan,
  }),
  disburse: action({
    allow: 'loan_officer',
    summary: 'Disburse a loan',
    description:
      'Funds an approved loan, or disburses more of the approved amount. The first disbursement activates the loan, creates the schedule and charges the fees of the product. Sends `loan.disbursed`, `loan.status_changed` and `fee.assessed`. Orders a new disclosure if the cost has changed. Answers 409 during the right of rescission, above the approved amount, or `disclosure_outdated` under hard enforcement: then disburse again after the borrower received the corrected disclosure.',
    conflicts: () => [
      disclosureOutdated(shownFor('approved')),
      feesExceedDisbursement({ amount: '100.00', fee_deducted: '120.00' }),
    ],
    body: Disbursement,
    four_eyes: 'disbursements',
    objection: findPayOutBlocker,
    run: disburseOrAdd,
  }),
  cancel: action({
    allow: 'loan_officer',
    summary: 'Cancel a loan before it is funded',
    description:
      'Possible until money was disbursed; later answers 409 `already_disbursed`. Ends autopay and sends `loan.status_changed`.',
    body: Cancellation,
    assert: assertStatusAllows,
    run: cancelLoan,
  }),
  'charge-off': action({
    allow: 'admin',
    summary: 'Charge off a defaulted loan',
    description:
      'Moves the debt off the books. The borrower still owes it, and later payments are recoveries. With amount, charges off only part of the principal, and the loan continues with the rest. Ends autopay and sends `loan.status_changed`, or `loan.partly_charged_off`. Answers 409 `not_defaulted` if the settings require a default.',
    body: ChargeOff,
    conflicts: () => [notDefaulted({ ...shownFor('active'), days_past_due: 12 })],
    run: chargeOff,
  }),
  'reverse-charge-off': action({
    allow: 'admin',
    summary: 'Reverse a charge-off',
    description:
      'Reverses the latest charge-off, as if it had never happened, and sends `loan.status_changed`. Answers 409 if part of it was already recovered, or the previous servicer charged the loan off.',
    body: ChargeOffReversal,
    run: reverseChargeOff,
  }),
  'pay-off': action({
    allow: 'loan_officer',
    summary: 'Pay off a loan',
    description:
      'Records the debt of the day as one payment and closes the loan. An amount within the tolerance is written off. Sends `payment.received` and `loan.status_changed`, and creates a task to release the liens of a secured loan. Answers 409 `insufficient_payoff` if the amount is too small, and `quote_not_active` for an old quote.',
    body: PayOffRequest,
    conflicts: () => [
      insufficientPayoff({ ...shownFor('active'), payoff_amount: '9301.99' }),
      quoteNotActive({ ...shownFor('active'), quote_status: 'superseded' }),
    ],
    run: payOffLoan,
  }),
  'non-accrual': action({
    allow: 'admin',
    summary: 'Place a loan on non-accrual or return it to accrual',
    description:
      'On non-accrual no interest accrues and payments repay principal first. Unpaid interest leaves the books, but the borrower still owes it. Does nothing if the loan already is in that state.',
    body: NonAccrual,
    example: () => ({ enabled: true }),
    run: setNonAccrual,
  }),
  'assign-officer': action({
    allow: 'admin',
    summary: 'Assign a loan to an officer',
    description: 'Send null to remove the officer. The history keeps earlier assignments.',
    body: Assignment,
    example: () => ({ loan_officer_id: EXAMPLE_ID }),
    run: assignOfficer,
  }),
  reschedule: action({
    allow: 'loan_officer',
    summary: "Reschedule a loan's payments",
    description:
      'Moves the due dates of future installments. Past due amounts stay due. Give exactly one of new_first_payment_date, shift_days, shift_periods and installments. Answers 409 if the loan has no future installments or is billed by cycle.',
    body: Reschedule,
    example: () => ({ shift_days: 10 }),
    run: reschedule,
  }),
  'change-due-date': action({
    allow: 'loan_officer',
    summary: "Change a loan's due day",
    description:
      'The next installment moves to a later date, and interest accrues by the day until then. Does nothing if the loan already has that day. Answers 409 if payments are not monthly or quarterly, or no installment is left.',
    body: DueDateChange,
    example: () => ({ payment_day: 15 }),
    run: changeDueDate,
  }),
  freeze: action({
    allow: 'admin',
    summary: 'Freeze a loan',
    description:
      'Stops accrual and late fees. The loan still accepts payments, but refuses draws and further disbursements. Possible in every status. Does nothing if the loan is frozen.',
    body: Freeze,
    run: freeze,
  }),
  unfreeze: action({
    allow: 'admin',
    summary: 'Unfreeze a loan',
    description:
      'Accrual resumes. The frozen days earn no interest. Does nothing if the loan is not frozen.',
    body: Unfreeze,
    run: unfreeze,
  }),
  accelerate: action({
    allow: 'admin',
    summary: 'Accelerate a loan',
    description:
      'The whole debt becomes due today, and the future installments end. Autopay draws nothing more, except a plan for the payoff. Does nothing if the loan is accelerated. Answers 409 if the loan is over.',
    body: Acceleration,
    run: accelerate,
  }),
  'reverse-acceleration': action({
    allow: 'admin',
    summary: "Reverse a loan's acceleration",
    description:
      'Restores the installments as if the loan had never been accelerated, and reapplies later payments to them.',
    body: AccelerationReversal,
    run: reverseAcceleration,
  }),
  'activate-promo': action({
    allow: 'loan_officer',
    summary: 'Start a promotion for a loan',
    description:
      'Takes effect on its first day. Answers 409 `promo_overlap` if another promotion covers some of these days, and `interest_follows_plan` if the schedule determines the interest of the loan.',
    body: PromoActivation,
    example: () => ({ promo_rate: '0.0499', duration_months: 6 }),
    conflicts: () => [promoOverlap(shownFor('active'))],
    reply: z
      .object({
        ...loanFields,
        promotions: z.array(promotion).describe('All promotions of the loan.'),
      })
      .meta({ id: 'PromotedLoan' }),
    run: activatePromo,
  }),
  'run-compliance-checks': action({
    allow: 'loan_officer',
    summary: "Run a loan's compliance checks",
    description:
      'Runs the requested checks, otherwise those of the program, and stores the result. A check that cannot be made fails at the level `hard`. Sends `compliance.failed` if a check fails or warns. Changes nothing on the loan.',
    body: ComplianceCheckRequest,
    reply: complianceRun,
    run: runComplianceChecks,
  }),
  'add-labels': action({
    allow: 'loan_officer',
    summary: 'Add labels to a loan',
    description: 'Skips labels that the loan already has. Maximum: 50 labels.',
    body: Labels,
    run: addLabels,
  }),
  'remove-labels': action({
    allow: 'loan_officer',
    summary: 'Remove labels from a loan',
    description: 'Ignores labels that the loan does not have.',
    body: Labels,
    run: removeLabels,
  }),
  approve: action({
    allow: 'loan_officer',
    summary: 'Approve a pending loan',
    description:
      'Runs the compliance checks, unless the settings skip them, and orders the cost disclosure as a document. Starts the right of rescission if the product has one. Sends `loan.status_changed`, and `compliance.failed` if a check fails or warns. Answers 409 `compliance_failed` if a check fails and the settings enforce checks.',
    body: Approval,
    conflicts: () => [
      complianceFailed({ ...shownFor('pending'), failed_checks: [] }),
      aprTooHigh({ ...shownFor('pending'), apr: '12000' }),
      settingsIncomplete('account_opening_disclosure', ['branding.address_line_1']),
    ],
    assert: assertStatusAllows,
    objection: findApprovalBlocker,
    run: approveLoan,
  }),
};

/** Actions on a loan other than changing its fields. */
export const loanActions: Record<string, Action> = Object.fromEntries(
  Object.entries(actions).map(([name, action]) => {
    const conflicts = () => [...(action.conflicts?.() ?? []), ...refusalsOfAction(name)];
    return [name, { ...action, conflicts }];
  }),
);
