import { z } from 'zod';
import {
  addCollateral,
  changeCollateral,
  COLLATERAL_STATUSES,
} from '../../jobs/collateral/item.ts';
import { COLLATERAL_TYPES } from '../../jobs/collateral/metadata.ts';
import { items as table } from '../../sql/collateral/items.ts';
import { date, flag, jsonObject, money, prose, stamps, uuid } from '../../sql/types.ts';
import { nested, resource } from '../endpoints/resource.ts';
import { liens } from './liens.ts';
import { valuations } from './valuations.ts';

export const collateral = resource({
  name: 'CollateralItem',
  path: 'collateral',
  area: 'collateral',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    collateral_type: z.enum(COLLATERAL_TYPES),
    description: prose.nullish(),
    estimated_value: money.nullish(),
    metadata: jsonObject.default({}),
    status: z.enum(COLLATERAL_STATUSES).default('active'),
    insured_until: date.nullish(),
    current_value: money
      .nullable()
      .readonly()
      .describe('The valuation in effect, or the estimate.'),
    currency: z.string().readonly(),
    ltv: z
      .string()
      .nullable()
      .readonly()
      .describe("The loan's principal balance divided by the value of all its collateral."),
    is_archived: flag.readonly(),
    ...stamps,
  },
  fixed: ['loan_id'],
  filters: ['loan_id', 'collateral_type', 'status'],

  create: addCollateral,
  update: changeCollateral,
  nested: {
    liens: nested(liens, 'collateral_id'),
    valuations: nested(valuations, 'collateral_id'),
  },
});
