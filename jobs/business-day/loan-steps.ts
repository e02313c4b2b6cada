import * as plans from '../../sql/payments/autopay-plans.ts';
import * as due from '../../sql/business-day/due-loans.ts';
import { loansWithDueModification } from '../../sql/loans/workouts/modifications.ts';
import { loansWithActivePlan } from '../../sql/loans/workouts/payment-plans.ts';
import { loansWithPendingPromise } from '../../sql/loans/workouts/promises-to-pay.ts';
import * as promotions from '../../sql/loans/products/promotions.ts';
import { loansWithRateCapChange } from '../../sql/loans/rate-caps.ts';
import { loansWithReliefChange } from '../../sql/loans/workouts/reliefs.ts';
import { loansWithApplicableSuspense } from '../../sql/loans/suspense-applications.ts';
import { dueTransfers } from '../../sql/portfolios/servicing-transfers.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import { startAndEndDeferments } from '../loans/workouts/deferments.ts';
import { endCycle } from '../loans/workouts/end-cycle.ts';
import { startAndEndForbearances } from '../loans/workouts/forbearances.ts';
import { applyDueModifications } from '../loans/workouts/modifications.ts';
import { evaluatePaymentPlan } from '../loans/workouts/payment-plans.ts';
import { evaluatePromises } from '../loans/workouts/promises-to-pay.ts';
import { advancePromotion } from '../loans/workouts/promotions.ts';
import { assessLateFees } from '../loans/fees/late-fees.ts';
import { openLoan } from '../loans/history/open-loan.ts';
import { startAndEndRateCaps } from '../loans/history/rate-caps/start-and-end-rate-caps.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import { postMissedInterest } from '../loans/history/missed-interest.ts';
import { isLegallyAllowed } from '../cases/legally-allowed.ts';
import { chargeOff, ChargeOff } from '../loans/servicing-actions/charge-off.ts';
import { unfreeze } from '../loans/servicing-actions/freeze.ts';
import { NonAccrual, setNonAccrual } from '../loans/servicing-actions/non-accrual.ts';
import { payBillsFromSuspense } from '../payments/apply-suspense.ts';
import { runAutopay } from '../payments/autopay/run-autopay.ts';
import { executeScheduledPayment } from '../payments/execute-scheduled.ts';
import { executeTransfer } from '../portfolios/servicing-transfers/execute-transfer.ts';
import { settleSale } from '../portfolios/settle-sale.ts';
import type { Settings } from '../users/settings/settings.ts';
import { defineLoanStep, type LoanStep } from './run-steps.ts';

/** A loan sold today changes owner before anything else happens to it. */
const settleSales = defineLoanStep('portfolio_sale', sales.dueSales, settleSale);

/** A loan that leaves for another servicer leaves before any draw of its last day. */
const transferServicing = defineLoanStep('servicing_transfer', dueTransfers, executeTransfer);

/** A freeze with an end date ends before the day's accrual. */
const endFreezes = defineLoanStep('freeze_end', due.loansWithEndingFreeze, (work, { id }) =>
  unfreeze(work, id, {}),
);

/** A legal cap of the rate that was recorded ahead starts on its first day. */
const startAndEndDueRateCaps = defineLoanStep('rate_cap', loansWithRateCapChange, (work, { id }) =>
  startAndEndRateCaps(work, id),
);

/** Promotions start on their first day, end after their last day, and break with their conditions. */
const advancePromotions = defineLoanStep(
  'promotion',
  promotions.duePromotions,
  (work, { id, loan_id, is_broken }) => advancePromotion(work, id, loan_id, is_broken),
);

const startAndEndDueForbearances = defineLoanStep(
  'forbearances',
  loansWithReliefChange('forbearances'),
  (work, { id }) => startAndEndForbearances(work, id),
);
const startAndEndDueDeferments = defineLoanStep(
  'deferments',
  loansWithReliefChange('deferments'),
  (work, { id }) => startAndEndDeferments(work, id),
);
const modifyDueLoans = defineLoanStep('modifications', loansWithDueModification, (work, { id }) =>
  applyDueModifications(work, id),
);
const executeScheduledPayoffs = defineLoanStep(
  'scheduled_payoff',
  due.dueScheduledPayments('payoff'),
  (work, { id }) => executeScheduledPayment(work, id),
);
const executeScheduledPayments = defineLoanStep(
  'scheduled_payment',
  due.dueScheduledPayments('other'),
  (work, { id }) => executeScheduledPayment(work, id),
);
const payFromSuspense = defineLoanStep('suspense', loansWithApplicableSuspense, (work, { id }) =>
  payBillsFromSuspense(work, id),
);
const drawAutopay = defineLoanStep('autopay', plans.duePlans, (work, { id }) =>
  runAutopay(work, id),
);

/** On the last day of a line's billing cycle, its minimum payment is fixed. */
const endCycles = defineLoanStep('billing_cycle', due.loansWithEndingCycle, (work, { id }) =>
  endCycle(work, id),
);

/** Continues the outlook of loans before it ends. */
const refoldDueLoans = defineLoanStep('fold', due.loansToRefold, async (work, { id }) => {
  await recordEvents(work, await openLoan(work, id), [], { extendsOutlook: true });
});

const recordMissedInterest = defineLoanStep(
  'missed_interest',
  due.loansWithMissedInterest,
  (work, { id }) => postMissedInterest(work, id),
);
const chargeLateFees = defineLoanStep('late_fee', due.loansToAssessLateFees, (work, { id }) =>
  assessLateFees(work, id),
);
const stopAccruals = defineLoanStep(
  'non_accrual',
  due.loansPastDaysPastDueThreshold('non_accrual'),
  (work, { id }) => setNonAccrual(work, id, NonAccrual.parse({ enabled: true, reason: 'dpd_90' })),
);
const chargeOffLate = defineLoanStep(
  'charge_off',
  due.loansPastDaysPastDueThreshold('charge_off'),
  async (work, { id }) =>
    (await isLegallyAllowed(work, id, 'charge_off')) &&
    chargeOff(work, id, ChargeOff.parse({ force: true })),
);
const evaluateDuePromises = defineLoanStep('promises', loansWithPendingPromise, (work, { id }) =>
  evaluatePromises(work, id),
);
const evaluateDuePlans = defineLoanStep('payment_plans', loansWithActivePlan, (work, { id }) =>
  evaluatePaymentPlan(work, id),
);

/**
 * The steps for individual loans, in order. A payoff comes first, because a quote for the day leaves out what
 * starts at its close. Reliefs and modifications take effect before other payments. Scheduled payments and
 * suspense come before autopay draws. A billing cycle ends after all payments of its
 * day. Promises are evaluated last, when all payments are recorded.
 */
export const loanSteps = ({ non_accrual, charge_off, suspense }: Settings): LoanStep[] => [
  settleSales,
  transferServicing,
  endFreezes,
  executeScheduledPayoffs,
  startAndEndDueRateCaps,
  advancePromotions,
  startAndEndDueForbearances,
  startAndEndDueDeferments,
  modifyDueLoans,
  executeScheduledPayments,
  ...(suspense.pays_bills ? [payFromSuspense] : []),
  drawAutopay,
  endCycles,
  refoldDueLoans,
  recordMissedInterest,
  chargeLateFees,
  ...(non_accrual.auto ? [stopAccruals] : []),
  ...(charge_off.auto_enabled ? [chargeOffLate] : []),
  evaluateDuePromises,
  evaluateDuePlans,
];
