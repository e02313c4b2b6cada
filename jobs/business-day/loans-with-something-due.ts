import * as plans from '../../sql/borrowers/autopay-plans.ts';
import * as due from '../../sql/business-day/loans-with-something-due.ts';
import { loansToModify } from '../../sql/loans/modifications.ts';
import { loansPlanned } from '../../sql/loans/payment-plans.ts';
import { loansPromised } from '../../sql/loans/promises-to-pay.ts';
import * as promotions from '../../sql/loans/promotions.ts';
import { loansTurning } from '../../sql/loans/reliefs.ts';
import { loansToServe } from '../../sql/loans/suspense-applications.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import { turnDeferments } from '../loans/agreements/deferments.ts';
import { endCycle } from '../loans/agreements/end-cycle.ts';
import { turnForbearances } from '../loans/agreements/forbearances.ts';
import { applyDueModifications } from '../loans/agreements/modifications.ts';
import { judgePlan } from '../loans/agreements/payment-plans.ts';
import { judgePromises } from '../loans/agreements/promises-to-pay.ts';
import { follow } from '../loans/agreements/promotions.ts';
import { assessLateFees } from '../loans/fees/late-fees.ts';
import { happen, openLoan } from '../loans/history/happen.ts';
import { bookMissedInterest } from '../loans/history/missed-interest.ts';
import { chargeOff, ChargeOff } from '../loans/standing/charge-off.ts';
import { unfreeze } from '../loans/standing/freeze.ts';
import { NonAccrual, setNonAccrual } from '../loans/standing/non-accrual.ts';
import { payBillsFromSuspense } from '../payments/apply-suspense.ts';
import { runAutopay } from '../payments/autopay/run-autopay.ts';
import { executeScheduled } from '../payments/execute-scheduled.ts';
import { settleSale } from '../portfolios/settle-sale.ts';
import type { Settings } from '../users/settings.ts';
import { forEachDue, type Step } from './set-aside.ts';

/** A sale that settles on the day: the loan changes hands before anything else happens to it. */
const settleSales = forEachDue('portfolio_sale', sales.due, settleSale);

/** A freeze that was given an end is over before the day accrues. */
const endFreezes = forEachDue('freeze_end', due.endingFreezes, (work, { id }) =>
  unfreeze(work, id, {}),
);

/** Promotions begin on their first day, end after their last, and break with their conditions. */
const movePromotions = forEachDue('promotion', promotions.due, (work, { id, loan_id, is_broken }) =>
  follow(work, id, loan_id, is_broken),
);

const turnDueForbearances = forEachDue(
  'forbearances',
  loansTurning('forbearances'),
  (work, { id }) => turnForbearances(work, id),
);
const turnDueDeferments = forEachDue('deferments', loansTurning('deferments'), (work, { id }) =>
  turnDeferments(work, id),
);
const modify = forEachDue('modifications', loansToModify, (work, { id }) =>
  applyDueModifications(work, id),
);
const makePayments = forEachDue('scheduled_payment', due.scheduledPayments, (work, { id }) =>
  executeScheduled(work, id),
);
const payFromSuspense = forEachDue('suspense', loansToServe, (work, { id }) =>
  payBillsFromSuspense(work, id),
);
const drawAutopay = forEachDue('autopay', plans.due, (work, { id }) => runAutopay(work, id));

/** The last day of a line's billing cycle: what the cycle asks for is fixed. */
const endCycles = forEachDue('billing_cycle', due.endingCycles, (work, { id }) =>
  endCycle(work, id),
);

/** Interest that takes another pace tomorrow gets its anchor today. */
const foldAgain = forEachDue('fold', due.toFold, async (work, { id }) => {
  await happen(work, await openLoan(work, id), []);
});

const catchUp = forEachDue('missed_interest', due.withMissedInterest, (work, { id }) =>
  bookMissedInterest(work, id),
);
const chargeLateFees = forEachDue('late_fee', due.lateLoans, (work, { id }) =>
  assessLateFees(work, id),
);
const stopAccruals = forEachDue('non_accrual', due.tooLate('non_accrual'), (work, { id }) =>
  setNonAccrual(work, id, NonAccrual.parse({ enabled: true, reason: 'dpd_90' })),
);
const chargeOffLate = forEachDue('charge_off', due.tooLate('charge_off'), (work, { id }) =>
  chargeOff(work, id, ChargeOff.parse({ force: true })),
);
const judgeDuePromises = forEachDue('promises', loansPromised, (work, { id }) =>
  judgePromises(work, id),
);
const judgeDuePlans = forEachDue('payment_plans', loansPlanned, (work, { id }) =>
  judgePlan(work, id),
);

/**
 * What the day holds for some of the loans, in this order: what begins or ends takes effect
 * before payments are made, payments that were ordered and money that waits in suspense come before
 * autopay asks for money, a billing cycle ends after all money of its day, and promises are judged when all payments of the day are in.
 */
export const stepsOf = ({ non_accrual, charge_off, suspense }: Settings): Step[] => [
  settleSales,
  endFreezes,
  movePromotions,
  turnDueForbearances,
  turnDueDeferments,
  modify,
  makePayments,
  ...(suspense.pays_bills ? [payFromSuspense] : []),
  drawAutopay,
  endCycles,
  foldAgain,
  catchUp,
  chargeLateFees,
  ...(non_accrual.auto ? [stopAccruals] : []),
  ...(charge_off.auto_enabled ? [chargeOffLate] : []),
  judgeDuePromises,
  judgeDuePlans,
];
