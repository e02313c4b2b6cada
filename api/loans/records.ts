import { collateral } from '../collateral/items.ts';
import type { Nested } from '../endpoints/declaration.ts';
import { nested } from '../endpoints/resource.ts';
import { adverseActionNotices } from './adverse-action-notices.ts';
import { coBorrowers } from './co-borrowers.ts';
import { creditCorrections } from './credit-corrections.ts';
import { creditDisputes } from './credit-disputes.ts';
import { creditReporting } from './credit-reporting.ts';
import { deferments } from './deferments.ts';
import { disbursements } from './disbursements.ts';
import { draws } from './draws.ts';
import { earlierTransactions } from './earlier-transactions.ts';
import { fees } from './fees.ts';
import { forbearances } from './forbearances.ts';
import { forms1099c } from './forms-1099c.ts';
import { modifications } from './modifications.ts';
import { paymentPlans } from './payment-plans.ts';
import { payoffQuotes } from './payoff-quotes.ts';
import { promisesToPay } from './promises-to-pay.ts';
import { serviceCredits } from './service-credits.ts';
import { suspenseApplications } from './suspense-applications.ts';
import { suspense } from './suspense.ts';

/** Child records, at /loans/{id}/… */
export const loanRecords: Record<string, Nested> = {
  collateral: nested(collateral, 'loan_id', ['list']),
  'co-borrowers': nested(coBorrowers, 'loan_id'),
  modifications: nested(modifications, 'loan_id'),
  forbearances: nested(forbearances, 'loan_id'),
  deferments: nested(deferments, 'loan_id'),
  'payment-plans': nested(paymentPlans, 'loan_id'),
  'promises-to-pay': nested(promisesToPay, 'loan_id'),
  'payoff-quotes': nested(payoffQuotes, 'loan_id'),
  suspense: nested(suspense, 'loan_id', ['list']),
  'suspense-applications': nested(suspenseApplications, 'loan_id'),
  'service-credits': nested(serviceCredits, 'loan_id'),
  fees: nested(fees, 'loan_id'),
  disbursements: nested(disbursements, 'loan_id'),
  draws: nested(draws, 'loan_id'),
  'earlier-transactions': nested(earlierTransactions, 'loan_id', ['list']),
  'credit-reporting': nested(creditReporting, 'loan_id', ['list']),
  'credit-corrections': nested(creditCorrections, 'loan_id', ['list']),
  'credit-disputes': nested(creditDisputes, 'loan_id'),
  '1099c': nested(forms1099c, 'loan_id'),
  'adverse-action-notices': nested(adverseActionNotices, 'loan_id'),
};

/** The same records, addressed by their own ids. */
export const recordRoutes = Object.values(loanRecords)
  .filter(({ child }) => child !== collateral)
  .flatMap(({ child }) => child.routes);
