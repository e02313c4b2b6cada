import { sql } from '../database/db.ts';
import { table } from '../table.ts';

export const VALUATION_TYPES = [
  ...(['appraisal', 'bpo', 'avm', 'internal', 'purchase_price'] as const),
] as const;

export const valuations = table({
  name: 'valuations',
  owner: null,
  rows: sql.fragment`
    select record.id, record.collateral_id, item.loan_id, record.valuation_type,
           record.valuation_date, record.effective_date, record.appraised_value,
           record.appraiser_name, trim_scale(record.confidence) as confidence, record.document_id,
           record.notes,
           coalesce(record.id = (app.current_valuation(record.collateral_id)).id, false) as is_current,
           record.created_at, record.updated_at
    from valuations as record
    join collateral_items as item on item.id = record.collateral_id
  `,
});
