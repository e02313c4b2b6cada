import { z } from 'zod';
import { buildDashboard } from '../../jobs/portal/dashboard.ts';
import { date, money, text, uuid } from '../../sql/types.ts';
import { ALERTS } from '../../templates/alerts.ts';
import type { Route } from '../endpoints/route.ts';
import { loanFields } from '../loans/fields.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';

const { id, loan_number, principal_balance, status, next_payment_date, next_payment_amount } =
  loanFields;
const { past_due_amount } = loanFields;

export const portalDashboard: Route = borrowerEndpoint({
  method: 'GET',
  path: '/portal/dashboard',
  action: 'dashboard',
  is_report: true,
  summary: "Get the borrower's dashboard",
  description:
    'The balances of all loans, the next payment, and alerts such as a returned payment, in the language of the borrower.',
  reply: z
    .object({
      borrower_name: loanFields.borrower_name,
      total_balance: money.describe(
        'The total of all loans, including charged-off balances that are still owed.',
      ),
      total_past_due: money,
      next_payment: z
        .object({
          amount: money,
          due_date: date,
          loan_number: text,
          loan_id: uuid,
          amount_due: money.describe('Including past-due amounts and unpaid fees.'),
        })
        .nullable(),
      loans: z.array(
        z.object({
          id,
          loan_number,
          principal_balance,
          status,
          next_payment_date,
          next_payment_amount,
          past_due_amount,
          balance: money.describe('The total balance, including charged-off amounts.'),
        }),
      ),
      alerts: z.array(
        z.object({
          type: z.enum(ALERTS),
          message: z.string(),
          loan_id: uuid.nullable(),
          amount: money.nullable(),
          date: date.nullable(),
        }),
      ),
    })
    .meta({ id: 'PortalDashboard' }),
  run: ({ work }, borrowerId) => buildDashboard(work, borrowerId),
});
