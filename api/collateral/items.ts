import { z } from 'zod';
import {
  addCollateral,
  changeCollateral,
  COLLATERAL_STATUSES,
  activeLiens,
  collateralTransition,
} from '../../jobs/collateral/item.ts';
import {
  liquidateCollateral,
  Liquidation,
  LiquidationReversal,
  reverseLiquidation,
  alreadyLiquidated,
  notLiquidated,
} from '../../jobs/collateral/liquidate.ts';
import { COLLATERAL_TYPES } from '../../jobs/collateral/metadata.ts';
import { POSSESSIONS } from '../../jobs/collateral/possession.ts';
import { items as table } from '../../sql/collateral/items.ts';
import { date, flag, jsonObject, money, prose, timestamps, uuid } from '../../sql/types.ts';
import { action, nested, resource } from '../endpoints/resource.ts';
import { liens } from './liens.ts';
import { valuations } from './valuations.ts';

const sale = z.object({
  sale_date: date.describe('The day of the sale.'),
  sale_price: money.describe('The price.'),
  sale_expenses: money.describe('The expenses.'),
  net_proceeds: money.describe('The price minus the expenses; never below zero.'),
  applied_principal: money.describe('The amount that repaid principal.'),
  applied_interest: money.describe('The amount that repaid interest.'),
  applied_fees: money.describe('The amount that repaid fees.'),
  recovered: money.describe('The amount recovered on a charged-off debt.'),
  surplus: money.describe('The amount above the debt, which belongs to the borrower.'),
  outstanding_before: money.describe('The debt on that day, as known when the sale was entered.'),
  deficiency_balance: money.describe(
    "The amount still owed after the last sale of the loan's collateral.",
  ),
  fee_id: uuid.nullable().describe('Expenses above the price, charged as a fee.'),
  liens_released: z.array(uuid).describe('The liens that were released.'),
  notes: z.string().nullable().describe('Notes about the sale.'),
});

export const collateral = resource({
  name: 'CollateralItem',
  path: 'collateral',
  about: 'Property that secures a loan.',
  area: 'collateral',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.describe('The loan that it secures.'),
    collateral_type: z
      .enum(COLLATERAL_TYPES)
      .describe('The kind of collateral. Decides which keys of `metadata` are checked.'),
    description: prose.nullish().describe('What it is.'),
    estimated_value: money
      .nullish()
      .describe('Your estimate of the value. A valuation replaces it.'),
    metadata: jsonObject
      .default({})
      .describe(
        'Details. Checked keys: for a vehicle make, model, year, vin, mileage; for real estate property_type, year_built, square_footage, parcel_number; for equipment manufacturer, model, serial_number, condition; for inventory category, quantity, unit_value; for accounts receivable debtor_count; for securities security_type, ticker, shares, custodian. You can add other keys.',
      ),
    status: z
      .enum(COLLATERAL_STATUSES)
      .default('active')
      .describe(
        'New collateral is `active` or `repossessed`. It can become `released` once no lien is active. `liquidate` sets `liquidated`.',
      ),
    possession: z
      .enum(POSSESSIONS)
      .nullish()
      .describe(
        'How you took the collateral, which credit bureaus receive. `foreclosure` and `deed_in_lieu` are for real estate, the others for all other collateral. Default when the status becomes `repossessed`: `foreclosure` or `repossession`.',
      ),
    possession_date: date
      .nullish()
      .describe(
        'When you took it. Default when the status becomes `repossessed`: the business date.',
      ),
    possession_ended_on: date
      .nullable()
      .readonly()
      .describe('When the borrower got it back: the status became `active` again.'),
    insured_until: date.nullish().describe('The last day of the insurance, for your records.'),
    current_value: money
      .nullable()
      .readonly()
      .describe('The valuation in effect, or the estimate.'),
    currency: z.string().readonly().describe('The currency of the tenant.'),
    ltv: z
      .string()
      .nullable()
      .readonly()
      .describe("The loan's principal balance divided by the value of all its collateral."),
    liquidation: sale
      .nullable()
      .readonly()
      .describe('The sale of this item, unless it was reversed.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  fixed: ['loan_id'],
  filters: ['loan_id', 'collateral_type', 'status'],

  conflicts: {
    update: () => [collateralTransition('released', 'active'), activeLiens()],
  },
  create: addCollateral,
  update: changeCollateral,
  actions: {
    liquidate: action({
      allow: 'admin',
      summary: 'Record a sale of collateral',
      description:
        'Releases the liens. Proceeds repay principal, interest and fees in this order; on a charged-off loan they are a recovery. A surplus is held for the borrower.',
      conflicts: () => [alreadyLiquidated()],
      body: Liquidation,
      run: liquidateCollateral,
    }),
    'reverse-liquidation': action({
      allow: 'admin',
      summary: 'Reverse a collateral sale',
      description:
        'Use it when the sale was entered by mistake. Also reverses the fee and the lien releases of the sale.',
      conflicts: () => [notLiquidated()],
      body: LiquidationReversal,
      run: reverseLiquidation,
    }),
  },
  nested: {
    liens: nested(liens, 'collateral_id'),
    valuations: nested(valuations, 'collateral_id'),
  },
});
