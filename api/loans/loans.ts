import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { addDays } from '../../jobs/dates.ts';
import { auditChange } from '../../jobs/audit.ts';
import { boardLoan } from '../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../jobs/loans/boarding/boarding-input.ts';
import { INSTALLMENT_STATUSES } from '../../jobs/loans/engine/bills.ts';
import {
  readBalances,
  projectBalances,
  readSchedule,
  listScheduleVersions,
} from '../../jobs/loans/history/balances.ts';
import { changeLoan, createLoan, termsLocked } from '../../jobs/loans/origination/create.ts';
import {
  FirstDelinquency,
  notBoarded,
  recordFirstDelinquency,
} from '../../jobs/loans/reporting/records/boarded-delinquency.ts';
import { setLoanPortfolio } from '../../jobs/portfolios/assign.ts';
import { loans as table } from '../../sql/loans/loans.ts';
import { findLocked } from '../../sql/table.ts';
import { date, integer, money, timestamp } from '../../sql/types.ts';
import { nested, resource } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { payments } from '../payments/payments.ts';
import { loanActions } from './actions.ts';
import { explainLoan } from './explanations.ts';
import { loanFields } from './fields.ts';
import { promoStatuses } from './promotions.ts';
import { rateCaps } from './rate-caps.ts';
import { loanRecords } from './records.ts';

export const loans = resource({
  name: 'Loan',
  path: 'loans',
  about:
    'A loan with its terms, its balances as of the business date, and the actions that its state allows (`allowed_actions`).',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,
  audited: true,

  fields: loanFields,
  filters: [
    'status',
    'borrower_id',
    'program_id',
    'product_id',
    'loan_officer_id',
    'portfolio_id',
    'external_id',
    'is_frozen',
    'is_accelerated',
    'is_non_accrual',
    'delinquency_bucket',
    'days_past_due',
    'loan_number',
    'labels',
    'origination_date',
    'maturity_date',
    'next_payment_date',
    'principal_balance',
  ],

  // The loan code does not know portfolios, so the API adds the loan to one here.
  conflicts: {
    update: () => [termsLocked(['interest_rate'], 'active')],
  },
  create: async (work, { portfolio_id = null, ...input }) => {
    const id = await createLoan(work, input);
    await setLoanPortfolio(work, id, portfolio_id, null);
    return id;
  },
  update: async (work, id, { portfolio_id, ...changes }, row) => {
    await changeLoan(work, id, changes, row);
    const from = row['portfolio_id'] as string | null;
    if (portfolio_id !== undefined) await setLoanPortfolio(work, id, portfolio_id, from);
  },
  nested: { payments: nested(payments, 'loan_id'), ...loanRecords },
  actions: loanActions,
});

const routeDefaults = { tag: 'loans', resource: 'loans' } as const;

const billedAmounts = z.object({
  amount: money.describe('The sum of the parts.'),
  principal: money.describe('The part that is principal.'),
  interest: money.describe('The part that is interest.'),
  fees: money.describe('The part that is fees.'),
});
const billSchema = z
  .object({
    due_date: date.nullable().describe('The next due date. Null if no installment follows.'),
    last_day_on_time: date.nullable().describe('The last day to pay without a late fee.'),
    installment: billedAmounts.describe('The unpaid amount of the installment due on that date.'),
    past_due: billedAmounts.describe('Amounts due earlier. After maturity, the full balance.'),
    fees_due: money.describe('Unpaid fees that are not part of an installment.'),
    amount_due: money.describe('The sum of the three.'),
  })
  .meta({ id: 'Bill' });

const lateFee = z
  .object({
    amount: money.describe('The late fee.'),
    last_day_on_time: date.describe('The last day on which a payment avoids it.'),
  })
  .nullable();

