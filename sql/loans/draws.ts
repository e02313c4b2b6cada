import { sql } from '../database/db.ts';
import { table } from '../table.ts';

export const draws = table({
  name: 'draws',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.draw_number, record.amount, record.draw_date,
           record.purpose, record.payment_instrument_id, record.external_id, record.fee_amount,
           record.status, record.outstanding_principal,
           trim_scale(record.interest_rate) as interest_rate, record.available_credit_after,
           record.created_by, record.created_at, record.updated_at
    from draws as record
  `,
});
