import { z } from 'zod';
import { derivedFrom, sourcesOfSetFields } from '../../jobs/facts.ts';
import {
  AssignmentResult,
  AssignLoans,
  assignLoans,
  AutoAssign,
  autoAssign,
  alreadyAssigned,
  portfolioSold,
  notDynamic,
  notStatic,
  portfolioArchived,
} from '../../jobs/portfolios/assign.ts';
import {
  BuybackResult,
  Buyback,
  buyBack,
  loansTransferred,
} from '../../jobs/portfolios/buy-back.ts';
import { CancelSale, cancelSale, notSold, saleSettled } from '../../jobs/portfolios/cancel-sale.ts';
import { Criteria } from '../../jobs/portfolios/criteria.ts';
import { DECLINE_REASONS } from '../../jobs/portfolios/loan-assignment.ts';
import { addPortfolio, changePortfolio } from '../../jobs/portfolios/portfolio.ts';
import {
  Sale,
  sellPortfolio,
  alreadySold,
  alreadyOwned,
  investorInactive,
  saleForbidden,
} from '../../jobs/portfolios/sell.ts';
import { Transfer, TransferResult, transferLoans } from '../../jobs/portfolios/transfer.ts';
import { portfolios as table } from '../../sql/portfolios/portfolios.ts';
import {
  PERIODS,
  Vintage,
  listVintages,
  type VintagePeriod,
} from '../../sql/portfolios/vintages.ts';
import {
  date,
  flag,
  integer,
  money,
  prose,
  timestamps,
  timestamp,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import { action, findOrThrow, nested, resource } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { snapshots } from './snapshots.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

export const portfolios = resource({
  name: 'Portfolio',
  path: 'portfolios',
  about: 'A group of loans, for reporting or for a sale.',
  area: 'portfolios',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name of the portfolio. Must be unique.'),
    portfolio_type: z
      .enum(['static', 'dynamic'])
      .default('static')
      .describe(
        '`static`: you add loans. `dynamic`: close of business adds loans that meet the criteria.',
      ),
    description: prose.nullish().describe('What the portfolio is for.'),
    criteria: Criteria.default({}).describe(
      'What a loan must meet to enter a dynamic portfolio. Only approved or active loans without a portfolio enter. Loans stay when they no longer meet the criteria.',
    ),
    status: z
      .enum(['active', 'sold', 'archived'])
      .readonly()
      .describe('Whether it is sold or archived.'),
    investor_id: uuid
      .nullish()
      .describe(
        'The investor for whom you keep the portfolio, for your records. A sale that settles sets its buyer.',
      ),
    sold_at: timestamp.nullable().readonly().describe('When the sale was recorded.'),
    sale_date: date.nullable().readonly().describe('The day of the agreement.'),
    sale_price: money.nullable().readonly().describe('The agreed price.'),
    servicing_retained: flag
      .nullable()
      .readonly()
      .describe('Whether you continue to service the loans.'),
    buyer_id: uuid
      .nullable()
      .readonly()
      .describe('The buyer, who becomes the investor when the sale settles.'),
    settlement_date: date.nullable().readonly().describe('The day on which the sale settles.'),
    settled_on: date.nullable().readonly().describe('The business date on which it settled.'),
    settled_price: money.nullable().readonly().describe('For the loans that were transferred.'),
    left_out: z
      .array(
        z.object({
          loan_id: uuid,
          reason: z.enum(DECLINE_REASONS).describe('Why the loan was not sold.'),
        }),
      )
      .readonly()
      .describe('Loans in the agreement that were not sold, with the reason.'),
    loan_count: integer.readonly().describe('How many loans are in it.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['name', 'portfolio_type', 'status', 'investor_id'],

  carries: ({ criteria }) => sourcesOfSetFields(Criteria, criteria ?? {}),
  create: addPortfolio,
  update: changePortfolio,
  nested: { snapshots: nested(snapshots, 'portfolio_id') },
  actions: {
    'auto-assign': action({
      allow: 'admin',
      summary: 'Assign matching loans without a portfolio',
      description: 'Only for dynamic portfolios. Loans that are already in a portfolio stay there.',
      conflicts: () => [notDynamic()],
      body: AutoAssign,
      reply: AssignmentResult,
      carries: 'record',
      run: autoAssign,
    }),
    'assign-loans': action({
      allow: 'admin',
      summary: 'Add loans to a static portfolio',
      description: 'Adds all of the loans or none. Answers 409 if a loan is in another portfolio.',
      conflicts: () => [
        alreadyAssigned([EXAMPLE_ID]),
        portfolioSold(),
        notStatic(),
        portfolioArchived(),
      ],
      body: AssignLoans,
      reply: AssignmentResult,
      run: assignLoans,
    }),
    sell: action({
      allow: 'admin',
      summary: 'Sell a portfolio',
      description:
        'The loans transfer to the investor at the close of the settlement date, when the sale is booked. Until then the sale can be canceled. Loans that were paid off by then are left out. Answers 409 if the portfolio is sold, a loan has an owner, or a law forbids the sale of a loan (`legal_condition`).',
      conflicts: () => [
        alreadySold(),
        alreadyOwned([EXAMPLE_ID]),
        investorInactive(),
        saleForbidden([EXAMPLE_ID]),
      ],
      body: Sale,
      run: sellPortfolio,
    }),
    'cancel-sale': action({
      allow: 'admin',
      summary: 'Cancel a sale before it settles',
      description:
        'Cancels the pending assignments. The portfolio can then be sold again. Answers 409 `sale_settled` once the sale has settled.',
      conflicts: () => [saleSettled(), notSold()],
      body: CancelSale,
      run: cancelSale,
    }),
    buyback: action({
      allow: 'admin',
      summary: 'Buy back sold loans from the investor',
      description: 'Buys back all of the loans or none. Afterwards they belong to no portfolio.',
      conflicts: () => [loansTransferred([EXAMPLE_ID])],
      body: Buyback,
      reply: BuybackResult,
      run: buyBack,
    }),
    'transfer-loans': action({
      allow: 'admin',
      summary: 'Transfer loans to another portfolio',
      description: 'Loans that are not in this portfolio are skipped and listed.',
      body: Transfer,
      reply: TransferResult,
      run: transferLoans,
    }),
  },
});

/** A period may contain a single loan, whose fields these figures then reveal. */
const VintageAnswer = z.object({
  ...Vintage.shape,
  vintage: derivedFrom(Vintage.shape.vintage, 'loans.origination_date'),
  original_principal: derivedFrom(Vintage.shape.original_principal, 'loans.principal_amount'),
  current_principal: derivedFrom(Vintage.shape.current_principal, 'loans.principal_balance'),
  paid_off_count: derivedFrom(Vintage.shape.paid_off_count, 'loans.status'),
  charged_off_count: derivedFrom(Vintage.shape.charged_off_count, 'loans.status'),
  charged_off_amount: derivedFrom(Vintage.shape.charged_off_amount, 'loans.charge_off_amount'),
  recovered_amount: derivedFrom(Vintage.shape.recovered_amount, 'loans.recovered_amount'),
  delinquent_30_plus_count: derivedFrom(
    Vintage.shape.delinquent_30_plus_count,
    ...(['loans.days_past_due', 'loans.delinquency_bucket'] as const),
  ),
  delinquency_rate: derivedFrom(
    Vintage.shape.delinquency_rate,
    ...(['loans.days_past_due', 'loans.delinquency_bucket'] as const),
  ),
  cumulative_default_rate: derivedFrom(Vintage.shape.cumulative_default_rate, 'loans.status'),
  cumulative_loss_rate: derivedFrom(Vintage.shape.cumulative_loss_rate, 'loans.charge_off_amount'),
  months_on_book: derivedFrom(Vintage.shape.months_on_book, 'loans.origination_date'),
});

export const vintages: Route = {
  tag: 'portfolios',
  resource: 'portfolios',
  action: 'vintages',
  summary: 'Get the vintage analysis',
  description: 'Groups funded loans by origination period.',
  method: 'GET',
  path: '/portfolios/{id}/vintages',
  allow: 'viewer',
  transaction: 'read',
  is_report: true,
  status: 200,
  query: z.object({
    period: z.enum(PERIODS).default('month').describe('The length of an origination period.'),
  }),
  reply: z.array(VintageAnswer),
  run: async ({ work, params, query }) => {
    const { id } = await findOrThrow(work, table, params['id']);
    return listVintages(work.tx, id, query['period'] as VintagePeriod, work.today);
  },
};
