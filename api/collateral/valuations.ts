import { z } from 'zod';
import { addValuation, changeValuation, valuationConfidence } from '../../jobs/collateral/item.ts';
import { VALUATION_TYPES, valuations as table } from '../../sql/collateral/valuations.ts';
import { date, flag, money, prose, timestamps, text, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const valuations = resource({
  name: 'Valuation',
  path: 'valuations',
  about: 'A value of collateral on a day.',
  area: 'collateral',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    collateral_id: uuid,
    loan_id: uuid.readonly(),
    valuation_type: z
      .enum(VALUATION_TYPES)
      .describe(
        "An appraisal, a broker's price opinion (`bpo`), an automated valuation (`avm`), your own, or the purchase price.",
      ),
    valuation_date: date.describe('The day of the valuation. Must not be in the future.'),
    effective_date: date
      .nullish()
      .describe(
        "The first day on which the value counts. Default: `valuation_date`. The latest valuation in effect is the item's value.",
      ),
    appraised_value: money.describe('The value.'),
    appraiser_name: text.nullish().describe('Who made the valuation.'),
    confidence: valuationConfidence.nullish().describe('How certain the value is, from 0 to 1.'),
    document_id: uuid.nullish().describe('The document with the valuation.'),
    notes: prose.nullish().describe('Your notes.'),
    is_current: flag.readonly().describe('Whether it is the value of the item now.'),
    ...timestamps,
  },
  fixed: ['collateral_id'],
  filters: ['collateral_id', 'valuation_type', 'valuation_date'],

  create: addValuation,
  update: changeValuation,
});
