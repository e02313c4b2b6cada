import { z } from 'zod';
import { activatePromo, PromoActivation } from '../../jobs/loans/workouts/activate-promo.ts';
import { changeDueDate, DueDateChange } from '../../jobs/loans/workouts/change-due-date.ts';
import { reschedule, Reschedule } from '../../jobs/loans/workouts/reschedule.ts';
import { findPayOutBlocker, disburseOrAdd } from '../../jobs/loans/funding/disburse.ts';
import { Disbursement } from '../../jobs/loans/funding/first-disbursement.ts';
import { assertStatusAllows } from '../../jobs/loans/history/statuses.ts';
import {
  Approval,
  approveLoan,
  findApprovalBlocker,
} from '../../jobs/loans/origination/approve.ts';
import { cancelLoan, Cancellation } from '../../jobs/loans/origination/cancel.ts';
import {
  ComplianceCheckRequest,
  CHECK_STATUSES,
  runComplianceChecks,
} from '../../jobs/loans/origination/compliance.ts';
import { Denial, denyLoan } from '../../jobs/loans/origination/deny.ts';
import { payOffLoan, PayOffRequest } from '../../jobs/loans/payoff/close-by-payoff.ts';
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

const complianceRun = z
  .object({
    loan_id: uuid,
    passed: flag,
    run_at: timestamp,
    checks: z.array(
      z.object({
        code: text,
        name: text,
        status: z.enum(CHECK_STATUSES),
        message: text,
        details: ownJson,
      }),
    ),
  })
  .meta({ id: 'ComplianceRun' });

/** Actions on a loan other than changing its fields. */
export const loanActions: Record<string, Action> = {
  deny: action({
    allow: 'loan_officer',
    summary: 'Deny a pending loan',
    body: Denial,
    assert: assertStatusAllows,
    run: denyLoan,
  }),
  disburse: action({
    allow: 'loan_officer',
    summary: 'Fund an approved loan or disburse more of the approved amount',
    body: Disbursement,
    four_eyes: 'disbursements',
    objection: findPayOutBlocker,
    run: disburseOrAdd,
  }),
  cancel: action({
    allow: 'loan_officer',
    summary: 'Withdraw a loan before it is funded',
    body: Cancellation,
    assert: assertStatusAllows,
    run: cancelLoan,
  }),
  'charge-off': action({
    allow: 'admin',
    summary: 'Charge off a defaulted loan',
    body: ChargeOff,
    run: chargeOff,
  }),
  'reverse-charge-off': action({
    allow: 'admin',
    summary: 'Reverse a charge-off',
    body: ChargeOffReversal,
    run: reverseChargeOff,
  }),
  'pay-off': action({
    allow: 'loan_officer',
    summary: 'Record the payoff and close the loan',
    body: PayOffRequest,
    run: payOffLoan,
  }),
  'non-accrual': action({
    allow: 'admin',
    summary: 'Place a loan on non-accrual or return it to accrual',
    body: NonAccrual,
    run: setNonAccrual,
  }),
  'assign-officer': action({
    allow: 'admin',
    summary: 'Assign a loan to an officer',
    body: Assignment,
    run: assignOfficer,
  }),
  reschedule: action({
    allow: 'loan_officer',
    summary: 'Reschedule payments',
    body: Reschedule,
    run: reschedule,
  }),
  'change-due-date': action({
    allow: 'loan_officer',
    summary: 'Change the due day of future payments',
    body: DueDateChange,
    run: changeDueDate,
  }),
  freeze: action({
    allow: 'admin',
    summary: 'Freeze a loan',
    body: Freeze,
    run: freeze,
  }),
  unfreeze: action({
    allow: 'admin',
    summary: 'Unfreeze a loan',
    body: Unfreeze,
    run: unfreeze,
  }),
  accelerate: action({
    allow: 'admin',
    summary: 'Accelerate a loan',
    body: Acceleration,
    run: accelerate,
  }),
  'reverse-acceleration': action({
    allow: 'admin',
    summary: 'Reverse acceleration',
    body: AccelerationReversal,
    run: reverseAcceleration,
  }),
  'activate-promo': action({
    allow: 'loan_officer',
    summary: 'Start a promotion',
    body: PromoActivation,
    reply: z.object({ ...loanFields, promotions: z.array(promotion) }).meta({ id: 'PromotedLoan' }),
    run: activatePromo,
  }),
  'run-compliance-checks': action({
    allow: 'loan_officer',
    summary: 'Run compliance checks',
    body: ComplianceCheckRequest,
    reply: complianceRun,
    run: runComplianceChecks,
  }),
  'add-labels': action({
    allow: 'loan_officer',
    summary: 'Add labels',
    body: Labels,
    run: addLabels,
  }),
  'remove-labels': action({
    allow: 'loan_officer',
    summary: 'Remove labels',
    body: Labels,
    run: removeLabels,
  }),
  approve: action({
    allow: 'loan_officer',
    summary: 'Approve a pending loan',
    body: Approval,
    assert: assertStatusAllows,
    objection: findApprovalBlocker,
    run: approveLoan,
  }),
};