const projected = z.object({
  principal_balance: money.describe('The principal owed.'),
  accrued_interest: money.describe('Unpaid interest.'),
  outstanding_fees: money.describe('Unpaid fees.'),
  total_balance: money.describe('The sum of the three.'),
  next_payment_amount: money.describe('The unpaid amount of the next installment.'),
  next_payment_date: date.nullable().describe('The next due date. Null if no installment follows.'),
  payoff_amount: money.describe(
    'The amount that pays off the loan on that day: the whole debt with the prepayment penalty, minus money in suspense.',
  ),
  as_of_date: date.describe('The day of the figures.'),
  past_due_amount: money.describe('The unpaid amount that was due earlier.'),
  days_past_due: integer.describe(
    'Days since the oldest unpaid due date, without grace days and pauses.',
  ),
  bill: billSchema.describe('What the borrower has to pay next.'),
});

const balances = projected
  .extend({
    late_fee: lateFee.describe(
      'The late fee of the next installment, and the last day on which a payment avoids it. Null if no fee will follow, or for a past day.',
    ),
    past_due_late_fee: lateFee.describe('The same for installments that are already past due.'),
    next_draw: z
      .object({
        date: date.describe('The day of the draw.'),
        amount: money.describe('The amount of the draw.'),
      })
      .nullable()
      .describe(
        'The next autopay draw if nothing happens before. Null if nothing will be drawn, or for a past day.',
      ),
  })
  .meta({ id: 'Balances' });

const projection = z
  .object({
    ...projected.shape,
    assumption: z
      .literal('scheduled_payments_made')
      .describe('The figures assume that all scheduled payments are made.'),
    days: integer.describe('Days from the business date.'),
  })
  .meta({ id: 'BalanceProjection' });

export const installment = z
  .object({
    period_number: integer.describe('The number of the installment, counted from 1.'),
    due_date: date.describe('When it is due.'),
    payment_amount: money.describe('The agreed amount, or the amount paid for a paid installment.'),
    principal_amount: money.describe('The part that is principal.'),
    interest_amount: money.describe('The part that is interest.'),
    fees_amount: money.describe('The part that is fees.'),
    beginning_balance: money.describe('The principal before it.'),
    ending_balance: money.describe('The principal after it.'),
    paid_amount: money.describe('What was paid on it.'),
    paid_date: date.nullable().describe('The day on which it was paid in full.'),
    open_amount: money.describe(
      'The unpaid amount. For the last installment, everything owed by then.',
    ),
    status: z
      .enum(INSTALLMENT_STATUSES)
      .describe(
        '`upcoming`, `due` today, `paid`, `partially_paid`, `past_due`, `deferred` by a deferment, or `canceled` by an acceleration.',
      ),
    days_in_period: integer.describe('Days since the previous due date.'),
  })
  .meta({ id: 'Installment' });

const scheduleVersion = z
  .object({
    version: integer.describe('The number of the version, counted from 1.'),
    is_current: z.boolean().describe('Whether it applies now.'),
    reason: derivedFrom(
      z
        .string()
        .nullable()
        .describe(
          'The event that caused this version, such as schedule_agreed, disbursement, payment_returned or payment_found.',
        ),
      'cases.facts',
    ),
    created_at: timestamp,
    number_of_payments: integer.describe('How many installments it has.'),
    payment_amount: money.describe('The amount of most installments.'),
    first_due_date: date.describe('The first due date.'),
    last_due_date: date.describe('The last due date.'),
    total_of_payments: money.describe('The sum of all installments.'),
    installments: z
      .array(
        installment.omit({ paid_amount: true, paid_date: true, open_amount: true, status: true }),
      )
      .nullable()
      .describe('The agreed rows of the requested version.'),
  })
  .meta({ id: 'ScheduleVersion' });

