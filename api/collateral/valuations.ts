import { z } from 'zod';
import { addValuation, changeValuation } from '../../jobs/collateral/item.ts';
import { valuations as table } from '../../sql/collateral/valuations.ts';
import { date, flag, money, prose, timestamps, text, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const valuations = resource({
  name: 'Valuation',
  path: 'valuations',
  area: 'collateral',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    collateral_id: uuid,
    loan_id: uuid.readonly(),
    valuation_type: z.enum(['appraisal', 'bpo', 'avm', 'internal', 'purchase_price']),
    valuation_date: date,
    effective_date: date.nullish(),
    appraised_value: money,
    appraiser_name: text.nullish(),
    confidence: z
      .string()
      .regex(/^(0(\.\d{1,3})?|1(\.0{1,3})?)$/, 'Must be a decimal string from "0" to "1".')
      .nullish(),
    document_id: uuid.nullish(),
    notes: prose.nullish(),
    is_current: flag.readonly(),
    ...timestamps,
  },
  fixed: ['collateral_id'],
  filters: ['collateral_id', 'valuation_type', 'valuation_date'],

  create: addValuation,
  update: changeValuation,
});
