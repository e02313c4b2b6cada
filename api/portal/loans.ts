import { z } from 'zod';
import { STATEMENTS } from '../../jobs/cases/rules/effects.ts';
import { explainOwnLoan, findOwnLoan, type OwnQuestion } from '../../jobs/portal/debt.ts';
import { assertOwnLoan, liabilityFields } from '../../jobs/portal/own-loans.ts';
import { readSchedule } from '../../jobs/loans/history/balances.ts';
import { LIABLE_ROLES, listLoansOwedBy } from '../../sql/loans/co-borrowers.ts';
import { portalLoans as table } from '../../sql/portal/loans.ts';
import { date, flag, money, signedMoney } from '../../sql/types.ts';
import { LANGUAGES } from '../../templates/portal/words.ts';
import { filterByIds, fetchPage } from '../endpoints/record-operations.ts';
import type { Route } from '../endpoints/route.ts';
import { explanation, explanationQuery } from '../loans/explanations.ts';
import { loanFields } from '../loans/fields.ts';
import { installment } from '../loans/loans.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';

/** How the portal shows the amounts of a loan. */
export const statementForm = z
  .enum(STATEMENTS)
  .describe(
    'How to show the amounts. `no_demand`: without a request to pay what is past due. `bankruptcy`: for information only, with the words of statements in bankruptcy.',
  );

/** The loan fields that borrowers see. Amounts equal those that staff see. */
const portalLoanFields = z
  .object(loanFields)
  .pick({
    id: true,
    loan_number: true,
    status: true,
    loan_type: true,
    principal_amount: true,
    principal_balance: true,
    accrued_interest: true,
    outstanding_fees: true,
    total_balance: true,
    suspense_balance: true,
    charge_off_balance: true,
    interest_rate: true,
    current_rate: true,
    term_months: true,
    remaining_term: true,
    payment_amount: true,
    payment_frequency: true,
    next_payment_date: true,
    next_payment_amount: true,
    amount_due: true,
    fees_due: true,
    past_due_amount: true,
    days_past_due: true,
    last_payment_date: true,
    last_payment_amount: true,
    maturity_date: true,
    origination_date: true,
    paid_off_at: true,
    credit_limit: true,
    available_credit: true,
    created_at: true,
  })
  .extend({
    total_paid: signedMoney.describe(
      'The total of all payments that were not reversed, minus refunds. Includes what the previous servicer received, if it is known.',
    ),
    has_earlier_payments: flag.describe(
      'Whether payments to the previous servicer are known: `list-payments` or `list-earlier-transactions` has them.',
    ),
    boarded_on: date
      .nullable()
      .describe('When we took the loan over. Earlier payments were made to the previous servicer.'),
    can_pay: flag.describe('Whether the loan accepts payments now.'),
  });

const portalLoan = portalLoanFields
  .extend({
    liable_as: z.enum(LIABLE_ROLES).describe('How the signed-in borrower is liable for the loan.'),
    can_change: flag.describe(
      'Whether the signed-in person can change how the loan is paid. Only borrowers can.',
    ),
  })
  .meta({ id: 'PortalLoan' });

const loanDetail = portalLoan
  .extend({
    payoff_amount: money.describe('The maximum payment today.'),
    statement_form: statementForm,
  })
  .meta({ id: 'PortalLoanDetail' });

export const portalLoans: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/loans',
    action: 'list-loans',
    summary: "List the borrower's loans",
    description: 'All loans that the borrower owes, also as co-borrower, co-signer or guarantor.',
    reply: portalLoan,
    list: {
      name: 'loans',
      fields: portalLoanFields.shape,
      filters: ['status', 'loan_number', 'loan_type'],
      hasSearch: true,
      isArchivable: false,
    },
    run: async (call, borrowerId) => {
      const owed = await listLoansOwedBy(call.work.tx, borrowerId);
      const roles = new Map(owed.map(({ loan_id, role }) => [loan_id, liabilityFields(role)]));
      const page = await fetchPage(
        { ...call, list: filterByIds(call.list, [...roles.keys()]) },
        table,
      );
      const rows = page.rows.map((row) => ({ ...row, ...roles.get(row.id) }));
      return { ...page, rows };
    },
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/loans/{id}',
    action: 'show-loan',
    summary: "Get one of the borrower's loans",
    description:
      'Includes the maximum payment of today. Answers 404 for a loan that the borrower does not owe.',
    reply: loanDetail,
    run: ({ work, params }, borrowerId) => findOwnLoan(work, borrowerId, params['id'] ?? ''),
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/loans/{id}/amortization',
    action: 'amortization',
    summary: "Get the loan's schedule with payments applied",
    description: 'All installments with the amounts paid, from the first to the last.',
    reply: z.array(installment),
    run: async ({ work, params: { id = '' } }, borrowerId) => {
      await assertOwnLoan(work, borrowerId, id);
      return readSchedule(work, id);
    },
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/loans/{id}/explain',
    action: 'explain-loan',
    summary: 'Explain how a figure of the loan is calculated',
    description:
      'Like `GET /loans/{id}/explain`, for the figures that the portal shows. Omits why interest is paused and why a ' +
      'late fee was not charged.',
    query: explanationQuery.extend({
      language: z
        .enum(LANGUAGES)
        .optional()
        .describe("The language of the sentences. Default: the borrower's language."),
    }),
    example: () => ({ figure: 'payoff_amount' }),
    reply: explanation,
    run: ({ work, params, query }, borrowerId) =>
      explainOwnLoan(work, borrowerId, params['id'] ?? '', query as OwnQuestion),
  }),
];