export const loanRoutes: Route[] = [
  {
    ...routeDefaults,
    method: 'POST',
    path: '/loans/board',
    allow: 'loan_officer',
    action: 'board',
    status: 201,
    summary: 'Board an existing loan with its balances',
    description:
      'Takes over a loan from another servicer. Nothing is disbursed, and earlier history stays with that servicer. Books the balances on the business date and sends `loan.created`. Answers 422 if the data contradict each other or the installment does not repay the loan. For many loans use `npm run board`.',
    body: Boarding,
    reply: loans.reply,
    transaction: 'write',
    run: ({ work, body }) =>
      auditChange(work, table, 'board', null, () =>
        boardLoan(work, body as z.output<typeof Boarding>),
      ),
  },
  {
    ...routeDefaults,
    method: 'POST',
    path: '/loans/{id}/record-first-delinquency',
    allow: 'loan_officer',
    action: 'record-first-delinquency',
    status: 200,
    summary: 'Record the first delinquency of a boarded loan',
    description:
      'Use it if the date was missing or wrong when the loan was boarded. Credit bureaus receive it from the next record on, for as long as that delinquency lasts. Closes the task that asks for it. Answers 409 `not_boarded` for any other loan.',
    body: FirstDelinquency,
    conflicts: () => [notBoarded()],
    example: (today) => ({ first_delinquency_date: today }),
    reply: loans.reply,
    transaction: 'write',
    run: async ({ work, params, body }) => {
      const id = params['id'] ?? '';
      return auditChange(
        work,
        table,
        'record-first-delinquency',
        await findLocked(work.tx, table, id),
        async () => {
          await recordFirstDelinquency(work, id, body as z.output<typeof FirstDelinquency>);
          return id;
        },
      );
    },
  },
  {
    ...routeDefaults,
    method: 'GET',
    path: '/loans/{id}/get-balances',
    allow: 'viewer',
    action: 'get-balances',
    status: 200,
    summary: "Get the loan's balances today or on a past date",
    description:
      'Principal, interest, fees and the payoff amount at the end of a day, with the next bill, late fee and autopay draw.',
    query: z.object({
      as_of_date: date
        .optional()
        .describe(
          'The day. Default: the business date. Can be an earlier day since the loan was funded.',
        ),
      known: z
        .enum(['now', 'then'])
        .default('now')
        .describe(
          '`now` includes everything recorded since, also for that day. `then` shows what was known at the end of that day.',
        ),
    }),
    reply: balances,
    transaction: 'read',
    run: ({ work, params, query }) =>
      readBalances(
        work,
        params['id'] ?? '',
        query['as_of_date'] as string | undefined,
        query['known'] as 'now' | 'then',
      ),
  },
  {
    ...routeDefaults,
    method: 'GET',
    path: '/loans/{id}/get-future-balance-projection',
    allow: 'viewer',
    action: 'get-future-balance-projection',
    status: 200,
    summary: "Project the loan's balances on a future date",
    description:
      'Assumes that scheduled payments are made and that nothing else happens. Includes agreed changes, such as approved modifications.',
    query: z.object({
      as_of_date: date
        .optional()
        .describe(
          'Required: today or later. Assumes that every scheduled payment through this day is made. The answer equals `get-balances` at the end of that day. A payoff quote, by contrast, assumes no payment before its day.',
        ),
    }),
    example: (today) => ({ as_of_date: addDays(today, 30) }),
    reply: projection,
    transaction: 'read',
    run: ({ work, params, query }) =>
      projectBalances(work, params['id'] ?? '', query['as_of_date'] as string | undefined),
  },
  explainLoan,
  promoStatuses,
  rateCaps,
  {
    ...routeDefaults,
    method: 'GET',
    path: '/loans/{id}/amortization',
    allow: 'viewer',
    action: 'amortization',
    status: 200,
    summary: "Get the loan's schedule with payments applied",
    description:
      'One row for each installment, with what was paid on it and what is left. Empty before the loan is funded.',
    reply: z.array(installment),
    transaction: 'read',
    run: ({ work, params }) => readSchedule(work, params['id'] ?? ''),
  },
  {
    ...routeDefaults,
    method: 'GET',
    path: '/loans/{id}/schedule-versions',
    allow: 'viewer',
    action: 'schedule-versions',
    status: 200,
    summary: "List the loan's schedule versions, newest first",
    description:
      'Each disbursement, modification or other agreement makes a new version. Payments do not.',
    query: z.object({
      version: z.coerce
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .optional()
        .describe('Return only this version, with its rows.'),
    }),
    reply: z.array(scheduleVersion),
    transaction: 'read',
    run: ({ work, params, query }) =>
      listScheduleVersions(work, params['id'] ?? '', query['version'] as number | undefined),
  },
];
