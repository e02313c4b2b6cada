import type { Nested } from '../declaration.ts';
import { collateral } from '../collateral/items.ts';
import { nested } from '../resource.ts';
import { disbursements } from './disbursements.ts';
import { draws } from './draws.ts';
import { fees } from './fees.ts';
import { serviceCredits } from './service-credits.ts';
import { suspense } from './suspense.ts';

/** The records beneath a loan, at /loans/{id}/… */
export const loanRecords: Record<string, Nested> = {
  collateral: nested(collateral, 'loan_id', ['list']),
  suspense: nested(suspense, 'loan_id', ['list']),
  'service-credits': nested(serviceCredits, 'loan_id'),
  fees: nested(fees, 'loan_id'),
  disbursements: nested(disbursements, 'loan_id'),
  draws: nested(draws, 'loan_id'),
};

/** The same records by their own ids. */
export const recordRoutes = [serviceCredits, fees, disbursements, draws].flatMap(
  ({ routes }) => routes,
);
