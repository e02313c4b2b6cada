import { z } from 'zod';
import { buildDashboard } from '../../jobs/portal/dashboard.ts';
import { date, money, text, uuid } from '../../sql/types.ts';
import { ALERTS } from '../../templates/alerts.ts';
import type { Route } from '../endpoints/route.ts';
import { loanFields } from '../loans/fields.ts';
import { statementForm } from './loans.ts';
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
      total_past_due: money.describe('The past-due amounts of all loans together.'),
      next_payment: z
        .object({
          amount: money.describe('The amount of the installment.'),
          due_date: date.describe('The day on which it is due.'),
          loan_number: text,
          loan_id: uuid,
          amount_due: money.describe('Including past-due amounts and unpaid fees.'),
        })
        .nullable()
        .describe('The next installment of all loans. Null if none is due any more.'),
      loans: z
        .array(
          z.object({
            id,
            loan_number,
            principal_balance,
            status,
            next_payment_date,
            next_payment_amount,
            past_due_amount,
            balance: money.describe('The total balance, including charged-off amounts.'),
            statement_form: statementForm,
          }),
        )
        .describe('The loans that the borrower owes.'),
      alerts: z
        .array(
          z.object({
            type: z.enum(ALERTS).describe('The kind of alert.'),
            message: z.string().describe("The alert as a sentence, in the borrower's language."),
            loan_id: uuid.nullable(),
            amount: money
              .nullable()
              .describe('The amount that the alert is about. Null if it is about none.'),
            date: date
              .nullable()
              .describe('The day that the alert is about. Null if it is about none.'),
          }),
        )
        .describe('What the borrower should know or do, most urgent first.'),
    })
    .meta({ id: 'PortalDashboard' }),
  run: ({ work }, borrowerId) => buildDashboard(work, borrowerId),
});
